"""Searching in SQLite: FTS5 queries, ranges of ids, scans, pages."""
