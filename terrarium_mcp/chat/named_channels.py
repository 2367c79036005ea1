"""Which channels a question names as the place to look: `what happened in #dev`, `who left #dev?`.

A channel after a word of place is the place. In a question that has no other topic, so is any
other: it asks for what happened there, or was said there. `Tea` is a word before it is a channel:
`in tea` is a place only in a question for what happened there at a time.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import NamedTuple

from terrarium_mcp.chat.identity import CHANNEL_PREFIXES
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import is_put_as_a_question
from terrarium_mcp.chat.questions.places import (
    asks_for_a_time_of_a_place,
    asks_for_all_of_a_place,
)
from terrarium_mcp.chat.terms import TermKind
from terrarium_mcp.chat.times.time_expressions import time_expressions

_PLACES = frozenset({"in", "on", "from", "inside", "within", "at"})
"""Words before a channel that make it a place. `about #dev` and `join #dev` speak of it."""

_TOPICS = frozenset({"of", "about", "for", "to", "with"})
"""Words before a channel that leave the question with it, where that has no other topic."""

_IN = frozenset({"in"})
"""The word before a channel without its `#` that may make it a place: `from ada` names a person."""

_IN_OR_FROM = frozenset({"in", "from"})
_MORE = frozenset({"and", "or"})
_PUNCTUATION = ".,;:!?"


def with_channels_named(
    query: Query, is_channel: Callable[[str], bool], now: datetime, zone: tzinfo
) -> Query:
    """The query with the channels that its words name as operators, and without these words.

    Args:
        query: the query as parsed.
        is_channel: whether a name is that of a channel; what is none stays a word.
        now: when it is asked.
        zone: the reader's zone, for the times that it names.
    """
    named = _NamedChannels(query, tuple(_names(query)))
    bare = enumerate(map(_bare, named.names))
    channels = [n for n, name in bare if _is_like_one(name) and is_channel(name)]
    places = [n for n in channels if named.is_place(n, channels)]
    if places:
        return named.taken(places, _PLACES | _MORE)
    if query.channels or not is_put_as_a_question(query.question):
        return query
    if channels:
        asked = named.taken(channels, _PLACES | _TOPICS | _MORE)
        return asked if asks_for_all_of_a_place(asked.question, now, zone) else query
    return _with_words_as_channels(named, is_channel, now, zone)


def _with_words_as_channels(
    named: "_NamedChannels", is_channel: Callable[[str], bool], now: datetime, zone: tzinfo
) -> Query:
    """A question that may name channels without their `#`, as `with_channels_named` returns it.

    These are no part of a time that it names, such as `may` in `in may`.
    """
    query, words = named.query, named.words_like_channels(_IN, is_channel)
    if not words:
        return query
    asked = named.taken(words, _IN)
    names_same_times = _times(asked, now, zone) == _times(query, now, zone)
    is_place = names_same_times and asks_for_a_time_of_a_place(asked.question, now, zone)
    return asked if is_place else query


def words_like_channels(query: Query, is_channel: Callable[[str], bool]) -> Sequence[str]:
    """The words after `in` or `from` that are the names of channels without their `#`."""
    named = _NamedChannels(query, tuple(_names(query)))
    places = named.words_like_channels(_IN_OR_FROM, is_channel)
    return list(dict.fromkeys(_bare(named.names[n]) for n in places))


def unknown_places(query: Query, is_channel: Callable[[str], bool]) -> Sequence[str]:
    """The words that a query names as places as if they were channels, and that are none."""
    named = _NamedChannels(query, tuple(_names(query)))
    like = [n for n, name in enumerate(named.names) if _is_like_one(_bare(name))]
    words = [_bare(named.names[n]) for n in like if n and named.is_place(n, like)]
    return [word for word in words if _is_meant_as_one(word) and not is_channel(word)]


def _is_meant_as_one(word: str) -> bool:
    """Whether a word after a word of place is a channel's name, and not `+2` or `#1234`."""
    name = word.rpartition("/")[2]
    return name.startswith("#") and not name.lstrip("#").isdecimal()


class _NamedChannels(NamedTuple):
    """A query and the single word of each of its clauses."""

    query: Query
    names: Sequence[str]

    def is_place(self, n: int, channels: Collection[int]) -> bool:
        """Whether a channel follows a word of place or another place, or leads the query."""
        before = self.names[n - 1].lower() if n else ""
        if before in _MORE:
            return n - 2 in channels and self.is_place(n - 2, channels)
        return before in _PLACES or (not n and len(self.names) > 1)

    def words_like_channels(
        self, introducing: Collection[str], is_channel: Callable[[str], bool]
    ) -> Sequence[int]:
        """Which names of channels without their `#` follow one of these words."""
        after = [n for n in range(1, len(self.names)) if self.names[n - 1].lower() in introducing]
        words = [n for n in after if not _is_like_one(self.names[n])]
        return [n for n in words if is_channel(_bare(self.names[n]))]

    def taken(self, places: Sequence[int], introducing: Collection[str]) -> Query:
        """The query with the names at these places as operators, without what introduces them."""
        query, dropped, sentence = self.query, set(places), self.query.sentence
        for n in places:
            dropped |= {n - 1} if n and self.names[n - 1].lower() in introducing else set()
            sentence = _without(self.names[n], introducing, sentence)
        clauses = (clause for n, clause in enumerate(query.clauses) if n not in dropped)
        channels = dict.fromkeys([*query.channels, *(_bare(self.names[n]) for n in places)])
        return replace(query, clauses=tuple(clauses), channels=tuple(channels), sentence=sentence)


def _times(query: Query, now: datetime, zone: tzinfo) -> Sequence[str]:
    """The words of a query that name times."""
    return [time.said for time in time_expressions(query.question, now, zone)]


def _without(name: str, introducing: Collection[str], sentence: str) -> str:
    """The sentence without the first place of that name, and the words that introduce it."""
    before = f"(?:{'|'.join(sorted(introducing))})"
    place = re.compile(rf"(?:(?<!\S){before}\s+)*(?<!\S){re.escape(name)}(?!\S)\s*", re.IGNORECASE)
    return place.sub("", sentence, count=1).strip()


def _names(query: Query) -> Iterator[str]:
    """The single word of each clause; "" for an alternative, a phrase or a prefix."""
    for clause in query.clauses:
        single = len(clause) == 1 and clause[0].kind is TermKind.WORD
        yield clause[0].text if single else ""


def _is_like_one(name: str) -> bool:
    """Whether a name looks like that of a channel: `#dev` or `libera/#dev`."""
    return name.rpartition("/")[2].startswith(tuple(CHANNEL_PREFIXES)) and len(name) > 1


def _bare(name: str) -> str:
    return name.strip(_PUNCTUATION)
