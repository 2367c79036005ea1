"""The weights of the ranking.

All are relative to the question, whose content words weigh ten points together: so a weight means
the same in a log of 500 lines and in one of ten million. They come from a non-negative linear fit
on the development half of LoCoMo (Maharana et al. 2024), judged by leaving one dialogue out at a
time, and were rounded; the speaker's was then lowered, so that a question that names the wrong
person is answered too. ALL_TERMS was found on known items of real IRC, TAKES_PART on the same
dialogues among a million other lines.
"""

from datetime import timedelta

POINTS = 10.0
"""Points of all content words of a question together. One that names a person gets fewer: asking
words count only `ASKING`, and fewer than `BESIDE_A_PERSON` words are scaled down."""

BESIDE_A_PERSON = 3
"""`why did bo leave?` asks for what bo said rather than for any line with the one word. LoCoMo's
recall at five is 74.1 instead of 73.5. Where nobody is named, to count asking words in full in the
divisor loses one answer of 39."""

PROXIMITY = 0.5
"""Words in the line or close by, measured as BM25 does."""

COVERAGE = 0.2
"""The share of the question's words that the line itself holds."""

QUESTION_CARRYOVER = 0.25
"""Words that the previous line, a question, adds to this one."""

NEARBY = 0.35
"""The share of the question's words said within `NEAR` lines: the conversation is about this."""

ALL_TERMS = 1.0
"""The line holds all words of the question; in points, as are all that follow."""

SPEAKER = 1.2
"""The line is by the one person that the question names."""

FIRST_SPEAKER = 0.6
"""The line is by the first of several people that the question names."""

ADDRESSED = 0.9
"""The line calls a person that the question names: an answer to them, or what they were told. Not
where it names a time as well: any line by or to them is a candidate then, and these would hide what
the person said."""

SPEAKS_OF_SELF = 0.6
"""That person speaks of himself or herself."""

TAKES_PART = 5.0
"""That person takes part in the passage: it matters where many channels are searched at once."""

STATEMENT = 0.5
"""The line is not a question itself."""

TELLS_WHEN = 1.5
"""The question asks when, and the line names a time."""

OF_THE_TIME = 5.0
"""The line is from a time that the question names."""

LONG_TIME, OF_A_LONG_TIME = timedelta(days=45), 2.5
"""A season or a year is remembered less exactly: its points, and from which length on."""

LEADS = 0.4
"""The share of the most points by words from which on a line of that time leads all others. With .3
recall at ten of LoCoMo is 79.9 instead of 80.3, with all lines of that time 79.3; without it 80.2,
but then another time leads in four of twenty questions that name one."""

FADES = (0.6, 0.36)
"""The share of a word's weight one line away, and two."""

ASKED_BEFORE = 0.9
"""Its share in the question right before the line."""

REPLIED = 0.6
"""Its share between a line and a reply that names its author, up to `LATER` lines below."""

SILENCE = 900
"""Seconds of silence in a room beyond which the words of other lines no longer count."""

NEAR = 4
"""Lines on each side of a candidate whose words count. Six add nothing to the first ten answers
and make a question in a channel of ten million lines a tenth slower."""

PROMISES = 0.5
"""Beyond half of the candidates whose neighbours may be read, only lines with this share of the
most points by themselves are promising. For ten hits the neighbours of 18 lines are read instead of
24 (Ubuntu IRC), which takes a tenth less time. Of the development questions it finds as many;
LoCoMo's recall at ten is 80.91 instead of 80.93, in all dialogues at once 79.98 instead of 79.82.
"""

JUDGED = 3
"""The best lines, by which an answer is judged: the first may be a stray."""

LATER = 10
"""Lines below a candidate that are read: in a busy channel a reply comes seven to ten later."""

REPLIES_TO = 20
"""Candidates, the best, below which so many lines are read; below the others `NEAR`. For all of
them it costs a fifth more and finds no more."""

SAYS_LITTLE, SAYS_SOMETHING = 0.7, 2
"""What a line loses that holds no word of the question, follows no question that does, and has
fewer content words than this, as `lol` beside an answer. Of 125 questions among the training
logs one more is answered (81.6 % instead of 80.8)."""

REPEATED, LONG = 0.1, 40
"""A line that repeats the text of a better one, address aside, loses this share of its points if
the text has at least `LONG` characters: what a bot explains, a question asked twice. A shorter one
says another thing in another conversation. Of the first ten hits for 125 questions, 1.0 % repeat a
better one instead of 2.2 %; of 300 lines looked for in seven ways, one less is found in two."""

BM25_K1, BM25_B = 0.9, 0.4
"""BM25's k1 and b (Robertson and Zaragoza 2009): chat lines are short and repeat little."""

RARITY = 0.7
"""The power to which a word's idf is raised: less than 1 keeps one rare word from dominating."""

ASKING = 0.3
"""The share of its weight that a word of asking has, such as `recommend`: few answers repeat it."""

FORM, FAMILY = 0.8, 0.5
"""Another form of the word (`painted` for `paints`), and a word with the same beginning."""

SPEAKS = 0.8
"""A line by a nick that may as well be a word asked for counts as one with the word, but a little
less. With 1 the MRR of 125 questions is 0.574 instead of 0.578."""

CUT_SHORT, MISTYPED, MENDED = 0.8, 0.9, 0.5
"""For a word the history does not know: a completion, and a word one letter away. The last is for
either of them where the history knows the word, but hardly."""

FIRST_LETTER = 0.5
"""The share of that for a word with another first letter, which few people mistype: `kubernets` is
`kubernetes` rather than somebody called `ubernets`."""
