-- Version 14: of people who opted in again it is known from when to when they had opted out.
-- FROZEN: files of this version exist, so this text never changes.

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
