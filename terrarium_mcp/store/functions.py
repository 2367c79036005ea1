"""The functions our SQL uses besides SQLite's own. All are pure."""

from collections.abc import Callable
from typing import Any

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain


def plain_text(message: str | None) -> str:
    """The words of a message, without formatting codes: what the index holds."""
    return plain(message) if message else ""


def scope_words(room: int | None, nick: str | None, kind: str | None) -> str:
    """The words under which the index finds a message by room, nick and type."""
    words = f"{kind_word(kind or 'PRIVMSG')} {nick_word(nick or '')}"
    return words if room is None else f"{room_word(room)} {words}"


def room_word(room: int) -> str:
    """The index word of a room."""
    return f"r{room}"


def kind_word(kind: str) -> str:
    """The index word of a message type."""
    return f"t{kind.lower()}"


def nick_word(nick: str) -> str:
    """The index word of a nick, the same for every spelling under any CASEMAPPING.

    It is folded more than any network folds, so it finds too much rather than too little; the
    rows are then compared under the network's own mapping.
    """
    return "n" + fold(nick.casefold()).encode("utf-8", "surrogatepass").hex()


def same_nick(nick: str | None, folded: str) -> bool:
    """Whether `nick` is the one whose folded form is given."""
    return nick is not None and fold(nick) == folded


FUNCTIONS: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("plain_text", 1, plain_text),
    ("scope_words", 3, scope_words),
    ("same_nick", 2, same_nick),
)
"""Name, number of arguments, function."""
