-- Version 16: where a URL in a line ends, and what counts as said to the bot. URLs end before ！ ： ； ？
-- ［ ］ 〔 〕 ‘ ‹ › from now on, and ، ؛ ؟ ۔ । ॥ at their end belong to the sentence. The Arabic comma behind
-- the bot's nick (`Terra، ...`) addresses it.
-- FROZEN: files of this version exist, so this text never changes.

-- The links are rebuilt where such a sign follows the beginning of a URL. The index and the
-- counters, which take minutes for ten million lines, hold only whether a line has a link: they are
-- rebuilt where that may differ. In a URL that begins with a plain host (`a.example/...`) no sign
-- can change it, unless it was too long to be a link.
WITH signs (behind_scheme, anywhere) AS (
  SELECT '*://*' || sign || '*', '*' || sign || '*'
  FROM (SELECT '[' || char(
    0xFF01, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF3B, 0xFF3D, 0x3014, 0x3015, 0x2018, 0x2039, 0x203A,
    0x60C, 0x61B, 0x61F, 0x6D4, 0x964, 0x965) || ']' AS sign)
)
UPDATE derived SET upto = -1
WHERE name IN ('links', 'index', 'counters') AND upto > 0
  AND EXISTS (SELECT 1 FROM signs CROSS JOIN messages WHERE message GLOB behind_scheme)
  AND (name = 'links' OR EXISTS (
    SELECT 1 FROM signs CROSS JOIN messages m WHERE m.message GLOB behind_scheme AND EXISTS (
      WITH RECURSIVE url (rest) AS (
        SELECT substr(CAST(m.message AS TEXT), instr(CAST(m.message AS TEXT), '://') + 3)
        UNION ALL SELECT substr(rest, instr(rest, '://') + 3) FROM url WHERE instr(rest, '://')
      )
      SELECT 1 FROM url WHERE length(rest) > 1990 OR (
        substr(rest, 1, instr(rest || ' ', ' ') - 1) GLOB anywhere
        AND (rest NOT GLOB '[0-9A-Za-z]*' OR
          -- Not a plain host: what follows it neither begins a path nor ended a URL before.
          ltrim(rest, '-.0123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz')
          GLOB '[^/?# "<>' || char(0xAB, 0xBB, 0x201C, 0x201D, 0x3000, 0x3001, 0x3002, 0x300A,
            0x300B, 0x300C, 0x300D, 0x300E, 0x300F, 0x3010, 0x3011, 0xFF08, 0xFF09, 0xFF0C) || ']*')
      )
    )
  ));

-- Every line is looked at again, as after a change of the bot's nick, if one has an Arabic comma.
UPDATE derived SET upto = 0 WHERE name = 'voices' AND upto > 0
  AND EXISTS (SELECT 1 FROM messages WHERE message GLOB '*' || char(0x60C) || '*');
