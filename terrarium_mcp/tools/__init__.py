"""The tools a model can call: plain async functions, one topic per file."""
