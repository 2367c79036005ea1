-- Version 8: what the bot was asked, what it looked up, and what it answered.
-- FROZEN: files of this version exist, so this text never changes.

-- The dialogues of the bot: one for each channel, and one for each person in private. Turns of an
-- earlier window are no longer part of the talk.
CREATE TABLE dialogues (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  folded TEXT NOT NULL,    -- '' in private
  channel TEXT NOT NULL,   -- as spelt
  person TEXT NOT NULL,    -- a fingerprint of who it is with in private, '' in a channel
  window INTEGER NOT NULL,
  newest INTEGER NOT NULL, -- the highest number that a turn has, or had: none is given twice
  UNIQUE (network, folded, person)
);

-- Questions with their answers. `steps` is JSON: [[round, tool, arguments, result], ...].
CREATE TABLE dialogue_turns (
  id INTEGER PRIMARY KEY,
  dialogue INTEGER NOT NULL REFERENCES dialogues,
  number INTEGER NOT NULL, -- within the dialogue, from 1
  window INTEGER NOT NULL,
  asked_at TEXT NOT NULL,
  nick TEXT NOT NULL,
  user TEXT NOT NULL,
  host TEXT NOT NULL,
  account TEXT NOT NULL,
  question TEXT NOT NULL,
  message INTEGER,         -- the question's line; NULL: it is not recorded
  steps TEXT NOT NULL,
  answer TEXT NOT NULL,
  state TEXT NOT NULL,     -- open, done, stopped or cut
  UNIQUE (dialogue, number)
);
CREATE INDEX dialogue_turns_by_window ON dialogue_turns (dialogue, window, number);
CREATE INDEX dialogue_turns_by_time ON dialogue_turns (dialogue, asked_at);
CREATE INDEX dialogue_turns_by_message ON dialogue_turns (message) WHERE message NOT NULL;
CREATE INDEX dialogue_turns_open ON dialogue_turns (dialogue) WHERE state = 'open';

-- The messages that a turn's model was shown. A turn is removed with any of them.
CREATE TABLE dialogue_sources (
  turn INTEGER NOT NULL REFERENCES dialogue_turns,
  message INTEGER NOT NULL,
  PRIMARY KEY (turn, message)
) WITHOUT ROWID;
CREATE INDEX dialogue_sources_by_message ON dialogue_sources (message);

-- What turns `first` to `last` of a dialogue's window said, in a model's words. It does not rest on
-- those whose numbers are `omitted`, a JSON list; with any other it is removed.
CREATE TABLE dialogue_summaries (
  dialogue INTEGER PRIMARY KEY REFERENCES dialogues,
  window INTEGER NOT NULL,
  text TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  omitted TEXT NOT NULL,
  made_at TEXT NOT NULL
);

-- How many turns were removed with the messages.
ALTER TABLE removals ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;
