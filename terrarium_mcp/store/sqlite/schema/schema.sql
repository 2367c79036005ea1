-- The tables of terrarium-mcp, version 17, as a whole. `make schema` derives this from the
-- frozen texts vN.sql beside it, which are what creates a database.

PRAGMA application_id = 0x74657272;
PRAGMA user_version = 17;

-- Every line and event, one row each, ordered by (timestamp, id). The first eight columns are those
-- of terrarium-irc, which may have made the table already and can still read and append rows.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
  channel TEXT,
  nick TEXT,
  user TEXT,
  host TEXT,
  message TEXT,
  message_type TEXT DEFAULT 'PRIVMSG',
  network TEXT,
  room INTEGER,      -- rooms.id; NULL: not yet indexed, or no channel
  account TEXT,      -- services account
  msgid TEXT,        -- IRCv3
  reply_to TEXT,     -- msgid of the line that this one replies to
  server_time TEXT,  -- raw IRCv3 server-time, where it differs
  origin TEXT,       -- live, playback or import
  relayed_by TEXT,   -- nick of the relay bot
  self INTEGER,      -- 1: sent by this program
  bot INTEGER,       -- 1: sent by another bot
  redacted_at TEXT   -- the text is gone, the row remains
);

CREATE TABLE networks (
  name TEXT PRIMARY KEY,
  casemapping TEXT NOT NULL DEFAULT 'rfc1459'
) WITHOUT ROWID;

CREATE TABLE rooms (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  folded TEXT NOT NULL,
  channel TEXT NOT NULL,
  live_until TEXT NOT NULL DEFAULT '',  -- no live line has an earlier timestamp
  UNIQUE (network, folded)
);

-- Lines sent to one person. No tool reads them.
CREATE TABLE private_messages (
  id INTEGER PRIMARY KEY,
  timestamp TEXT NOT NULL,
  network TEXT NOT NULL,
  target TEXT NOT NULL,
  nick TEXT, user TEXT, host TEXT, account TEXT,
  message TEXT,
  message_type TEXT,
  self INTEGER
);

-- When a room was recorded. `alive` advances during recording: after a crash the span ends there.
CREATE TABLE spans (
  id INTEGER PRIMARY KEY,
  room INTEGER NOT NULL REFERENCES rooms,
  began TEXT NOT NULL,
  alive TEXT NOT NULL,
  ended TEXT,
  why_began TEXT NOT NULL,
  why_ended TEXT,
  source TEXT NOT NULL DEFAULT ''
, import INTEGER REFERENCES imports);
CREATE INDEX spans_by_room ON spans (room, began);

-- Who is in a room now. Replaced whenever the bridge joins.
CREATE TABLE presence (
  room INTEGER NOT NULL REFERENCES rooms,
  folded TEXT NOT NULL,
  nick TEXT NOT NULL,
  rank TEXT NOT NULL,
  away INTEGER NOT NULL,
  account TEXT NOT NULL,
  since TEXT,
  PRIMARY KEY (room, folded)
) WITHOUT ROWID;

CREATE TABLE presence_as_of (room INTEGER PRIMARY KEY REFERENCES rooms, as_of TEXT NOT NULL);

-- Rows that other programs appended to `messages`, and when that was noticed, by day (UTC).
CREATE TABLE foreign_rows (day TEXT PRIMARY KEY, noticed TEXT NOT NULL, rows INTEGER NOT NULL)
  WITHOUT ROWID;

-- What was removed, without a word of it. The row of an interrupted removal shows how far it got.
CREATE TABLE removals (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  network TEXT NOT NULL,
  nick TEXT NOT NULL,
  messages INTEGER NOT NULL
, turns INTEGER NOT NULL DEFAULT 0);

-- The watermark of each derived structure: the last id it has taken in. -1: to be emptied first.
CREATE TABLE derived (name TEXT PRIMARY KEY, upto INTEGER NOT NULL) WITHOUT ROWID;

CREATE VIRTUAL TABLE message_index USING fts5 (
  message, event,
  content='message_index_source', content_rowid='id', columnsize=0,
  tokenize='unicode61 remove_diacritics 2'
);

CREATE VIRTUAL TABLE phrase_index USING fts5 (
  pairs, content='phrase_index_source', content_rowid='id',
  columnsize=0, detail=none, tokenize='ascii'
);

-- Ranges of ids in which time rises, except for at most `slack` milliseconds.
CREATE TABLE runs (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  began TEXT NOT NULL,
  ended TEXT NOT NULL,
  slack INTEGER NOT NULL
);

