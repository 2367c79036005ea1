-- Version 17: what counts as said to the bot, and what files of the versions 12 and 16 lack that were
-- made while these had another text. Marks of direction and the like may precede a command.
-- A relay's name loses every character that cannot be seen, but keeps the joiners that its script or
-- an emoji needs; and ł, ø, æ, ı and their kin, wide letters and pointed ones are folded in the index.
-- FROZEN: files of this version exist, so this text never changes.

-- Every line is looked at again, as after a change of the bot's nick, if one begins with such a mark
-- (behind formatting codes, too), or if there are relays. To find the lines of these whose names are
-- others now would take longer (50 us for a set of 32 ranges), and hold up the start: the lines are
-- looked at while others are recorded.
WITH marks (one) AS (
  SELECT '[' || char(0xAD, 0x61C, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x202A, 0x202B,
    0x202C, 0x202D, 0x202E, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2065, 0x2066, 0x2067, 0x2068,
    0x2069, 0xFEFF) || ']'
)
UPDATE derived SET upto = 0 WHERE name = 'voices' AND upto > 0
  AND (EXISTS (SELECT 1 FROM voice_rules WHERE relays <> '[]')
    OR EXISTS (SELECT 1 FROM marks CROSS JOIN messages
      WHERE message GLOB one || '*' OR (message < ' ' AND message GLOB '*' || one || '*')));

-- The indexes are rebuilt where the vocabulary has a letter that is folded: they were filled before it
-- was. Points of Hebrew and Arabic cut words, which a vocabulary does not show: where one of its words
-- has a letter of these, a line with a point decides. (Of events, which it does not hold, nothing is
-- known.)
UPDATE derived SET upto = -1
WHERE name IN ('index', 'phrases', 'words', 'word_blocks') AND upto > 0
  AND (EXISTS (SELECT 1 FROM words
    -- The first range decides for nearly every word.
    WHERE word GLOB '*[' || char(0xE6) || '-' || char(0x10FFFF) || ']*' AND word GLOB '*[' ||
    char(0xE6) || char(0xF0) || char(0xF8) || char(0xFE) || char(0x111) || char(0x127) ||
    char(0x131) || char(0x142) || char(0x149) || char(0x153) || char(0x167) || char(0x2BC) ||
    char(0x622) || '-' || char(0x626) || char(0x640) || char(0x6C0) || char(0x6C2) ||
    char(0x6D3) || char(0xFB00) || '-' || char(0xFB1F) || char(0xFB2A) || '-' || char(0xFB4E) ||
    char(0xFF10) || '-' || char(0xFF9D) || ']*')
  OR (EXISTS (SELECT 1 FROM words
    WHERE word GLOB '*[' || char(0x5D0) || '-' || char(0x64A) || ']*')
  AND EXISTS (SELECT 1 FROM messages WHERE message GLOB '*[' ||
    char(0x591) || '-' || char(0x5BD) || char(0x5BF) || char(0x5C1) || '-' || char(0x5C2) ||
    char(0x5C4) || '-' || char(0x5C5) || char(0x5C7) || char(0x64B) || '-' || char(0x655) ||
    char(0x670) || char(0xFB1D) || '-' || char(0xFB4E) || ']*')));
