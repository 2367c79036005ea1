-- Version 2: the file remembers how an adopted terrarium-irc database was read.
-- FROZEN: files of this version exist, so this text never changes.

-- One row if the database was adopted from another program, none if terrarium-mcp made it.
-- The last three columns are NULL where version 1 adopted it, which did not record them.
CREATE TABLE adoption (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  source TEXT NOT NULL,  -- the program that made the database
  zone TEXT,             -- the time zone in which its local times were read, e.g. Europe/Berlin
  adopted_at TEXT,       -- UTC
  adopted_by TEXT        -- version of terrarium-mcp
);
INSERT INTO adoption (id, source)
  SELECT 1, 'terrarium-irc'
  WHERE EXISTS (SELECT 1 FROM spans WHERE source = 'terrarium-irc')
     OR EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'conversation_history');