-- Totals of a room. `first` and `last` are the times of its first and last lines; `last_day` and
-- `last_week` count its lines since the moments in `last_windows`.
CREATE TABLE room_counts (
  room INTEGER PRIMARY KEY,
  lines INTEGER NOT NULL,
  words INTEGER NOT NULL,
  questions INTEGER NOT NULL,
  links INTEGER NOT NULL,
  actions INTEGER NOT NULL,
  events INTEGER NOT NULL,
  joins INTEGER NOT NULL,
  parts INTEGER NOT NULL,
  quits INTEGER NOT NULL,
  kicks INTEGER NOT NULL,
  nicks INTEGER NOT NULL,
  topics INTEGER NOT NULL,
  people INTEGER NOT NULL DEFAULT 0,  -- nicks with at least one line
  last_day INTEGER NOT NULL,
  last_week INTEGER NOT NULL,
  first TEXT,
  last TEXT
);

-- The same by day (UTC), and the range of ids that holds every line and event of that day.
-- Rows lie in the order they were begun: those of today, which every line changes, are adjacent.
CREATE TABLE day_counts (
  room INTEGER NOT NULL,
  day TEXT NOT NULL,
  lines INTEGER NOT NULL,
  words INTEGER NOT NULL,
  questions INTEGER NOT NULL,
  links INTEGER NOT NULL,
  actions INTEGER NOT NULL,
  events INTEGER NOT NULL,
  joins INTEGER NOT NULL,
  parts INTEGER NOT NULL,
  quits INTEGER NOT NULL,
  kicks INTEGER NOT NULL,
  nicks INTEGER NOT NULL,
  topics INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  UNIQUE (room, day)
);

-- Lines by hour of the day (0 to 23, UTC).
CREATE TABLE hour_counts (
  room INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  PRIMARY KEY (room, hour)
) WITHOUT ROWID;

-- The moments since which the lines of the last day and of the last week are counted.
CREATE TABLE last_windows (name TEXT PRIMARY KEY, since TEXT NOT NULL) WITHOUT ROWID;

-- Totals of a nick in a room. `spoke` and `seen` are seconds since 1970, `spoke` 0: never;
-- `spelt` is the newest spelling, NULL if equal to `folded`.
CREATE TABLE nick_counts (
  room INTEGER NOT NULL,
  folded TEXT NOT NULL,
  lines INTEGER NOT NULL,
  events INTEGER NOT NULL,
  spoke INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  spelt TEXT, asides INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (room, folded)
) WITHOUT ROWID;

-- Top talkers have many lines; a room where nobody has is small enough to be read whole.
CREATE INDEX talkers ON nick_counts (room, lines DESC, folded) WHERE lines >= 20;
CREATE TRIGGER somebody_new AFTER INSERT ON nick_counts WHEN NEW.lines > 0 BEGIN
  UPDATE room_counts SET people = people + 1 WHERE room = NEW.room;
END;
CREATE TRIGGER somebody_speaks AFTER UPDATE OF lines ON nick_counts
WHEN (OLD.lines > 0) != (NEW.lines > 0) BEGIN
  UPDATE room_counts SET people = people + (NEW.lines > 0) - (OLD.lines > 0)
   WHERE room = NEW.room;
END;
CREATE TRIGGER somebody_gone AFTER DELETE ON nick_counts WHEN OLD.lines > 0 BEGIN
  UPDATE room_counts SET people = people - 1 WHERE room = OLD.room;
END;

-- Every change of nick, once for each room that saw it; both nicks are folded.
CREATE TABLE nick_changes (
  message INTEGER PRIMARY KEY,
  room INTEGER NOT NULL,
  said TEXT NOT NULL,
  old TEXT NOT NULL,
  new TEXT NOT NULL
);
CREATE INDEX nick_changes_from ON nick_changes (old);
CREATE INDEX nick_changes_to ON nick_changes (new);

-- Which nick (folded) appeared with which sign of identity: services account, or user@host.
-- Deleting messages never narrows `first` and `last`.
CREATE TABLE evidence (
  network TEXT NOT NULL,
  kind TEXT NOT NULL,
  sign TEXT NOT NULL,
  nick TEXT NOT NULL,
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY (network, kind, sign, nick)
) WITHOUT ROWID;
CREATE INDEX evidence_of_nick ON evidence (network, nick);

-- URLs, normalised for comparison.
CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE);

