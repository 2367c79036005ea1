"""Imports: logs of other programs merged into the history, each line once; listed, and undone.

- imports: the way in; import_lock: one at a time
- log_stream, log_blocks: the lines of many logs as one stream
- recent_texts, earlier_sources, clock_correction: the right times for a log whose clock was wrong
- known_lines, stored_lines: which lines are stored already
- group_insert: the others become rows; source_rows: which log has which
- log_spans: which times the logs cover
- half_lines: the end of a log that was not written to its end
- undo: takes an import back
"""
