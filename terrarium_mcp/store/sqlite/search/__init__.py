"""Searching in SQLite: FTS5 queries, ranges of ids, scans, pages.

`terrarium_mcp.store.search` shows what flows. Here, from the outside in:

- message_search, climb, paging: a search, the ladder's rungs, and the pages of each
- snapshot, scope_where, order: what all look-ups of a search share
- exact, fts_query, index_scan, scan_plans, id_ranges, counted_blocks: lines by time
- scope_corpus, corpus, lookup_expression, candidate_scan, neighbours, conversation_openers: lines
  by relevance
- term_stats, vocabulary: how often words were said
- visible_lines, visible_corpus, visible_vocabulary: the same where a request sees only a part
- scope_stats, matching_lines, room_lines: figures of what a search selects
"""