-- Where each URL occurs; `said` is the timestamp of the message.
CREATE TABLE links (
  room INTEGER NOT NULL,
  said TEXT NOT NULL,
  message INTEGER NOT NULL,
  url INTEGER NOT NULL REFERENCES urls,
  PRIMARY KEY (room, said, message, url)
) WITHOUT ROWID;
CREATE INDEX links_by_time ON links (said, message, url);
CREATE INDEX links_by_url ON links (url);

-- Where topics were set; `said` is the timestamp of the message.
CREATE TABLE topics (
  room INTEGER NOT NULL,
  said TEXT NOT NULL,
  message INTEGER NOT NULL,
  PRIMARY KEY (room, said, message)
) WITHOUT ROWID;

-- Every word as the index folds it, up to 40 characters, and the number of lines that hold it.
CREATE TABLE words (word TEXT PRIMARY KEY, lines INTEGER NOT NULL) WITHOUT ROWID;

-- Which words contain which sequences of three characters.
CREATE TABLE word_names (id INTEGER PRIMARY KEY, word TEXT NOT NULL);

CREATE VIRTUAL TABLE word_parts USING fts5 (
  word, content='word_names', content_rowid='id', detail=none, columnsize=0, tokenize='trigram'
);

CREATE TRIGGER word_new AFTER INSERT ON words WHEN length(NEW.word) >= 3 BEGIN
  INSERT INTO word_names (word) VALUES (NEW.word);
  INSERT INTO word_parts (rowid, word) VALUES (last_insert_rowid(), NEW.word);
END;

CREATE INDEX idx_messages_timestamp ON messages (timestamp);
CREATE INDEX messages_by_room ON messages (room, timestamp);

-- One row if the database was adopted from another program, none if terrarium-mcp made it.
-- The last three columns are NULL where version 1 adopted it, which did not record them.
CREATE TABLE adoption (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  source TEXT NOT NULL,  -- the program that made the database
  zone TEXT,             -- the time zone in which its local times were read, e.g. Europe/Berlin
  adopted_at TEXT,       -- UTC
  adopted_by TEXT        -- version of terrarium-mcp
);

-- Rows without a room: those that another program appended, until they are normalised. Nothing else
-- is in it, so a line of ours does not touch it.
CREATE INDEX messages_without_room ON messages (room) WHERE room IS NULL;

-- The rules by which `voices` is made, one row for each network. The one named '' has those of all
-- others. `relays` is JSON: [[nick, how its lines begin], ...].
CREATE TABLE voice_rules (
  network TEXT PRIMARY KEY,
  nick TEXT NOT NULL,    -- of the bot
  prefix TEXT NOT NULL,  -- of its commands
  relays TEXT NOT NULL
) WITHOUT ROWID;

-- Messages that a relay carried, and asides: what the bot said (1) and commands to it (2).
CREATE TABLE voices (
  id INTEGER PRIMARY KEY,  -- of the message
  aside INTEGER,
  speaker TEXT,            -- whose words a relay carried
  text_at INTEGER          -- at which character of the message they begin, from 1
);
CREATE INDEX asides ON voices (id) WHERE aside NOT NULL;

-- The full-text index of words. Its rowid is the negated message id, so that FTS5 returns the newest
-- first. The text of events has a column of its own: a search in speech then needs no other filter.
-- Words that stand for room, speaker, type and aside are in the first column: elsewhere each takes 2
-- bytes more. What a relay carried has the words and the speaker of the person.
CREATE VIEW message_index_source AS
  SELECT
    -m.id AS id,
    CASE WHEN ifnull(upper(m.message_type), 'PRIVMSG')
           NOT IN ('JOIN', 'PART', 'QUIT', 'NICK', 'KICK', 'MODE', 'TOPIC')
      THEN indexed_text(CAST(
        CASE WHEN v.text_at THEN substr(CAST(m.message AS TEXT), v.text_at) ELSE m.message END
      AS BLOB)) || ' '
      ELSE ''
    END || scope_words(
      m.room, CAST(ifnull(v.speaker, m.nick) AS BLOB), CAST(m.message_type AS BLOB),
      CASE WHEN instr(m.message, '://') THEN CAST(m.message AS BLOB) END,
      v.aside
    ) AS message,
    CASE WHEN ifnull(upper(m.message_type), 'PRIVMSG')
           NOT IN ('JOIN', 'PART', 'QUIT', 'NICK', 'KICK', 'MODE', 'TOPIC')
      THEN NULL
      ELSE indexed_text(CAST(m.message AS BLOB))
    END AS event
  FROM messages m LEFT JOIN voices v ON v.id = m.id
  WHERE m.room NOT NULL AND m.redacted_at IS NULL;

