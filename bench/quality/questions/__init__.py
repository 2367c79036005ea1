"""Natural questions over real IRC logs: is a line that answers among the twenty of one call?

`questions.toml` has the questions with the numbers of the lines that answer them; the logs are
elsewhere. `development_set` reads it, `scores` counts, and `python -m bench.quality.questions`
asks.
"""
