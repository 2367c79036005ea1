"""The contents of an IRC message: formatting codes, CTCP frames, off-record marks, passwords."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from terrarium_mcp.chat.identity import BEHIND_NICK, NICK_CHARACTERS
from terrarium_mcp.chat.invisible import without_invisible

# mIRC formatting: bold, italic, underline, strike, monospace, reverse, reset; colours with digits.
FORMATTING = re.compile(
    r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04(?:[0-9A-Fa-f]{6}(?:,[0-9A-Fa-f]{6})?)?|[\x02\x0f\x11\x16\x1d\x1e\x1f]"
)
_LINE_BREAKS = re.compile(r"[\r\n\t\u2028\u2029\x85]+")
_OFF_RECORD = r"\[(?:off|nolog)\]"
OFF_RECORD = "[off]"
"""In front of a text: it is not recorded."""
_SECRET_COMMAND = (
    # A command to services, with or without its slash, or with what was typed instead of it:
    # `/msg NickServ identify ...`, `.msg -server libera NickServ id ...`, `ns id ...`. No more than
    # three words such as `quote privmsg`, or the pattern would take long for a line full of them.
    r"\W*(?:(?:m|msg|q|query|squery|quote|raw|privmsg|notice)\s+(?:-server\s+\S+\s+|-\S+\s+)?){0,3}"
    # NickServ and ChanServ (also as name@server, and their aliases), AuthServ, UserServ, OperServ,
    # QuakeNet's and Undernet's Q@... and X@...
    r"(?:(?:nickserv|chanserv|authserv|userserv|operserv)(?:@\S+)?|ns|cs|[qx]@\S+)[:,]?\s+:?"
    # The subcommands that take a password, with at least one argument.
    r"(?:auth|ghost|id|identify|login|newpass|pass|recover|regain|register|release|setpass"
    r"|set\s+pass(?:word)?)"
    r"\s+\S"
    # A command of the client or server that takes a password; only with its slash or what was typed
    # instead of it, because "pass" and "login" also begin ordinary sentences. `!identify | ada`
    # asks a bot for what it knows of that word, addressed to a nick, and holds no password.
    r"|\s*(?!![a-z]+ ?\| +["
    + NICK_CHARACTERS
    + r"]+\s*\Z)[/.!](?:(?:quote|raw)\s+)?(?:identify|login|oper|pass)\s+\S"
    # Aliases of some networks and clients, only with as many words as they take: `/id is a command`
    # is talk, and so is `!id`, which bots have.
    r"|\s*[/.](?:(?:quote|raw)\s+)?(?:id|auth\s+\S+)\s+\S+\s*\Z"
)
_SERVICE = re.compile(
    # What Anope, Atheme, Ergo, srvx and soju call them; a network may add its own address.
    r"(?:auth|bot|bouncer|chan|group|hist|host|memo|nick|oper|sasl|user)serv(?:@.*)?"
    # QuakeNet's and Undernet's: without an address it may be somebody's nick.
    r"|[qx]@.*"
    # The modules of ZNC (`*status`, `*sasl`): no nick begins so.
    r"|\*.*"
    # Those to which passwords are typed, where a file's name cannot have the asterisk.
    r"|_(?:admin|autoop|controlpanel|crypt|nickserv|perform|q|sasl|send_raw|status)"
    # The channel in which BitlBee takes the passwords of its user's accounts.
    r"|&bitlbee",
    re.IGNORECASE,
)
REMOVED_KEY = "*"
"""Replaces a channel key in a recorded MODE."""


def plain(text: str) -> str:
    """`text` without formatting codes, as people read it and as it is indexed."""
    return text if text.isprintable() else FORMATTING.sub("", text)  # codes are not printable


def harmless(text: str) -> str:
    """`text` on one line, without characters that could forge a line, hide, or change the order.

    Line breaks and tabs become a space; what cannot be seen is removed.
    """
    if text.isascii() and text.isprintable():  # nearly every line
        return text
    return without_invisible(_LINE_BREAKS.sub(" ", plain(text)))


def harmless_nick(nick: str) -> str:
    """A nick as `harmless` makes it, with U+FFFD for each character that cannot be seen.

    Without that mark it would look like the nick of another person.
    """
    return without_invisible(nick, "\ufffd")


def encodable(text: str) -> str:
    """The text with `?` for each lone surrogate, which UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode()


