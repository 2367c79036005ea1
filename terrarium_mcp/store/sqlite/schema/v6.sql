-- Version 6: what people and channels decided about being recorded and answered, and signs of life.
-- FROZEN: files of this version exist, so this text never changes.

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
