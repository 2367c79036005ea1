"""Removal: the text of one message, or everything of a person.

- removal: the way in
- redaction: the text of messages
- purge: a person, from all our tables; backlog_quotes: from the backlog; legacy_purge: from what
  terrarium-irc left
- retention: what is too old
- batched_delete: many rows, beside a recorder
- scrub: no byte of it remains; audit: that it was removed, without its text
"""
