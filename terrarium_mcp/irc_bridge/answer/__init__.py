"""From a question to an answer: prompt, tool loop, budget, and the lines of the reply.

- question: what is asked; gathering: what the log has for it; briefing: both, with the dialogue
- context: makes the first request of it, of persona, past_turns, log_lines and question_tag
- quotes: how lines of the log are quoted
- model_request, budget: a request by its parts, and what gives way if it is too large
- loop, tool_calls: the model calls tools, then answers
- cleaning: the answer without what is not meant for the channel (echoes), as plain lines (markdown,
  text_table)
- reply: those lines cut to what fits, and what is left for `!more`
"""
