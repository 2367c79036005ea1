-- Version 11: what counts as said to the bot. A blank may stand before the colon behind its nick
-- (`Terra : ...`), and its nick behind the prefix (`!terra ...`) is nearly a command.
-- FROZEN: files of this version exist, so this text never changes.

-- Every line is looked at again, as after a change of the bot's nick.
UPDATE derived SET upto = 0 WHERE name = 'voices' AND upto > 0;
