"""Whether the best lines are likely to answer a question at all. Pure.

The numbers were found on 155 questions over 12,000 lines of real IRC, alone and among 196,000
others, of which 30 have no answer there (bench/quality/questions), and on the development dialogues
of LoCoMo, asked of their own talk and, with other names, of that IRC.
"""

from math import log10

from terrarium_mcp.chat.english.words import is_asking_word
from terrarium_mcp.store.search.relevance import weights
from terrarium_mcp.store.search.relevance.question import ParsedQuestion
from terrarium_mcp.store.search.relevance.ranking import JudgedLine, RankedAnswer
from terrarium_mcp.store.search.relevance.scoring import rarity

_SHARPNESS = 1.5
"""The power of a word's rarity here, more than in the ranking: what a question is about, people
mostly say with its rarest word."""

_WITHOUT_THE_PERSON = 0.4
"""What the words count for where the person that the question names takes no part: the person's own
talk is looked for, so most likely nothing of the kind was said there."""

_WITH_THE_PERSON, _FEW_LINES = 0.1, 0.3
"""What is added where that person takes part, and where it is one of few lines: what was asked is
likely among these."""

_LEAST, _MORE_LINES = 0.43, 0.055
"""The least share of the question in ten thousand lines, and what is added for ten times as many:
the more lines, the more words meet by chance."""

_USUAL, _MORE_WORDS, _LEAST_OF_MANY = 3, 0.06, 0.1
"""Beyond `_USUAL` content words each further one lowers the required share, down to
`_LEAST_OF_MANY`: an answer repeats little of a long question."""


def is_weak(answer: RankedAnswer) -> bool:
    """Whether even the best lines are unlikely to answer the question.

    They are if no line holds anything of what it asks: each word that they hold is another one.
    """
    return answer.parsed.is_guessed or confidence(answer) < _least(answer.parsed)


def confidence(answer: RankedAnswer) -> float:
    """How much of the question is said around one of the best lines, about 0 to 1."""
    shares = _shares(answer.parsed)
    return max((_said(line, answer.parsed, shares) for line in answer.judged), default=0.0)


def _least(parsed: ParsedQuestion) -> float:
    """The share of a question from which on its best line may answer it."""
    least = _LEAST + _MORE_LINES * max(0.0, log10(parsed.lines) - 4)
    return max(_LEAST_OF_MANY, least - _MORE_WORDS * max(0, len(parsed.groups) - _USUAL))


def _shares(parsed: ParsedQuestion) -> list[float]:
    """The share of the question that each of its term groups is."""
    weighed = [
        rarity(group.lines, parsed.lines) ** _SHARPNESS
        * (weights.ASKING if is_asking_word(group.word) else 1.0)
        for group in parsed.groups
    ]
    whole = sum(weighed) or 1.0
    return [weight / whole for weight in weighed]


def _said(line: JudgedLine, parsed: ParsedQuestion, shares: list[float]) -> float:
    """The share of the question said near a line; a form of a word is less than the word."""
    said = sum(shares[group] * weight for group, weight in line.near.items())
    if not parsed.people:
        return said
    if not line.with_person:
        return said * _WITHOUT_THE_PERSON
    has_few_lines = any(map(parsed.has_few_lines, parsed.people))
    return said + (_FEW_LINES if has_few_lines else _WITH_THE_PERSON)
