-- Version 10: what counts as said to the bot. Any blank ends the name of a command from now on, such
-- as the wide one of Japanese keyboards (`!ask　...`).
-- FROZEN: files of this version exist, so this text never changes.

-- Every line is looked at again, as after a change of the bot's nick.
UPDATE derived SET upto = 0 WHERE name = 'voices' AND upto > 0;
