-- Version 4: who speaks in a line, and which lines are not evidence.
-- FROZEN: files of this version exist, so this text never changes.

-- The rules by which `voices` is made, one row for each network. The one named '' has those of all
-- others. `relays` is JSON: [[nick, how its lines begin], ...].
CREATE TABLE voice_rules (
  network TEXT PRIMARY KEY,
  nick TEXT NOT NULL,    -- of the bot
  prefix TEXT NOT NULL,  -- of its commands
  relays TEXT NOT NULL
) WITHOUT ROWID;

-- ---- Derived from `messages` and the voice rules -------------------------------------------------

-- Messages that a relay carried, and asides: what the bot said (1) and commands to it (2).
CREATE TABLE voices (
  id INTEGER PRIMARY KEY,  -- of the message
  aside INTEGER,
  speaker TEXT,            -- whose words a relay carried
  text_at INTEGER          -- at which character of the message they begin, from 1
);
CREATE INDEX asides ON voices (id) WHERE aside NOT NULL;

DROP VIEW message_index_source;

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

DROP VIEW phrase_index_source;

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

-- `lines` of a nick are those of which it is the speaker, without asides; these are counted here.
ALTER TABLE nick_counts ADD COLUMN asides INTEGER NOT NULL DEFAULT 0;
