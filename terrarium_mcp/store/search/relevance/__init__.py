"""Plain questions: the lines that answer best, by bounded look-ups and a dozen weights.

In the order in which a question passes through:

- pipeline: leads it through the others
- question: a question as a value, before and after it is parsed
- question_analysis: its people, times and words, as far as the history knows them
- compound_groups: these words as others write them, in two or in one
- lookup, corpus: what is asked of an engine, and what it tells of the history
- candidates: the look-ups of a question, and the lines that they find
- word_hits, scoring, weights: how well each line answers
- ranking: which lines lead
- confidence: whether the best is weak
"""
