"""Commands in a private chat, where they need no prefix: `help`, `search greenhouse`. Pure.

Behind our nick a few need none in a channel either. All else that is said to us is a question. So
what could be a sentence is no command.
"""

import re
from collections.abc import Callable, Mapping

from terrarium_mcp.chat.commands import COMMANDS, first_word
from terrarium_mcp.chat.english import is_stop_word
from terrarium_mcp.chat.identity import NICK_CHARACTERS, is_channel
from terrarium_mcp.chat.question import is_question

_NICK = re.compile(rf"[{NICK_CHARACTERS}]+")


def _is_search(text: str) -> bool:
    """`greenhouse heater`, and not `for the heater` or `heater, please`."""
    words = text.lower().split()
    is_polite = words[-1].strip(".!") == "please"
    return not (is_polite or is_question(text) or is_stop_word(words[0]))


def _is_nick(text: str) -> bool:
    """`alice`, and not `it` or `it before?`."""
    return bool(_NICK.fullmatch(text)) and not is_stop_word(text.lower())


_ARGUMENTS: Mapping[str, Callable[[str], object]] = {
    "search": _is_search,
    "context": re.compile(r"\(?\d+\)?").fullmatch,
    "recent": re.compile(rf"\d+(?:\s+[{NICK_CHARACTERS}]+)?").fullmatch,
    "seen": _is_nick,
    "catchup": re.compile(r"\d[\w:.-]*|yesterday", re.IGNORECASE).fullmatch,
    "forget": re.compile(r"yes", re.IGNORECASE).fullmatch,
}
"""Whether what follows a command is its argument, and not the rest of a sentence. A command that
is not listed takes none here."""

_OF_A_CHANNEL = frozenset({"search", "recent", "stats", "who", "catchup"})
"""Commands whose argument may be a channel, or have one in it."""


def bare_command(said: str, names: tuple[str, ...], prefix: str) -> tuple[str, str] | None:
    """The command and its argument in a text without a prefix; None if it is no command.

    Args:
        said: the text.
        names: the commands that need no prefix there.
        prefix: their prefix elsewhere, with which `help` may name one: `help !search`.
    """
    first, rest = first_word(said.strip())
    name = first.lower()
    if name not in names:
        return None
    if not rest:
        return name, ""
    if name == "help":
        return (name, rest) if rest.removeprefix(prefix).lower() in COMMANDS else None
    besides = _without_channels(rest) if name in _OF_A_CHANNEL else rest
    is_argument = _ARGUMENTS.get(name)
    return (name, rest) if not besides or (is_argument and is_argument(besides)) else None


def _without_channels(text: str) -> str:
    return " ".join(word for word in text.split() if not is_channel(word))
