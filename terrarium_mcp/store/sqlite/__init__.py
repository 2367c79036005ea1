"""The history in one SQLite file: everything that knows SQL. Another engine would stand beside it.

In the order in which a message passes through:

- store.py: `Store`, which connects the packages below to one file
- service.py: opens that file and keeps it while it is in use; opening.py, keeper.py, claims.py
- older_keeper.py: a process of an older version, which keeps a file from being migrated
- own_files.py: which files are the history's, so that nothing else is written there
- trusted_time.py: how far the clock is trusted when lines are removed for their age
- path_watch.py: notices when that file is moved, deleted or replaced
- engine/: connections, transactions, the write lock, SQL functions, SQLite's errors in our words
- schema/: the frozen versions, migration, adoption of a terrarium-irc database
- ingest/: messages appended live, in bulk, or by another program
- imports/: logs of other programs, each line stored once; taken back by an undo
- index/: everything derived from the messages, and its watermarks
- topics/: reads, one topic per file
- search/: the engine's part of a search; `terrarium_mcp.store.search` has the rest
- removal/: purge, redaction, retention, audit
- archive/: the history row by row, for exports, and back
- backup/: one file with a copy of everything, and back
- health/: what the doctor examines
"""
