"""Understanding a question: its people, times and words, as far as the history knows them."""

import json
from collections.abc import Sequence

from terrarium_mcp.chat.english import forms, kindred, stem
from terrarium_mcp.chat.named_times import named_times, without
from terrarium_mcp.chat.question import asks_when, people_named, possible_nicks, telling_words
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.functions import storable
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.search.relevance.asked import Asked, Group, Understood
from terrarium_mcp.store.search.relevance.weights import CUT_SHORT, FAMILY, FORM, MENDED, MISTYPED
from terrarium_mcp.store.search.words import Words, beginning, misspelt

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


class Understanding:
    """Reads questions in the light of what was said."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._words = Words(database)

    async def of(self, asked: Asked) -> Understood:
        """What `asked` is about."""
        lines, here, length = await self._size(asked.rooms)
        people, by = await self._people(asked.text, asked.rooms)
        times = named_times(asked.text, asked.now, asked.zone)
        telling = telling_words(without(times, asked.text), people)[:_CONSIDERED]
        one_of_each = {stem(word): word for word in reversed(telling)}.values()
        groups = await self._groups([*reversed(one_of_each)], lines)
        # Words that nobody said come last: they find nothing.
        groups.sort(key=lambda group: group.lines or lines)
        return Understood(
            people,
            times,
            tuple(groups[:MOST_WORDS]),
            asks_when(asked.text),
            lines,
            here,
            by,
            length,
        )

    async def _size(self, rooms: Sequence[Room]) -> tuple[int, int, float]:
        """How many lines there are, in all and in some rooms, and how many words each has."""
        rows = await self._database.rows(
            "SELECT sum(lines), sum(words), sum(lines) FILTER (WHERE"  # noqa: S608 -- ids of ours
            f" {within(rooms)}) FROM room_counts"
        )
        lines, words, here = (told or 1 for told in rows[0])
        return lines, here, words / lines

    async def _people(
        self, text: str, rooms: Sequence[Room]
    ) -> tuple[tuple[str, ...], dict[str, int]]:
        """The people named, the most likely first, and how many lines people said here."""
        nicks = possible_nicks(text)
        rows = await self._database.rows(
            "SELECT folded, sum(lines) FROM nick_counts"  # noqa: S608 -- ids of ours
            f" WHERE {within(rooms)} AND folded IN (SELECT value FROM json_each(:nicks))"
            " GROUP BY folded",
            {"nicks": json.dumps([storable(nick) for nick in nicks])},
        )
        lines_by = {row[0]: row[1] for row in rows}
        as_words = {nick: words_in(nick) for nick in lines_by}
        known = await self._words.lines({word for words in as_words.values() for word in words})
        lines_with = {
            nick: known.get(words[0], 0) for nick, words in as_words.items() if words[1:] == ()
        }
        return people_named(text, lines_by, lines_with), lines_by

    async def _groups(self, telling: Sequence[str], lines: int) -> list[Group]:
        """The telling words, each with what may stand for it in the lines."""
        wanted = {one for word in telling for one in forms(word)}
        wanted |= {one for word in telling for kin in kindred(word) for one in forms(kin)}
        known = await self._words.lines(wanted)
        long = [word for word in telling if len(word) >= _BEGINNING]
        families = await self._words.usual(
            *(beginning(word[:_BEGINNING], len(word) + _LONGER, _LOOKED_AT) for word in long)
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
        words = dict(group.words)
        most = group.lines
        for weight, found in zip((CUT_SHORT, MISTYPED), known, strict=True):
            for other, count in found.items():
                if other != word and count >= _MORE_USUAL * group.lines:
                    counts = MENDED if group.lines else weight
                    words[other] = max(words.get(other, 0.0), counts)
                    most = max(most, count)
        return Group(word, words, group.lines or most)


def _group(word: str, known: dict[str, int], family: dict[str, int]) -> Group:
    root = stem(word)
    alike = {one: n for one, n in family.items() if stem(one) == root}
    alike |= {one: known[one] for one in forms(word) if one in known}
    words = {word: 1.0} | dict.fromkeys(_most_usual(alike, _FORMS), FORM) | {word: 1.0}
    lines = sum(alike[one] for one in words if one in alike)
    for kin, counts in kindred(word).items():
        said = {one: known[one] for one in forms(kin) if one in known}
        for one in _most_usual(said, _KINDRED):
            words.setdefault(one, counts)
    for one in _most_usual(family, _FAMILY):
        words.setdefault(one, FAMILY)
    return Group(word, words, lines)


def _most_usual(lines: dict[str, int], most: int) -> list[str]:
    return sorted(lines, key=lambda word: (-lines[word], word))[:most]
