-- Version 12: words are folded before they are indexed. FTS5 alone leaves й, ё, ά and ß as they are,
-- and a question looks for и, е, α and ss: a question in Russian, Greek, German or Korean missed
-- every word with such a letter.
-- FROZEN: files of this version exist, so this text never changes.

-- The indexes are made again where a word has such a letter: ß, ŉ, Latin letters with two marks, or
-- one of an alphabet from Greek to the extensions of Greek, of Japanese syllables, or of Korean.
UPDATE derived SET upto = -1
WHERE name IN ('index', 'phrases', 'words', 'word_blocks') AND upto > 0
  AND EXISTS (SELECT 1 FROM words WHERE word GLOB '*[ßŉǠ-ǿͰ-῿぀-ヿ가-힣]*');
