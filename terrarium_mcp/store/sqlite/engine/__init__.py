"""The SQLite file itself: connections, transactions, locks, SQL functions, errors.

- reading_connection, reads, brief_reads, reads_in_turns, writes, database, failures: connections,
  their reads and transactions, and what can fail
- file_lock: the locks between processes; who holds one
- write_lock, fts_merge, fts5_tables, read_cache: turns at writing, and what keeps reading quick
- checkpointer, checkpoints: how the WAL goes into the file, and when
- transaction, files, folder_access, location, wal_reset_bug: a file by itself
- functions, index_words, sql_expressions, voices_sql, id_lists: what statements are made of
- message_ids, networks, network_names, rooms, refolding, rows, dialogue_rows: the tables that every
  topic needs
"""
