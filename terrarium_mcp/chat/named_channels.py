"""Which channels a question names as the place to look: `what happened in #dev`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from terrarium_mcp.chat.identity import CHANNEL_PREFIXES
from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.terms import Term, TermKind

_PLACES = frozenset({"in", "on", "from", "inside", "within", "at"})
"""Words before a channel that make it a place. `about #dev` and `join #dev` speak of it."""

_MORE = frozenset({"and", "or"})
_PUNCTUATION = ".,;:!?"
_INTRODUCING = f"(?:{'|'.join(sorted(_PLACES | _MORE))})"


def with_channels_named(query: Query, is_channel: Callable[[str], bool]) -> Query:
    """The query with the channels that its words name as operators, and without these words.

    Args:
        query: the query as parsed.
        is_channel: whether a name is that of a channel; what is none stays a word.
    """
    clauses: list[tuple[Term, ...]] = []
    channels: list[str] = []
    names, sentence = list(_names(query)), query.sentence
    for n, (name, clause) in enumerate(zip(names, query.clauses, strict=True)):
        before = names[n - 1] if n else ""
        continues = before.lower() in _MORE and n > 1 and names[n - 2] in channels
        is_place = before.lower() in _PLACES or continues or (not n and len(names) > 1)
        channel = name.strip(_PUNCTUATION)
        if _looks_like_a_channel(channel) and is_place and is_channel(channel):
            channels.append(channel)
            names[n] = channel
            if before.lower() in _PLACES | _MORE:
                clauses.pop()
            sentence = _without(name, sentence)
        else:
            clauses.append(clause)
    if not channels:
        return query
    known = dict.fromkeys([*query.channels, *channels])
    return replace(query, clauses=tuple(clauses), channels=tuple(known), sentence=sentence)


def _without(name: str, sentence: str) -> str:
    """The sentence without the first place of that name, and the words that introduce it."""
    place = re.compile(
        rf"(?:(?<!\S){_INTRODUCING}\s+)*(?<!\S){re.escape(name)}(?!\S)\s*", re.IGNORECASE
    )
    return place.sub("", sentence, count=1).strip()


def _names(query: Query) -> Iterator[str]:
    """The single word of each clause; "" for an alternative, a phrase or a prefix."""
    for clause in query.clauses:
        single = len(clause) == 1 and clause[0].kind is TermKind.WORD
        yield clause[0].text if single else ""


def _looks_like_a_channel(name: str) -> bool:
    """Whether it is `#dev` or `libera/#dev`."""
    return name.rpartition("/")[2][:1] in tuple(CHANNEL_PREFIXES) and len(name) > 1
