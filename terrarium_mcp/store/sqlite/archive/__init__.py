"""The archive: the history read row by row for an export, and written back exactly.

- archive: the way in
- reading, matching: all rows of rooms, and those that a query selects
- opt_out_filter: whose rows are left out
- restoring: writes them back
"""
