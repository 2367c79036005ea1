"""From a question to an answer: prompt, tool loop, budget, and the lines of the reply."""
