"""The functions our SQL uses besides SQLite's own. All are pure.

They are given columns as BLOB, so that not even text that is no UTF-8 can make a statement fail.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.records import Kind
from terrarium_mcp.chat.urls import urls_in


def as_text(column: object) -> str:
    """What a column holds as text, whatever another program may have put there."""
    if isinstance(column, bytes):
        return column.decode("utf-8", "replace")
    return "" if column is None else str(column)


def storable(text: str) -> str:
    """`text` as SQLite can hold it: a lone surrogate, which UTF-8 does not have, becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def plain_text(message: object) -> str:
    """The words of a message, without formatting codes: what the index holds."""
    return plain(as_text(message))


def scope_words(room: int | None, nick: object, kind: object) -> str:
    """The words under which the index finds a message by room, nick and type."""
    words = f"{kind_word(Kind.of(as_text(kind)))} {nick_word(as_text(nick))}"
    return words if room is None else f"{room_word(room)} {words}"


def room_word(room: int) -> str:
    """The index word of a room."""
    return f"r{room}"


def kind_word(kind: Kind) -> str:
    """The index word of a message type."""
    return f"t{kind.lower()}"


@lru_cache(maxsize=10_000)  # few people say most of the lines
def nick_word(nick: str) -> str:
    """The index word of a nick, the same for every spelling under any CASEMAPPING.

    It is folded more than any network folds, so it finds too much rather than too little; the
    rows are then compared under the network's own mapping.
    """
    return "n" + fold(nick.casefold()).encode("utf-8", "surrogatepass").hex()


def same_nick(nick: object, folded: str) -> bool:
    """Whether `nick` is the one whose folded form is given."""
    return nick is not None and fold(as_text(nick)) == folded


def urls_of(message: object) -> str:
    """The URLs in a message, as a JSON list."""
    return json.dumps(urls_in(as_text(message)))


def has_words(message: object, url: object, words: object) -> bool:
    """Whether every one of `words` (a JSON list, case-folded) is in a message or in a URL of it."""
    text = f"{plain(as_text(message))} {as_text(url)}".casefold()
    return all(word in text for word in json.loads(as_text(words)))


FUNCTIONS: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("plain_text", 1, plain_text),
    ("scope_words", 3, scope_words),
    ("same_nick", 2, same_nick),
    ("urls_of", 1, urls_of),
    ("has_words", 3, has_words),
)
"""Name, number of arguments, function."""
