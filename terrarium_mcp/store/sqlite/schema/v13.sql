-- Version 13: who said how much of a room, and at which hours, is counted by whole months and days.
-- FROZEN: files of this version exist, so this text never changes.

-- ---- Derived from `messages` -----------------------------------------------------------------------

-- Who said the lines of a room in a whole month (2026-05) or day (2026-05-10), UTC. `lines` and
-- `hours` count all lines: the latter is a JSON array of 24. `people` is a JSON object of folded nicks
-- by how many lines each said, without asides: {"1": "ada bo", "7": "cy"}, or in arrays if any nick
-- has a space; `spellings` is a JSON array of those that were last spelt otherwise than folded.
-- Periods may be missing; their lines are then read. (WITHOUT ROWID, rows of 2 kB would waste pages.)
CREATE TABLE talk_counts (
  room INTEGER NOT NULL,
  period TEXT NOT NULL,
  lines INTEGER NOT NULL,
  hours TEXT NOT NULL,
  spellings TEXT NOT NULL,
  people TEXT NOT NULL,
  UNIQUE (room, period)
);

-- ---- No period is counted yet ------------------------------------------------------------------------

-- That is no reason to look at the messages.
INSERT INTO derived (name, upto) SELECT 'talk_counts', upto FROM derived WHERE name = 'messages';
