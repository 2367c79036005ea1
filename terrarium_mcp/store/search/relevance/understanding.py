"""Understanding a question: its people, times and words, as far as the history knows them."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from terrarium_mcp.chat.english import forms, kindred, stem
from terrarium_mcp.chat.named_times import named_times, without
from terrarium_mcp.chat.question import asks_when, people_named, possible_nicks, telling_words
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.search.relevance.asked import Asked, Group, Understood
from terrarium_mcp.store.search.relevance.weights import CUT_SHORT, FAMILY, FORM, MENDED, MISTYPED
from terrarium_mcp.store.search.words import Words, among, beginning, misspelt

MOST_WORDS = 12
"""Telling words that are looked up: the rarest."""

_CONSIDERED = 40
"""Telling words of which that is asked: the first."""

_FORMS, _KINDRED, _FAMILY = 8, 3, 8
"""Most forms of a word, forms of a kindred word, and words with the same beginning."""

_BEGINNING, _LONGER, _LOOKED_AT = 5, 5, 40
"""Letters of that beginning, how many more a word of the family may have than the word itself, and
how many are looked at, forms of the word among them."""

_SHORTEST_MENDED = 4
"""Letters of the shortest word that may be cut short or mistyped."""

_HARDLY_KNOWN = 50_000
"""A word in fewer than one of so many lines may be a slip..."""

_MORE_USUAL = 10
"""... of a word that is so many times more usual."""

_COMPLETIONS = 4
"""Most ways in which a word goes on, or is spelt right."""


class _Log(NamedTuple):
    """How many lines and words there are, and lines `here`, in the rooms that are asked about.

    Of the names in a question: how many lines here are `by` each, and how many lines there are
    `with_name` in them.
    """

    lines: int
    words: int
    here: int
    by: dict[str, int]
    with_name: dict[str, int]


class Understanding:
    """Reads questions in the light of what was said."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._words = Words(database)

    async def of(self, asked: Asked) -> Understood:
        """What `asked` is about."""
        log = await self._log(asked)
        people = people_named(asked.text, log.by, log.with_name)
        times = named_times(asked.text, asked.now, asked.zone)
        telling = telling_words(without(times, asked.text), people)[:_CONSIDERED]
        one_of_each = {stem(word): word for word in reversed(telling)}.values()
        groups = await self._groups([*reversed(one_of_each)], log.lines)
        # Words that nobody said come last: they find nothing.
        groups.sort(key=lambda group: group.lines or log.lines)
        return Understood(
            people,
            times,
            tuple(groups[:MOST_WORDS]),
            asks_when(asked.text),
            log.lines,
            log.here,
            log.by,
            log.words / log.lines,
        )

    async def _log(self, asked: Asked) -> "_Log":
        """What there is to know before a question is understood, in one statement."""
        nicks = [storable(nick) for nick in possible_nicks(asked.text)]
        names = {nick: words[0] for nick in nicks if len(words := words_in(nick)) == 1}
        here = within(asked.rooms)
        rows = await self._database.rows(
            "SELECT NULL, sum(lines), sum(words),"  # noqa: S608 -- ids of ours
            f" sum(lines) FILTER (WHERE {here}) FROM room_counts"
            f" UNION ALL SELECT folded, sum(lines), NULL, NULL FROM nick_counts WHERE {here}"
            " AND folded IN (SELECT value FROM json_each(:nicks)) GROUP BY folded"
            " UNION ALL SELECT key, NULL, lines, NULL"
            " FROM json_each(:names) CROSS JOIN words ON word = value",
            {"nicks": json.dumps(nicks), "names": json.dumps(names)},
        )
        (_, lines, words, said_here), *found = rows
        return _Log(
            lines or 1,
            words or 1,
            said_here or 1,
            {nick: count for nick, count, _, _ in found if count is not None},
            {nick: count for nick, _, count, _ in found if count is not None},
        )

    async def _groups(self, telling: Sequence[str], lines: int) -> list[Group]:
        """The telling words, each with what may stand for it in the lines."""
        wanted = {one for word in telling for one in forms(word)}
        wanted |= {one for word in telling for kin in kindred(word) for one in forms(kin)}
        long = [word for word in telling if len(word) >= _BEGINNING]
        known, *families = await self._words.usual(
            among(wanted),
            *(beginning(word[:_BEGINNING], len(word) + _LONGER, _LOOKED_AT) for word in long),
        )
        family = dict(zip(long, families, strict=True))
        groups = [_group(word, known, family.get(word, {})) for word in telling]
        return [await self._mended(group, lines) for group in groups]

    async def _mended(self, group: Group, lines: int) -> Group:
        """A group whose word the log does not know, or hardly, with what was meant perhaps."""
        word = group.word
        if len(word) < _SHORTEST_MENDED or group.lines * _HARDLY_KNOWN > lines * (group.lines > 0):
            return group
        known = await self._words.usual(
            beginning(word, len(word) + _LONGER, _COMPLETIONS + 1), misspelt(word, _COMPLETIONS)
        )
        words, most, found_in = dict(group.words), group.lines, group.found_in
        for weight, found in zip((CUT_SHORT, MISTYPED), known, strict=True):
            for other, count in found.items():
                if other != word and count >= _MORE_USUAL * group.lines:
                    counts = MENDED if group.lines else weight
                    found_in += count if other not in words else 0
                    words[other] = max(words.get(other, 0.0), counts)
                    most = max(most, count)
        return Group(word, words, group.lines or most, found_in)


def _group(word: str, known: dict[str, int], family: dict[str, int]) -> Group:
    root = stem(word)
    alike = {one: n for one, n in family.items() if stem(one) == root}
    alike |= {one: known[one] for one in forms(word) if one in known}
    words = {word: 1.0} | dict.fromkeys(_most_usual(alike, _FORMS), FORM) | {word: 1.0}
    lines = sum(alike[one] for one in words if one in alike)
    for kin, counts in kindred(word).items():
        its = {one: known[one] for one in forms(kin) if one in known}
        for one in _most_usual(its, _KINDRED):
            words.setdefault(one, counts)
    for one in _most_usual(family, _FAMILY):
        words.setdefault(one, FAMILY)
    said = known | family
    return Group(word, words, lines, sum(said.get(one, 0) for one in words))


def _most_usual(lines: dict[str, int], most: int) -> list[str]:
    return sorted(lines, key=lambda word: (-lines[word], word))[:most]
