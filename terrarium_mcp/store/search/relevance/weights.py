"""What counts how much when lines are ranked.

All is measured against the question itself, whose telling words weigh ten points together, so that
a weight means the same in a log of 500 lines and in one of ten millions. Found by a non-negative
linear fit on the development half of LoCoMo (Maharana et al. 2024), judged by leaving one dialogue
out at a time, and rounded; then the speaker's lowered, so that a question that names the wrong
person is answered too. `whole` was found on known items of real IRC, `takes_part` on the same
dialogues among a million other lines.
"""

POINTS = 10.0
"""What all telling words of a question weigh together."""

HERE = 0.5
"""Words said in the line or close by, in BM25's measure."""

COVERED = 0.2
"""The share of the question's words that the line itself holds."""

HANDED_OVER = 0.25
"""Words that the line before, a question, hands to this one."""

NEARBY = 0.35
"""The share of the question's words said within `NEAR` lines: the talk is about this."""

WHOLE = 1.0
"""The line holds all words of the question; in points, as are all that follow."""

SPEAKER = 1.2
"""Said by the one person that the question names."""

FIRST_SPEAKER = 0.6
"""Where it names several: said by the first of them."""

OF_HIMSELF = 0.6
"""That person speaks of himself."""

TAKES_PART = 3.0
"""That person takes part in the talk: it matters where many channels are searched at once."""

STATEMENT = 0.5
"""The line is no question itself."""

TELLS_WHEN = 1.5
"""The question asks when, and the line names a time."""

OF_THE_TIME = 5.0
"""The line is of a time that the question names."""

FADES = (0.6, 0.36)
"""What a word counts one line away, and two."""

ASKED_BEFORE = 0.9
"""What it counts in the question right before the line."""

SILENCE = 900
"""Seconds without a word that end a talk: no word reaches over them."""

NEAR = 4
"""Lines on each side of a candidate that are read. Six find no more in the first ten answers, and
a question in a channel of ten million lines then takes a tenth longer."""

SATURATION, LENGTH = 0.9, 0.4
"""BM25's k1 and b (Robertson and Zaragoza 2009): chat lines are short and repeat little."""

RARITY = 0.7
"""The power of a word's idf that counts: less than 1 keeps one rare word from ruling."""

FORM, FAMILY = 0.8, 0.5
"""Another form of the word (`painted` for `paints`), and a word with the same beginning."""

CUT_SHORT, MISTYPED, MENDED = 0.8, 0.9, 0.5
"""For a word that the log does not know: how it may go on, the same but for one letter; and either
where the log knows it, but hardly."""
