"""Everything derived from `messages`: it can be rebuilt from them, and is checked by a recount.

Every derived structure is brought up to date by ids, in the order in which they were given, and has
a watermark: the id up to which it is complete. Usually all watermarks are at the newest id, since
an append updates every structure in its own transaction; a structure that is being rebuilt lags
behind, and its readers wait for it.
"""
