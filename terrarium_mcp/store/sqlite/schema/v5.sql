-- Version 5: a line with a msgid writes as little as one without, and frequent words are counted by
-- room and time.
-- FROZEN: files of this version exist, so this text never changes.

-- ---- Derived from `messages` -----------------------------------------------------------------------

-- The full-text index of msgids, each with its room as one word of 8 characters, a hash: candidates
-- are verified against the row. Its rowid is the negated message id. Msgids are random, so each line
-- would change another page of an ordinary index; this one is written by groups, in order.
CREATE VIEW msgid_index_source AS
  SELECT -m.id AS id, msgid_word(m.room, CAST(m.msgid AS BLOB)) AS msgid
  FROM messages m WHERE m.room NOT NULL AND m.msgid NOT NULL;

CREATE VIRTUAL TABLE msgid_index USING fts5 (
  msgid, content='msgid_index_source', content_rowid='id',
  columnsize=0, detail=none, tokenize='ascii'
);

-- How many lines of each room hold a frequent word, among the ids from 131072 * block on: a JSON
-- object {room: lines}, without asides. Blocks may be missing; they are then counted by the index.
CREATE TABLE word_blocks (
  block INTEGER NOT NULL,
  word TEXT NOT NULL,
  rooms TEXT NOT NULL,
  PRIMARY KEY (block, word)
) WITHOUT ROWID;

-- ---- The index of msgids before it --------------------------------------------------------------------

-- No block is counted yet, which is no reason to look at the messages. Where none has a msgid, as on
-- many networks, the new index is complete already.
INSERT INTO derived (name, upto) SELECT 'word_blocks', upto FROM derived WHERE name = 'messages';
INSERT INTO derived (name, upto)
  SELECT 'msgids', upto FROM derived
  WHERE name = 'messages'
    AND NOT EXISTS (SELECT 1 FROM messages INDEXED BY messages_by_msgid WHERE msgid IS NOT NULL);

DROP INDEX messages_by_msgid;
