-- Version 3: fewer indexes of `messages`, so that a line takes less room and writes fewer pages.
-- FROZEN: files of this version exist, so this text never changes.

-- Only terrarium-irc reads these. The first took 74 bytes a line, half of all indexes: a falling one
-- leaves its pages half empty. Without it the newest lines of a channel are found by
-- idx_messages_timestamp. The other two are only in a database that terrarium-irc made.
DROP INDEX IF EXISTS idx_messages_channel_timestamp;
DROP INDEX IF EXISTS idx_messages_nick;
DROP INDEX IF EXISTS idx_messages_type;

-- Rows without a room: those that another program appended, until they are normalised. Nothing else
-- is in it, so a line of ours does not touch it.
CREATE INDEX messages_without_room ON messages (room) WHERE room IS NULL;
