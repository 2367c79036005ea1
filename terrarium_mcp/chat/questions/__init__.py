"""Plain questions that the words of no line answer, recognised by how they are put. Pure.

- people: what a person said; presence: when a person was last here; events: who was kicked
- names: which other nicks a person has; ends: who said something first or last
- counts: how much was said, and who said most
- places: what happened somewhere, whatever it was
- forms: what these have in common
- narrowing: a query narrowed to the times of a question, and to its telling words
"""