def action(text: str) -> str | None:
    """The text of a CTCP ACTION (`/me`), else None. The closing delimiter may be missing."""
    if not is_ctcp(text):  # nearly every line
        return None
    verb, _, rest = text.removeprefix("\x01").removesuffix("\x01").partition(" ")
    return rest if verb.upper() == "ACTION" else None


def is_ctcp(text: str) -> bool:
    """Whether `text` is a CTCP message, which is meant for the client rather than its user."""
    return text.startswith("\x01")


def is_off_record(text: str, prefix: str = "") -> bool:
    """Whether the speaker asked not to be recorded, with `[off]` or `[nolog]` in front.

    In front of a line, or of what it says to somebody: after an address, whoever it names
    (`Terra: [off] ...`), and after a command (`!ask [off] ...`), if a `prefix` is given. What
    cannot be seen counts as not there: text from right to left often begins with a direction mark.
    """
    if "[" not in text:  # nearly every line
        return False
    done = action(text)
    return _off_record(prefix).match(harmless(text if done is None else done)) is not None


def without_off_record(text: str) -> str:
    """`text`, as `harmless` makes it, without the `[off]` that it begins with."""
    return re.sub(rf"^\s*{_OFF_RECORD}\s*", "", harmless(text), flags=re.IGNORECASE)


def is_secret(text: str) -> bool:
    """Whether `text` looks like a services password sent to a channel by mistake.

    For example `/msg NickServ identify hunter2`, with or without the slash.
    """
    return _secret_command().match(plain(text)) is not None


@lru_cache(maxsize=256)  # an import asks of the channel of each line
def is_service(nick: str) -> bool:
    """Whether a nick is that of services, or of a bouncer: who talks to it may type a password.

    So may who talks in BitlBee's own channel.
    """
    return _SERVICE.fullmatch(nick) is not None


@cache
def _secret_command() -> re.Pattern[str]:
    """The pattern, compiled for the first line that is heard: 1 ms of a start."""
    return re.compile(_SECRET_COMMAND, re.IGNORECASE)


_ALWAYS_WITH_ARGUMENT = "kbeI" + "ohvaq"
"""Modes with an argument wherever they are changed: the key, lists, and member prefixes."""


def without_keys(modes: Sequence[str]) -> str:
    """The arguments of a MODE line with the channel key (`+k`, `-k`) replaced by `*`.

    `modes` are the mode string and its arguments (RFC 2812 3.2.3). With modes of a network's own it
    may be unclear which argument is the key: each of them is then replaced by a `*`.
    """
    if not modes:
        return ""
    letters, arguments = modes[0], list(modes[1:])
    takers = _with_argument(letters)
    if len(takers) == len(arguments):
        shown = [
            REMOVED_KEY if letter == "k" else argument
            for letter, argument in zip(takers, arguments, strict=True)
        ]
    else:
        shown = [REMOVED_KEY] * len(arguments) if "k" in letters else arguments
    return " ".join([letters, *shown])


def _with_argument(letters: str) -> list[str]:
    """The letters of a mode string that take an argument, in order."""
    takers, adding = [], True
    for letter in letters:
        if letter in "+-":
            adding = letter == "+"
        elif letter in _ALWAYS_WITH_ARGUMENT or (letter in "lfjL" and adding):
            takers.append(letter)
    return takers


@lru_cache(maxsize=16)
def _off_record(prefix: str) -> re.Pattern[str]:
    # Any word may be a nick: other networks allow emoji, and not every script has only letters.
    nick, behind = rf"[^\s{BEHIND_NICK}]+", rf"\s*[{BEHIND_NICK}]"
    address = rf"(?:{nick}{behind}|@{nick}(?:{behind}|\s))\s*"
    command = rf"(?:{re.escape(prefix)}\w+\s+)?" if prefix else ""
    return re.compile(rf"\s*(?:{address})?{command}{_OFF_RECORD}", re.IGNORECASE)
