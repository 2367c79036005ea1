"""Question analysis: its people, times and words, as far as the history knows them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil, prod, sqrt

from terrarium_mcp.chat.english.words import is_stop_word, related_words, stem, word_forms
from terrarium_mcp.chat.identity import CHANNEL_PREFIXES, fold
from terrarium_mcp.chat.named_people import people_named, possible_nicks
from terrarium_mcp.chat.question import asks_when, content_words, is_literal, version_spellings
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.chat.times.open_times import with_both_ends
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from terrarium_mcp.store.search.relevance.compound_groups import with_compounds
from terrarium_mcp.store.search.relevance.corpus import Corpus
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, PlainQuestion, TermGroup
from terrarium_mcp.store.search.relevance.weights import (
    CUT_SHORT,
    FAMILY,
    FIRST_LETTER,
    FORM,
    MENDED,
    MISTYPED,
)
from terrarium_mcp.store.search.vocabulary_queries import (
    LONGEST_WHOLE,
    Vocabulary,
    VocabularyQuery,
    WordsAmong,
    WordsBeginning,
    WordsMisspelt,
)

MOST_WORDS = 12
"""Content words that are searched for: the rarest."""

_CONSIDERED = 40
"""Content words whose frequency is looked up: the first."""

_FORMS, _KINDRED, _FAMILY = 8, 3, 8
"""Most forms of a word, forms of a related word, and words with the same beginning."""

_BEGINNING, _LONGER, _EXAMINED = 5, 5, 40
"""Letters of that beginning, how many letters a word of the family may have more than the word
itself, and how many words with that beginning are examined, forms of the word among them; as many
completions and corrections are, stop words among them."""

_AKIN = 0.85
"""The share of a word's stem, or of a shorter word, with which both have to begin to be of one
family: `internet` is no kin of `interesting`, and `packard` none of `package`."""

_BEGUN = 1_000
"""Words with a beginning that was asked for whose lines are counted."""

_MERGED, _INSTEAD = 2_000_000, 16
"""Up to this many lines an index merges at each look-up for a beginning (75 ms). One of more, such
as `a*` in ten million lines (5 s on a busy machine), stands for its most frequent words alone."""

_USUAL = 20
"""Lines with a word that is meant as it is. A rarer one may be cut short: where it is never taken
for that, the MRR of 120 lines looked for with such a word is 0.825 instead of 0.843."""

_SHORTEST_MENDED = 4
"""Letters of the shortest word that may be cut short or mistyped."""

_HARDLY_KNOWN = 50_000
"""A word in fewer than one of this many lines may be a slip..."""

_MORE_FREQUENT = 10
"""... of a word that is this many times more frequent."""

_COMPLETIONS = 4
"""Most completions, and most corrections, of a word."""


class QuestionAnalysis:
    """The parsed question of one search, which its rungs share: they differ in its words alone."""

    def __init__(self) -> None:
        self._parsed: ParsedQuestion | None = None

    async def parse(self, question: PlainQuestion, corpus: Corpus) -> ParsedQuestion:
        """What `question` asks; a later rung of the search gets what the first one read.

        Raises:
            TookTooLong: the deadline passed.
        """
        if self._parsed is None:
            self._parsed = await parse_question(question, corpus)
        return self._parsed


async def parse_question(question: PlainQuestion, corpus: Corpus) -> ParsedQuestion:
    """What `question` asks. Words that name a time are no nicks and say nothing else.

    But `by june` names a person called so who said anything here.
    """
    times = time_expressions(question.text, question.now, question.zone)
    certain = tuple(time for time in times if not time.author)
    log = await corpus.statistics(possible_nicks(without_times(certain, question.text)))
    times = tuple(time for time in times if not log.lines_by.get(fold(time.author)))
    text = without_times(times, question.text)
    topics = _topics(question) if log.lines_by else ()  # to fold hundreds of names takes 0.3 ms
    named = people_named(text, log.lines_by, log.lines_with, topics)
    content = content_words(text, named.certain)[:_CONSIDERED]
    speakers = {nick: log.lines_by[nick] for nick in named.ambiguous}
    groups = await _groups(_one_of_each_stem(content), speakers, log.lines, corpus)
    groups = await with_compounds(groups, text, corpus)
    groups += await _begun_groups(question.beginnings, corpus)
    # Words in no line come last: they find nothing.
    groups.sort(key=lambda group: group.lines or log.lines)
    return ParsedQuestion(
        people=named.people,
        times=with_both_ends(times),
        groups=tuple(groups[:MOST_WORDS]),
        asks_when=asks_when(question.text),
        lines=log.lines,
        lines_in_rooms=log.lines_in_rooms,
        lines_by=log.lines_by,
        length=log.words / log.lines,
    )


def _topics(question: PlainQuestion) -> set[str]:
    """The names of the channels asked, which are words there."""
    return {fold(room.channel.lstrip(CHANNEL_PREFIXES)) for room in question.scope.rooms}


def _one_of_each_stem(content: Sequence[str]) -> list[str]:
    """The first word of each stem, in the order in which the stems occur last."""
    words: dict[str, str] = {}
    for word in content:
        root = stem(word)
        words[root] = words.pop(root, word)
    return list(words.values())


async def _groups(
    content: Sequence[str], speakers: Mapping[str, int], lines: int, vocabulary: Vocabulary
) -> list[TermGroup]:
    """The content words, each with the words that may stand for it.

    Those that may be people's nicks are among the `speakers`, with how many lines these said.
    """
    literals = [word for word in content if is_literal(word)]
    content = [word for word in content if not is_literal(word)]
    spelt = (spelling for literal in literals for spelling in version_spellings(literal))
    wanted = {part for spelling in spelt for part in words_in(spelling)}
    wanted |= {one for word in content for one in word_forms(word)}
    wanted |= {one for word in content for kin in related_words(word) for one in word_forms(kin)}
    long = [word for word in content if len(word) >= _BEGINNING]
    known, *families = await vocabulary.most_frequent(
        WordsAmong(wanted),
        *(WordsBeginning(word[:_BEGINNING], len(word) + _LONGER, _EXAMINED) for word in long),
    )
    family = dict(zip(long, families, strict=True))
    groups = [_group(word, known, family.get(word, {})) for word in content]
    groups = [_with_speaker(group, speakers) for group in groups]
    groups = await _mended(groups, lines, vocabulary)
    return [*groups, *(_literal_group(literal, known, lines) for literal in literals)]


async def _begun_groups(beginnings: Sequence[str], vocabulary: Vocabulary) -> list[TermGroup]:
    """Each beginning of a word as a group, which holds as many lines as all words that it begins.

    A look-up finds these words by the beginning, however many there are: but not if most lines hold
    one of them.
    """
    if not beginnings:
        return []
    words = [words_in(beginning) for beginning in beginnings]
    known, *begun = await vocabulary.most_frequent(
        WordsAmong({word for its in words for word in its[:-1]}),
        *(WordsBeginning(its[-1][:LONGEST_WHOLE], LONGEST_WHOLE, _BEGUN) for its in words),
    )
    return [
        _begun_group(beginning, [known.get(word, 0) for word in its[:-1]], found)
        for beginning, its, found in zip(beginnings, words, begun, strict=True)
    ]


def _begun_group(
    beginning: str, lines_before: Sequence[int], begun: Mapping[str, int]
) -> TermGroup:
    """The group of a beginning, and of any words before it, whose lines are given."""
    *before, _ = words_in(beginning)
    merged = sum(begun.values())
    usual = [" ".join([*before, word]) for word in islice(begun, _INSTEAD)]
    words = [beginning] if merged <= _MERGED else usual
    lines = min([merged, *lines_before])
    return TermGroup(
        beginning,
        dict.fromkeys(words, 1.0),
        lines,
        lines,
        is_unsaid=not lines,
        is_guessed=not lines,
    )


def _literal_group(literal: str, known: Mapping[str, int], lines: int) -> TermGroup:
    """A version or a name with signs, with or without the `v` that a version may begin with.

    It counts as if its numbers met by chance: the vocabulary knows only parts of such words. They
    meet some twenty times as often, but a version tells more of a question than its frequency
    does: of the first ten hits for sixty questions with a version (197,000 lines of Ubuntu IRC)
    75 % name it, with its numbers as words of their own 61 %, with the true frequency 57 %.
    """
    said = {
        spelling: [known.get(part, 0) for part in words_in(spelling)]
        for spelling in version_spellings(literal)
    }
    by_chance = sum(lines * prod(count / lines for count in parts) for parts in said.values())
    words = {literal: 1.0} | {
        one: FORM for one, parts in said.items() if one != literal and all(parts)
    }
    found_in = sum(map(min, said.values()))
    return TermGroup(
        literal, words, ceil(by_chance), found_in, is_unsaid=not found_in, is_guessed=not found_in
    )


def _group(word: str, known: Mapping[str, int], family: Mapping[str, int]) -> TermGroup:
    root = stem(word)
    alike = {one: n for one, n in family.items() if stem(one) == root}
    alike |= {one: known[one] for one in word_forms(word) if one in known}
    words = {word: 1.0}  # first, and whole even if `alike` holds it too
    for one in _most_frequent(alike, _FORMS):
        words.setdefault(one, FORM)
    lines = sum(alike[one] for one in words if one in alike)
    for kin, weight in related_words(word).items():
        its = {one: known[one] for one in word_forms(kin) if one in known}
        for one in _most_frequent(its, _KINDRED):
            words.setdefault(one, weight)
    akin = {one: n for one, n in family.items() if _begin_alike(word, one)}
    for one in _most_frequent(akin, _FAMILY):
        words.setdefault(one, FAMILY * _kinship(word, lines, one, family[one]))
    said = {**known, **family}
    found_in = sum(said.get(one, 0) for one in words)
    return TermGroup(word, words, lines, found_in, is_unsaid=not lines, is_guessed=not found_in)


def _with_speaker(group: TermGroup, speakers: Mapping[str, int]) -> TermGroup:
    """The group; if its word may be a nick, with the lines of that person."""
    if not (theirs := speakers.get(group.word, 0)):
        return group
    return replace(
        group, speaker=group.word, lines=group.lines + theirs, is_unsaid=False, is_guessed=False
    )


def _begin_alike(word: str, other: str) -> bool:
    """Whether two words with the same first letters share enough of them to be of one family."""
    return other.startswith(word[: ceil(_AKIN * min(len(stem(word)), len(other)))])


def _kinship(word: str, lines: int, other: str, others: int) -> float:
    """How much of its weight a word of the family in `others` lines has, for one in `lines`.

    `systemd` is no `system`, which is thirty times as frequent. At full weight, 30, 36 and 64 % of
    the first ten hits for "is ... any good?", "what is wrong with ...?" and "who uses ...?" name
    what was asked for; scaled like this, 53, 58 and 78 % (197,000 lines of Ubuntu IRC; 60 words in
    20 to 200 lines). A rarer word is mostly meant as it is, too: `currency` is no `current`.
    """
    may_be_cut = lines < _USUAL and other.startswith(word)
    return 1.0 if not lines or may_be_cut else min(1.0, sqrt(lines / others))


async def _mended(
    groups: Sequence[TermGroup], lines: int, vocabulary: Vocabulary
) -> list[TermGroup]:
    """The groups; whose word is unknown, or hardly known, with the words it may be a slip of."""
    doubtful = [group for group in groups if _may_be_a_slip(group, lines)]
    known = iter(
        await vocabulary.most_frequent(
            *(query for group in doubtful for query in _corrections(group.word))
        )
    )
    meant = {group.word: _with_meant(group, next(known), next(known)) for group in doubtful}
    return [meant.get(group.word, group) for group in groups]


def _may_be_a_slip(group: TermGroup, lines: int) -> bool:
    """Whether a word is hardly known. Digits are no slips: `x220` does not stand for `220`.

    Nor is what may be a nick.
    """
    is_word = group.word.isalpha() and len(group.word) >= _SHORTEST_MENDED and not group.speaker
    return is_word and group.lines * _HARDLY_KNOWN <= lines


def _corrections(word: str) -> tuple[VocabularyQuery, VocabularyQuery]:
    """What the word may be the beginning of, and what it may be mistyped for."""
    longest = len(word) + _LONGER
    return WordsBeginning(word, longest, _EXAMINED), WordsMisspelt(word, _EXAMINED)


def _with_meant(
    group: TermGroup, completions: Mapping[str, int], corrections: Mapping[str, int]
) -> TermGroup:
    """The group with the most frequent of these words that are much more so than its own.

    None is a stop word: `wasm` is no slip of `was`, which would find any line.
    """
    known = (
        {one: found[one] for one in found if one != group.word and not is_stop_word(one)}
        for found in (completions, corrections)
    )
    words, most, found_in = dict(group.words), group.lines, group.found_in
    for unknown_weight, found in zip((CUT_SHORT, MISTYPED), known, strict=True):
        for other, count in islice(found.items(), _COMPLETIONS):
            if count >= _MORE_FREQUENT * group.lines:
                weight = MENDED if group.lines else unknown_weight
                weight *= 1.0 if other[0] == group.word[0] else FIRST_LETTER
                found_in += count if other not in words else 0
                words[other] = max(words.get(other, 0.0), weight)
                most = max(most, count)
    return replace(group, words=words, lines=group.lines or most, found_in=found_in)


def _most_frequent(lines: Mapping[str, int], most: int) -> list[str]:
    return sorted(lines, key=lambda word: (-lines[word], word))[:most]
