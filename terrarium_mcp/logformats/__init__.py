"""Logs of other programs: their formats as data, and how a line becomes a message.

entries: what a line says. grammar: a text format as data; text/: the formats, one file each.
log_clock: from stamps to moments. decoding: from bytes to text. databases/: databases of other
programs, the only place outside the store with SQL.
"""
