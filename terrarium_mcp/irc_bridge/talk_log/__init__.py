"""The talk log: of each question how long its parts took, and never a word of it.

- record.py: one line of the log as a value
- stopwatch.py: measures a question from the moment it is heard
- writer.py: appends the lines to the file
- timeline.py: a line as a table for people
"""
