-- Version 7: which imports there were, and which lines each log that they read has.
-- FROZEN: files of this version exist, so this text never changes.

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

-- The import that a span comes from.
ALTER TABLE spans ADD COLUMN import INTEGER REFERENCES imports;
CREATE INDEX spans_by_import ON spans (import) WHERE import NOT NULL;
