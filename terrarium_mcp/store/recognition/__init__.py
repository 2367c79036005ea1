"""Recognition: which lines of a log are stored already, however many programs wrote them. Pure.

- once: the rule
- comparison: what is the same line
- clock_offset: by how much the clock of a log was fast
"""
