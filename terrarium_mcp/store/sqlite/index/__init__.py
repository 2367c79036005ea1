"""Everything derived from `messages`: it can be rebuilt from them, and is checked by a recount.

Every derived structure is brought up to date by ids, in the order in which they were given, and has
a watermark: the id up to which it is complete. It lags behind while a group of lines fills up
(grouped_indexing.py) and while it is rebuilt; a reader indexes the rest first, or waits.

- structure, all_structures: what they have in common, and which there are
- watermarks: how far each is
- indexer, grouped_indexing: keep them current; unindexing: takes out what is removed
- external_rows, live_clock, clock_ahead: the messages themselves
- voices, voice_rules: who speaks, which most others go by
- followers, room_moves: how the others follow what changes later
- message_index, phrase_index, msgid_index, full_text, fts_syntax: what was said, by words
- vocabulary, word_blocks: in how many lines
- counters, counter_sql, rolling_windows, talk_counts: how much, by whom and when
- sorted_runs: in which order
- link_index, topic_index, nick_evidence: links, topics, nicks of one person
- index_texts, line_tallies, voiced_texts: the same for imported lines, computed beforehand
"""
