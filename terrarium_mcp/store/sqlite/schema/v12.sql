-- Version 12: words are folded before they are indexed. FTS5 alone leaves й, ё, ά, ß, ł and ı as they
-- are, and a question looks for и, е, α, ss, l and i: in Russian, Greek, German or Korean it missed
-- every word with such a letter.
-- FROZEN: files of this version exist, so this text never changes.

-- The indexes are made again where a line has a character that is indexed otherwise than before:
-- some Latin letters, combining marks, other alphabets, kana, Korean, and forms of another width.
UPDATE derived SET upto = -1
WHERE name IN ('index', 'phrases', 'words', 'word_blocks') AND upto > 0
  AND EXISTS (SELECT 1 FROM messages WHERE message GLOB '*[' ||
  char(0xC6) || char(0xD0) || char(0xD8) || char(0xDE) || '-' || char(0xDF) || char(0xE6) ||
  char(0xF0) || char(0xF8) || char(0xFE) || char(0x110) || '-' || char(0x111) || char(0x126) ||
  '-' || char(0x127) || char(0x131) || char(0x141) || '-' || char(0x142) || char(0x149) ||
  char(0x152) || '-' || char(0x153) || char(0x166) || '-' || char(0x167) || char(0x1E0) || '-'
  || char(0x1E3) || char(0x1EE) || '-' || char(0x1EF) || char(0x1FC) || '-' || char(0x1FF) ||
  char(0x2BC) || '-' || char(0x6D3) || char(0x929) || '-' || char(0xA5E) || char(0xB5C) || '-'
  || char(0xB94) || char(0xF43) || '-' || char(0xF69) || char(0x1026) || char(0x1100) || '-' ||
  char(0x11FF) || char(0x13F8) || '-' || char(0x13FD) || char(0x1B06) || '-' || char(0x1B12) ||
  char(0x1C80) || '-' || char(0x1CBF) || char(0x1E9A) || '-' || char(0x1FFD) || char(0x2ADC) ||
  char(0x2C2F) || char(0x304C) || '-' || char(0x30FE) || char(0xA698) || '-' || char(0xA69A) ||
  char(0xA796) || '-' || char(0xA7F5) || char(0xAB70) || '-' || char(0xD7A3) || char(0xF900) ||
  '-' || char(0xFB4E) || char(0xFF10) || '-' || char(0xFFDC) || char(0x104B0) || '-' ||
  char(0x104D3) || char(0x10570) || '-' || char(0x10595) || char(0x10C80) || '-' ||
  char(0x10CB2) || char(0x1109A) || '-' || char(0x110AB) || char(0x118A0) || '-' ||
  char(0x118BF) || char(0x16E40) || '-' || char(0x16E5F) || char(0x1D15E) || '-' ||
  char(0x1D1C0) || char(0x1E900) || '-' || char(0x1E921)
  || ']*');
