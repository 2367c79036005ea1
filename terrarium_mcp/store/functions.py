"""The functions our SQL uses besides SQLite's own. All are pure.

They are given columns as BLOB, so that not even text that is no UTF-8 can make a statement fail.
"""

import json
from binascii import crc_hqx
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from struct import pack
from typing import Any

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.mentions import mentions
from terrarium_mcp.chat.records import SPEECH, Kind
from terrarium_mcp.chat.terms import (
    RESERVED_PREFIX,
    Term,
    TermKind,
    encoded_words,
    holds,
    segment,
)
from terrarium_mcp.chat.urls import urls_in


def as_text(column: object) -> str:
    """What a column holds as text, whatever another program may have put there."""
    if isinstance(column, str):
        return column
    if isinstance(column, bytes):
        return column.decode("utf-8", "replace")
    return "" if column is None else str(column)


def storable(text: str) -> str:
    """`text` as SQLite can hold it: a lone surrogate, which UTF-8 does not have, becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def indexed_text(message: object) -> str:
    """The words of a message, without formatting codes: what the index holds."""
    return segment(plain(as_text(message)))


def pair_words(message: object) -> str:
    """The words under which the phrase index finds a message: its pairs."""
    return pairs(plain(as_text(message)))


def pairs(text: str) -> str:
    """Each two words that follow on each other as one word: the 16 bits of a CRC, in four digits.

    Without that there would be more different ones than half of the lines. (Nothing of it runs in
    Python: it is done for every line.)
    """
    words = encoded_words(text)
    hashed = map(crc_hqx, words[1:], map(crc_hqx, words, repeat(0)))
    return pack(f">{max(0, len(words) - 1)}H", *hashed).hex(" ", 2)


def scope_words(room: int, nick: bytes | None, kind: bytes | None, message: object) -> str:
    """The words under which the index finds a message by room, nick, type, and whether it links."""
    was_said, of_kind = _words_of_kind(kind)
    its_room = room_word(room) if was_said else events_word(room)
    its_nick = nick_word(as_text(nick))
    linked = f" {own(LINK_WORD)}" if message and urls_in(as_text(message)) else ""
    return f"{RESERVED_PREFIX}{its_room} {of_kind} {RESERVED_PREFIX}{its_nick}{linked}"


def own(word: str) -> str:
    """An index word of ours, as it stands in the index."""
    return f"{RESERVED_PREFIX}{word}"


@lru_cache(maxsize=100)  # asked for every line that is indexed, and there are twelve
def _words_of_kind(kind: bytes | None) -> tuple[bool, str]:
    """Whether a message type is speech, and the words that tell it."""
    its_kind = Kind.of(as_text(kind))
    return its_kind in SPEECH, " ".join(map(own, kind_words(its_kind)))


def room_word(room: int) -> str:
    """The index word of what was said in a room."""
    return f"r{room}"


def events_word(room: int) -> str:
    """The index word of the events of a room."""
    return f"e{room}"


LINK_WORD = "tlink"
"""The index word of messages with a link in them."""

NO_WORD = "tnothing"
"""An index word of no message."""

SPOKEN_WORD = "tsaid"
"""The index word of everything that was said. PRIVMSG, most of it, has no other for its type."""


def kind_words(kind: Kind) -> list[str]:
    """The index words that tell a message's type."""
    if kind not in SPEECH:
        return [kind_word(kind)]
    return [SPOKEN_WORD] if kind is Kind.PRIVMSG else [SPOKEN_WORD, kind_word(kind)]


def kind_word(kind: Kind) -> str:
    """The index word of a message type. That of PRIVMSG is the word of all that was said."""
    return SPOKEN_WORD if kind is Kind.PRIVMSG else f"t{kind.lower()}"


@lru_cache(maxsize=10_000)  # few people say most of the lines
def nick_word(nick: str) -> str:
    """The index word of a nick. It is folded more than any network folds."""
    folded = fold(nick.casefold()).encode("utf-8", "surrogatepass").hex()
    return f"n{folded}" if nick.isascii() else f"u{folded}"


def nick_words(nick: str) -> tuple[str, str]:
    """The index words of all spellings of a nick under any CASEMAPPING: in ASCII, and the others.

    They find too much rather than too little; the rows are then compared under the network's own
    mapping. (Of "k" there is a spelling that is not in ASCII: the Kelvin sign.)
    """
    folded = nick_word(nick)[1:]
    return f"n{folded}", f"u{folded}"


def is_among(nick: object, nicks: object, casemapping: object) -> bool:
    """Whether `nick` is one of `nicks` (a JSON list) under a network's CASEMAPPING."""
    return fold(as_text(nick), as_text(casemapping)) in _folded(nicks, casemapping)


def speaks_of(message: object, nicks: object, casemapping: object) -> bool:
    """Whether a message mentions every one of `nicks` (a JSON list) under a CASEMAPPING."""
    text, mapping = plain(as_text(message)), as_text(casemapping)
    return all(mentions(text, nick, mapping) for nick in _folded(nicks, casemapping))


def satisfies(message: object, terms: object) -> bool:
    """Whether a message holds the terms of a `Demand`, read word by word."""
    line, demand = plain(as_text(message)), _demand(terms)
    return all(any(holds(line, term) for term in clause) for clause in demand.clauses) and not any(
        holds(line, term) for term in demand.excluded
    )


@dataclass(frozen=True, slots=True)
class Demand:
    """Terms of a query that only the text of a line can answer."""

    clauses: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clauses or self.excluded)

    def to_json(self) -> str:
        """As a parameter of `satisfies`."""
        clauses = [[_packed(term) for term in clause] for clause in self.clauses]
        return json.dumps([clauses, [_packed(term) for term in self.excluded]])


@lru_cache(maxsize=100)  # asked for every line that may be wanted, as is the other
def _demand(terms: object) -> Demand:
    clauses, excluded = json.loads(as_text(terms))
    return Demand(
        tuple(tuple(map(_unpacked, clause)) for clause in clauses), tuple(map(_unpacked, excluded))
    )


@lru_cache(maxsize=100)
def _folded(nicks: object, casemapping: object) -> tuple[str, ...]:
    return tuple(fold(nick, as_text(casemapping)) for nick in json.loads(as_text(nicks)))


def _packed(term: Term) -> tuple[str, str]:
    return term.text, term.kind.value


def _unpacked(packed: tuple[str, str]) -> Term:
    return Term(packed[0], TermKind(packed[1]))


def urls_of(message: object) -> str:
    """The URLs in a message, as a JSON list."""
    return json.dumps(urls_in(as_text(message)))


def has_words(message: object, url: object, words: object) -> bool:
    """Whether every one of `words` (a JSON list, case-folded) is in a message or in a URL of it."""
    text = f"{plain(as_text(message))} {as_text(url)}".casefold()
    return all(word in text for word in json.loads(as_text(words)))


FUNCTIONS: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("indexed_text", 1, indexed_text),
    ("pair_words", 1, pair_words),
    ("scope_words", 4, scope_words),
    ("is_among", 3, is_among),
    ("speaks_of", 3, speaks_of),
    ("satisfies", 2, satisfies),
    ("urls_of", 1, urls_of),
    ("has_words", 3, has_words),
)
"""Name, number of arguments, function."""
