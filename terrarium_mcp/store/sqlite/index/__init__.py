"""Everything derived from `messages`: it can be rebuilt from them, and is checked by a recount.

Every derived structure is brought up to date by ids, in the order in which they were given, and has
a watermark: the id up to which it is complete. It lags behind while a group of lines fills up
(grouped_indexing.py) and while it is rebuilt; who reads it indexes the rest first, or waits.
"""
