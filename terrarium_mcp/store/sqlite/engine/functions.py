"""The SQL functions that we add to SQLite's own. All are pure.

They are passed columns as BLOB, so that text that is not UTF-8 cannot make a statement fail.
"""

import json
from base64 import b32encode
from binascii import crc_hqx
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import repeat
from struct import pack
from typing import Any, NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.mentions import mentions
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.terms import Term, TermKind, contains_term, encoded_words, indexed
from terrarium_mcp.chat.urls import urls_in
from terrarium_mcp.chat.voices import Aside
from terrarium_mcp.store.sqlite.engine.index_words import (
    ASIDE_WORD,
    COMMAND_WORD,
    LINK_WORD,
    events_word,
    nick_word,
    reserved,
    room_word,
    type_words,
)
from terrarium_mcp.store.sqlite.engine.voices_sql import parsed_rules, voice_row


def as_text(column: object) -> str:
    """The value of a column as text, whatever another program stored there."""
    if isinstance(column, str):
        return column
    if isinstance(column, bytes):
        return column.decode("utf-8", "replace")
    return "" if column is None else str(column)


def storable(text: str) -> str:
    """`text` as SQLite can hold it: a lone surrogate, which UTF-8 does not have, becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def indexed_text(message: object) -> str:
    """The text of a message as the index holds it: no formatting codes, folded, cut into words."""
    return indexed(plain(as_text(message)))


def pair_words(message: object) -> str:
    """The text of a message as the phrase index holds it: its pairs of words."""
    return pairs(encoded_words(plain(as_text(message))))


def pairs(words: Sequence[bytes]) -> str:
    """Each two consecutive words as one word: their 16-bit CRC, in four hexadecimal digits.

    Unhashed there would be more distinct pairs than half of the lines. (`map`, `pack` and `hex`
    keep the loop out of Python: it runs for every line.)
    """
    hashed = map(crc_hqx, words[1:], map(crc_hqx, words, repeat(0)))
    return pack(f">{max(0, len(words) - 1)}H", *hashed).hex(" ", 2)


def scope_words(
    room: int, nick: bytes | None, kind: bytes | None, message: object, aside: int | None
) -> str:
    """The words under which the index finds a message by room, speaker, type, link and aside."""
    known = _message_type(kind)
    scope = text_scope(as_text(nick), known, as_text(message))
    return f"{room_scope(room, known)}{scope}{_ASIDE_WORDS.get(aside, '')}"


def room_scope(room: int, kind: MessageType) -> str:
    """Those of `scope_words` that follow from the room, for a message of a type."""
    return reserved(room_word(room) if kind in SPEECH else events_word(room))


def text_scope(nick: str, kind: MessageType, message: str) -> str:
    """Those of `scope_words` that follow from speaker, type and text; a space precedes each."""
    has_link = "://" in message and urls_in(message)
    return (
        f"{_nick_scope(nick, kind)} {reserved(LINK_WORD)}" if has_link else _nick_scope(nick, kind)
    )


@lru_cache(maxsize=10_000)  # few people say most of the lines
def _nick_scope(nick: str, kind: MessageType) -> str:
    return f" {_type_words(kind)} {reserved(nick_word(nick))}"


_ASIDE_WORDS: Mapping[int | None, str] = {
    None: "",
    Aside.OWN: f" {reserved(ASIDE_WORD)}",
    Aside.COMMAND: f" {reserved(ASIDE_WORD)} {reserved(COMMAND_WORD)}",
}


@lru_cache(maxsize=100)  # asked for every message that is indexed, and there are twelve types
def _message_type(stored: bytes | None) -> MessageType:
    return MessageType.parse(as_text(stored))


def _type_words(kind: MessageType) -> str:
    """The words of a message type as the index stores them."""
    return " ".join(map(reserved, type_words(kind)))


def msgid_word(room: int, msgid: object) -> str:
    """The word under which the msgid index finds a message: 40 bits of a hash, in base 32."""
    hashed = blake2b(f"{room} {as_text(msgid)}".encode(), digest_size=5)
    return b32encode(hashed.digest()).decode().lower()


def voice_of(
    network: object,
    nick: object,
    message: object,
    is_own: object,
    is_message: object,
    rules: object,
) -> str | None:
    """The row in `voices` of a spoken message, as JSON; None for most.

    `is_own` is None where only the nick can tell; `rules` is a column RULES.
    """
    row = voice_row(
        parsed_rules(as_text(rules)),
        as_text(network),
        as_text(nick),
        as_text(message),
        is_own=None if is_own is None else bool(is_own),
        is_message=bool(is_message),
    )
    return json.dumps(row) if row else None


def is_among(nick: object, nicks: object, casemapping: object) -> bool:
    """Whether `nick` is one of `nicks` (a JSON list) under a network's CASEMAPPING."""
    return fold(as_text(nick), as_text(casemapping)) in _folded(nicks, casemapping)


def speaks_of(message: object, nicks: object, casemapping: object) -> bool:
    """Whether a message mentions every one of `nicks` (a JSON list) under a CASEMAPPING."""
    text, mapping = plain(as_text(message)), as_text(casemapping)
    return all(mentions(text, nick, mapping) for nick in _folded(nicks, casemapping))


def meets(message: object, terms: object) -> bool:
    """Whether a message meets a `TextConditions`, given as JSON."""
    line, demand = plain(as_text(message)), _demand(terms)
    return all(
        any(contains_term(line, term) for term in clause) for clause in demand.clauses
    ) and not any(contains_term(line, term) for term in demand.excluded)


class TextConditions(NamedTuple):
    """Terms of a query that no index answers: only the text of each message does."""

    clauses: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clauses or self.excluded)

    def to_json(self) -> str:
        """The parameter of `meets`."""
        clauses = [[_packed(term) for term in clause] for clause in self.clauses]
        return json.dumps([clauses, [_packed(term) for term in self.excluded]])


@lru_cache(maxsize=100)  # asked for every candidate line, as is `_folded`
def _demand(terms: object) -> TextConditions:
    clauses, excluded = json.loads(as_text(terms))
    return TextConditions(
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
    """Whether a message, or a URL of it, contains all of `words` (a JSON list, case-folded)."""
    text = f"{plain(as_text(message))} {as_text(url)}".casefold()
    return all(word in text for word in json.loads(as_text(words)))


FUNCTIONS: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("indexed_text", 1, indexed_text),
    ("pair_words", 1, pair_words),
    ("scope_words", 5, scope_words),
    ("msgid_word", 2, msgid_word),
    ("voice_of", 6, voice_of),
    ("is_among", 3, is_among),
    ("speaks_of", 3, speaks_of),
    ("satisfies", 2, meets),
    ("urls_of", 1, urls_of),
    ("has_words", 3, has_words),
)
"""Name, number of arguments, function."""
