-- Version 9: what counts as said to the bot. `Terra:` alone, the colons and commas of Chinese and
-- Japanese keyboards, `@Terra`, and commands with a letter wrong (`!serch`) do so from now on.
-- FROZEN: files of this version exist, so this text never changes.

-- Every line is looked at again, as after a change of the bot's nick.
UPDATE derived SET upto = 0 WHERE name = 'voices' AND upto > 0;
