"""Commands to the bot, as people type them: `!search tea`, `Terra: who has the key?`."""

import re
from functools import lru_cache

from terrarium_mcp.chat.identity import BEHIND_NICK, DEFAULT_CASEMAPPING, same_characters
from terrarium_mcp.chat.invisible import INVISIBLE_MARKS
from terrarium_mcp.chat.near_misses import nearest_command

QUESTIONS = ("terrarium", "ask")
"""Commands that a model answers. Text addressed to the bot by its nick is the first of them."""

COMMANDS = (
    *QUESTIONS, "help", "ping", "search", "recent", "context", "stats", "who", "seen", "catchup",
    "status", "more", "clear", "compact", "stop", "quiet", "optout", "optin", "forget",
)  # fmt: skip
"""Every command that the bot answers, and so that a line of the log may be. A change of what
`is_command` says needs a version of the schema that has every line looked at again, as v11.sql."""

_BLANK = re.compile(r"\s")

_NO_SMILEY = re.compile(r"\s|$|(?!\w+:)(?!(\w)\1+(?!\w))\w\w")
"""What follows the colon of an address, and not that of `:)`, `:D`, `:PP` or `:smile:`."""

_SIMILAR_NICK = 9 - len("-07")
"""Characters that a similar nick keeps of the nick. RFC 1459 1.2: every server takes 9; its own
limit comes later, in 005."""


def command_after(prefix: str, said: str) -> tuple[str, str] | None:
    """The name (lower case) and the rest of what follows the prefix; None if it is not there."""
    if not said.startswith(prefix):
        return None
    name, rest = first_word(said.removeprefix(prefix))
    return name.lower(), rest


def first_word(text: str) -> tuple[str, str]:
    """What stands in front of the first blank, and the rest without blanks around it.

    A blank is any white space: keyboards for Chinese and Japanese write a wide one (U+3000), and
    what is pasted has tabs and no-break spaces.
    """
    end = blank.start() if (blank := _BLANK.search(text)) else len(text)
    return text[:end], text[end:].strip()


def addressed_to(
    nick: str, said: str, casemapping: str = DEFAULT_CASEMAPPING, *, or_similar: bool = False
) -> str | None:
    """The text of `Terra: text`, `Terra, text` or `@Terra text`; None if no line begins so.

    With `or_similar` also of `Terra-07: text`: the bot may have borne that nick when it was said.
    Today it may be somebody else's.

    It is empty if nothing follows. There may be a blank before the colon, unless that begins a
    smiley: `Terra :)` is said of us.

    Nicks compare as the network does: `terra{}: hi` is for `Terra[]` under rfc1459.
    """
    names = _nick_or_similar(nick, casemapping) if or_similar else _nick(nick, casemapping)
    found = _address(names).match(said)
    if not found:
        return None
    text = said[found.end() :].strip()
    if not found[0][-1].isspace():
        return text
    if text[:1] and text[0] in BEHIND_NICK and _NO_SMILEY.match(text, 1):
        return text[1:].strip()
    return text if said.startswith("@") else None


def is_command(
    said: str, *, nick: str, prefix: str, casemapping: str = DEFAULT_CASEMAPPING
) -> bool:
    """Whether a line, without formatting codes, is meant for the bot.

    Marks in front of it that cannot be seen do not count: keyboards for Arabic and Hebrew write
    them.

    Args:
        said: the line.
        nick: the bot's nick in the settings; a similar one, borne while it is taken, counts too.
        prefix: the prefix of its commands.
        casemapping: how nicks compare on its network.
    """
    said = said.lstrip(INVISIBLE_MARKS)
    found = command_after(prefix, said)
    if found and (found[0] in COMMANDS or command_meant(found[0], prefix, nick, casemapping)):
        return True
    return addressed_to(nick, said, casemapping, or_similar=True) is not None


def command_meant(name: str, prefix: str, nick: str, casemapping: str = DEFAULT_CASEMAPPING) -> str:
    """The command that a name behind the prefix nearly is, as in `!serch`; "" if there is none.

    Of the bot's nick, as in `!terra who?`, it is the one that asks it.
    """
    if may_begin_sentence(prefix):
        return ""
    if re.fullmatch(_nick_or_similar(nick, casemapping), name):
        return QUESTIONS[0]
    return nearest_command(name, COMMANDS)


def may_begin_sentence(prefix: str) -> bool:
    """Whether ordinary talk may begin with the prefix, as with `terra `."""
    return prefix[-1].isalnum() or prefix[-1].isspace()


def similar_nick(nick: str, number: int) -> str:
    """A nick to register under while the configured one is taken: `Terra-07`."""
    return f"{nick[:_SIMILAR_NICK]}-{number:02}"


@lru_cache(maxsize=16)  # compiled once for a nick, asked for every line that is indexed
def _address(names: str) -> re.Pattern[str]:
    return re.compile(
        rf"{names}(?:[{BEHIND_NICK}]|\s+(?=[{BEHIND_NICK}]))|@{names}(?:[{BEHIND_NICK}]|\s|$)"
    )


@lru_cache(maxsize=16)
def _nick(nick: str, casemapping: str) -> str:
    """A pattern of the nick as its network spells it."""
    return "".join(
        f"[{''.join(map(re.escape, sorted(same_characters(char, casemapping))))}]" for char in nick
    )


@lru_cache(maxsize=16)
def _nick_or_similar(nick: str, casemapping: str) -> str:
    return rf"(?:{_nick(nick, casemapping)}|{_nick(nick[:_SIMILAR_NICK], casemapping)}-\d\d)"
