-- The tables of terrarium-mcp, version 1. `make schema` makes this from the migrations.

PRAGMA application_id = 0x74657272;
PRAGMA user_version = 1;

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
  room INTEGER,
  account TEXT,
  msgid TEXT,
  reply_to TEXT,
  server_time TEXT,
  origin TEXT,
  relayed_by TEXT,
  self INTEGER,
  bot INTEGER,
  redacted_at TEXT
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
  live_until TEXT NOT NULL DEFAULT '',  -- no live line is dated before this one
  UNIQUE (network, folded)
);

-- Readable by the two who wrote them, through the bot, and by no tool.
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

-- When a room was recorded. `alive` moves along while it is: where a crash left it, it ended.
CREATE TABLE spans (
  id INTEGER PRIMARY KEY,
  room INTEGER NOT NULL REFERENCES rooms,
  began TEXT NOT NULL,
  alive TEXT NOT NULL,
  ended TEXT,
  why_began TEXT NOT NULL,
  why_ended TEXT,
  source TEXT NOT NULL DEFAULT ''
);
CREATE INDEX spans_by_room ON spans (room, began);

-- Who is in a room now. Rebuilt at every join of ours.
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

-- Up to which id each derived structure has taken in the messages; -1: it is to be emptied first.
CREATE TABLE derived (name TEXT PRIMARY KEY, upto INTEGER NOT NULL) WITHOUT ROWID;

-- Rows that other programs appended to `messages`, and when we noticed, by day (UTC).
CREATE TABLE foreign_rows (day TEXT PRIMARY KEY, noticed TEXT NOT NULL, rows INTEGER NOT NULL)
  WITHOUT ROWID;

-- The rowid is the id with a minus sign: newest first is then the natural order of every look-up.
-- What an event says has a column of its own, so that words of speech need no other restriction.
-- The words of our own are in the first column: in any other each takes two bytes more.
CREATE VIEW message_index_source AS
  SELECT -m.id AS id, CASE WHEN ifnull(upper(m.message_type), 'PRIVMSG') NOT IN ('JOIN', 'PART', 'QUIT', 'NICK', 'KICK', 'MODE', 'TOPIC') THEN indexed_text(CAST(message AS BLOB)) || ' ' ELSE '' END || scope_words(room, CAST(nick AS BLOB), CAST(message_type AS BLOB), CASE WHEN instr(message, '://') THEN CAST(message AS BLOB) END) AS message, CASE WHEN ifnull(upper(m.message_type), 'PRIVMSG') NOT IN ('JOIN', 'PART', 'QUIT', 'NICK', 'KICK', 'MODE', 'TOPIC') THEN NULL ELSE indexed_text(CAST(message AS BLOB)) END AS event
  FROM messages m WHERE m.room NOT NULL AND m.redacted_at IS NULL;

CREATE VIRTUAL TABLE message_index USING fts5 (
  message, event,
  content='message_index_source', content_rowid='id', columnsize=0,
  tokenize='unicode61 remove_diacritics 2'
);

-- Which pairs of words follow on each other in what was said: 16 bits of a hash of each. What two
-- pairs share is told apart by reading the lines. The rowid is the id with a minus sign.
CREATE VIEW phrase_index_source AS
  SELECT -m.id AS id, pair_words(CAST(message AS BLOB)) AS pairs FROM messages m WHERE m.room NOT NULL AND m.redacted_at IS NULL AND ifnull(upper(m.message_type), 'PRIVMSG') NOT IN ('JOIN', 'PART', 'QUIT', 'NICK', 'KICK', 'MODE', 'TOPIC');

CREATE VIRTUAL TABLE phrase_index USING fts5 (
  pairs, content='phrase_index_source', content_rowid='id',
  columnsize=0, detail=none, tokenize='ascii'
);

-- Ranges of ids within which time rises, but for `slack` milliseconds.
CREATE TABLE runs (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  began TEXT NOT NULL,
  ended TEXT NOT NULL,
  slack INTEGER NOT NULL
);

-- How much there is in a room. `first` and `last` are the times of its first and last lines,
-- `last_day` and `last_week` its lines since the moments in `last_windows`.
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
  people INTEGER NOT NULL DEFAULT 0,  -- nicks that said something
  last_day INTEGER NOT NULL,
  last_week INTEGER NOT NULL,
  first TEXT,
  last TEXT
);

-- The same by day (UTC), and the ids between which all lines and events of that day lie.
-- In the order in which they began: so today's rows, which every line changes, lie side by side.
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

-- From which moment on the lines of the last day and of the last week are counted.
CREATE TABLE last_windows (name TEXT PRIMARY KEY, since TEXT NOT NULL) WITHOUT ROWID;

-- What each nick did in a room. `seen` and `spoke` are seconds since 1970, `spoke` 0 for never;
-- `spelt` is the newest spelling, where it is not the folded one.
CREATE TABLE nick_counts (
  room INTEGER NOT NULL,
  folded TEXT NOT NULL,
  lines INTEGER NOT NULL,
  events INTEGER NOT NULL,
  spoke INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  spelt TEXT,
  PRIMARY KEY (room, folded)
) WITHOUT ROWID;

-- Top talkers have many lines, and a room in which nobody has is quickly read.
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

-- Every change of nick, in each room that saw it; both nicks are folded.
CREATE TABLE nick_changes (
  message INTEGER PRIMARY KEY,
  room INTEGER NOT NULL,
  said TEXT NOT NULL,
  old TEXT NOT NULL,
  new TEXT NOT NULL
);
CREATE INDEX nick_changes_from ON nick_changes (old);
CREATE INDEX nick_changes_to ON nick_changes (new);

-- Which nick (folded) was seen with which sign of identity: services account, or user@host.
-- `first` and `last` are as exact as the messages that are left: deleting some never narrows them.
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

-- URLs in the form in which they compare.
CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE);

-- Where each was said; `said` is the timestamp of the message.
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

-- Words as the index folds them, up to 40 characters. What nobody says any more is not here.
CREATE TABLE words (word TEXT PRIMARY KEY, lines INTEGER NOT NULL) WITHOUT ROWID;

-- Which words hold which pieces of three characters.
CREATE TABLE word_names (id INTEGER PRIMARY KEY, word TEXT NOT NULL);

CREATE VIRTUAL TABLE word_parts USING fts5 (
  word, content='word_names', content_rowid='id', detail=none, columnsize=0, tokenize='trigram'
);

CREATE TRIGGER word_new AFTER INSERT ON words WHEN length(NEW.word) >= 3 BEGIN
  INSERT INTO word_names (word) VALUES (NEW.word);
  INSERT INTO word_parts (rowid, word) VALUES (last_insert_rowid(), NEW.word);
END;

-- What was removed, without a word of it. An interrupted removal says how far it came.
CREATE TABLE removals (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  network TEXT NOT NULL,
  nick TEXT NOT NULL,
  messages INTEGER NOT NULL
);

CREATE INDEX idx_messages_channel_timestamp ON messages (channel, timestamp DESC);
CREATE INDEX idx_messages_timestamp ON messages (timestamp);
CREATE INDEX messages_by_room ON messages (room, timestamp);
CREATE INDEX messages_by_msgid ON messages (room, msgid) WHERE msgid IS NOT NULL;
