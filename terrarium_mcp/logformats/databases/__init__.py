"""Databases of other programs, one file each: which rows are which messages. They are only read."""