-- The full-text index of pairs of adjacent words, each as 16 bits of a hash. Different pairs may
-- share a hash, so candidates are verified against the text. Its rowid is the negated message id.
CREATE VIEW phrase_index_source AS
  SELECT -m.id AS id, pair_words(CAST(
    CASE WHEN v.text_at THEN substr(CAST(m.message AS TEXT), v.text_at) ELSE m.message END
  AS BLOB)) AS pairs
  FROM messages m LEFT JOIN voices v ON v.id = m.id
  WHERE m.room NOT NULL AND m.redacted_at IS NULL
    AND ifnull(upper(m.message_type), 'PRIVMSG')
      NOT IN ('JOIN', 'PART', 'QUIT', 'NICK', 'KICK', 'MODE', 'TOPIC');

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

-- People of whom nothing is recorded. They are recognised by their services account, or, where
-- `account` is empty, by nick (folded) and user@host.
CREATE TABLE opt_outs (
  network TEXT NOT NULL,
  account TEXT NOT NULL,
  folded TEXT NOT NULL,
  user_host TEXT NOT NULL,
  nick TEXT NOT NULL,  -- as spelt when they opted out
  since TEXT NOT NULL,
  PRIMARY KEY (network, account, folded, user_host)
) WITHOUT ROWID;

-- Channels in which the bot keeps silent until a time.
CREATE TABLE quiet_channels (
  network TEXT NOT NULL,
  folded TEXT NOT NULL,
  until TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  PRIMARY KEY (network, folded)
) WITHOUT ROWID;

-- When the bot last said in a channel that it records.
CREATE TABLE introductions (
  network TEXT NOT NULL,
  folded TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (network, folded)
) WITHOUT ROWID;

-- What the bridge of each network last reported of itself: `report` is a JSON object.
CREATE TABLE heartbeats (
  network TEXT PRIMARY KEY,
  process TEXT NOT NULL,  -- pid@host
  at TEXT NOT NULL,
  report TEXT NOT NULL
) WITHOUT ROWID;

-- One row for each run of `terrarium-mcp import`; a repeated run that was interrupted has one too.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  command TEXT NOT NULL,  -- as it was typed
  finished TEXT,          -- NULL: it is running, or was interrupted
  undone TEXT             -- when its removal began
);

-- The logs that an import read: each is a file, or what a database holds of one channel.
CREATE TABLE import_sources (
  id INTEGER PRIMARY KEY,
  import INTEGER NOT NULL REFERENCES imports,
  path TEXT NOT NULL,
  format TEXT NOT NULL,
  network TEXT NOT NULL,
  channel TEXT NOT NULL,        -- or the nick of a private conversation
  zone TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,        -- bytes
  resolution INTEGER NOT NULL,  -- of its stamps, in milliseconds
  newest_before INTEGER NOT NULL,  -- the newest message when the log was first read
  clock_offset INTEGER NOT NULL DEFAULT 0,  -- milliseconds that its clock was fast
  lines INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  first TEXT,
  last TEXT,
  is_whole INTEGER NOT NULL DEFAULT 0  -- 1: read to its end
);
CREATE INDEX import_sources_by_import ON import_sources (import);
CREATE INDEX import_sources_by_file ON import_sources (sha256);

-- The ids of the messages that a log has, in ranges that do not overlap: those that it added, and
-- those that it found stored.
CREATE TABLE import_ranges (
  source INTEGER NOT NULL REFERENCES import_sources,
  is_private INTEGER NOT NULL,  -- 1: ids of private_messages
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  is_added INTEGER NOT NULL,
  PRIMARY KEY (source, is_private, first)
) WITHOUT ROWID;
CREATE INDEX import_ranges_added ON import_ranges (is_private, first, last) WHERE is_added;

-- Imported private messages are compared with those that are stored.
CREATE INDEX private_messages_by_time ON private_messages (network, timestamp);

CREATE INDEX spans_by_import ON spans (import) WHERE import NOT NULL;

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

-- As `opt_outs`, of people who opted in again: what they said between the two times is not recorded
-- when a log or a replay brings it later.
CREATE TABLE past_opt_outs (
  network TEXT NOT NULL,
  account TEXT NOT NULL,
  folded TEXT NOT NULL,
  user_host TEXT NOT NULL,
  nick TEXT NOT NULL,
  since TEXT NOT NULL,
  until TEXT NOT NULL,
  PRIMARY KEY (network, account, folded, user_host, since)
) WITHOUT ROWID;
