"""Plain questions: the lines that answer best, by bounded look-ups and a dozen weights."""
