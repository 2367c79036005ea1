"""What a server says of itself in RPL_ISUPPORT (005): typed, bounded, and with its defaults.

The tokens come from the network, in any order and as often as it likes. One that makes no sense, or
would make us fall silent, changes nothing and is reported to the caller.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from terrarium_mcp.chat.identity import (
    CASEMAPPINGS,
    CHANNEL_PREFIXES,
    DEFAULT_CASEMAPPING,
    UNICODE_CASEMAPPING,
)

LINE = 512
"""Bytes of a line, including its line break (RFC 1459 2.3)."""

LONGEST_LINE = 8_192
"""Bytes of the longest line that we would send, whatever a server offers."""

_MOST = 2**31 - 1
"""The greatest number that is believed."""

TokenReader = Callable[[str], Any]
"""Reads the value of a token; raises ValueError if it makes no sense."""

_USUAL_RANKS: Mapping[str, str] = MappingProxyType({"@": "o", "+": "v"})

_LONGEST_NAME = 100
_MOST_NAMES = 100

_ESCAPED = re.compile(r"\\x([0-9A-Fa-f]{2})")
_RANKS = re.compile(r"\(([A-Za-z]*)\)([!-/:-@\[-`{-~]*)")
"""`(ov)@+`: mode letters, and as many prefixes, which are neither letters nor digits."""


@dataclass(frozen=True, slots=True)
class Isupport:
    """The tokens that matter to us. Lengths are in bytes; None: the server names none."""

    casemapping: str = DEFAULT_CASEMAPPING
    """How nicks and channels compare: one of `CASEMAPPINGS`."""
    chantypes: str = "#&"
    """The first characters of channels."""
    prefix: Mapping[str, str] = field(default_factory=lambda: _USUAL_RANKS)
    """Member prefixes and their mode letters, the highest rank first."""
    nicklen: int | None = None
    channellen: int | None = None
    chanlimit: tuple[tuple[str, int], ...] = ()
    """How many channels of certain types, together, a client may join: `(("#&", 50),)`."""
    joins_per_line: int | None = None
    """How many channels one JOIN may name (TARGMAX)."""
    linelen: int = LINE
    """Bytes of a line, without tags and with its line break."""
    clienttagdeny: tuple[str, ...] = ()
    """Client-only tags that the server drops, `*` for all, and `-name` for those it then keeps."""
    bot: str = ""
    """The letter of the user mode that marks bots; empty: there is none."""
    whox: bool = False
    chathistory: int | None = None
    """How many messages one CHATHISTORY returns at most; None: any number."""
    names_messages_by_msgid: bool = True
    """Whether CHATHISTORY takes msgids (MSGREFTYPES); a server that does not say so may refuse."""
    network: str = ""
    """The server's name for the network, for the log: ours is in the settings."""

    def after(self, tokens: Sequence[str]) -> tuple["Isupport", list[str]]:
        """This value after more tokens, such as `NICKLEN=30` or `-WHOX`; the unusable tokens.

        A token that a server takes back (`-WHOX`) returns to its default. Unknown ones are ignored.
        """
        changed, unusable = self, list[str]()
        for token in tokens:
            name, _, value = token.removeprefix("-").partition("=")
            if not (reader := _READERS.get(name.upper())):
                continue
            attribute, read = reader
            try:
                said = _DEFAULTS[attribute] if token[:1] == "-" else read(_unescaped(value))
            except ValueError:
                unusable.append(token)
            else:
                changed = replace(changed, **{attribute: said})
        return changed, unusable

    def takes_client_tag(self, name: str) -> bool:
        """Whether the server passes on a client-only tag, named without its `+`."""
        return name not in self.clienttagdeny and (
            "*" not in self.clienttagdeny or f"-{name}" in self.clienttagdeny
        )

    def is_channel(self, target: str) -> bool:
        """Whether `target` is a channel, rather than a user."""
        return target.startswith(tuple(self.chantypes))

    def within_limits(self, channels: Sequence[str]) -> tuple[list[str], list[str]]:
        """Those of these channels that we may join, the first of each type; and the others."""
        joinable, left_out = list[str](), list[str]()
        room = dict(self.chanlimit)
        for channel in channels:
            types = next((types for types in room if channel[:1] in types), "")
            is_full = types != "" and room[types] <= 0
            is_long = self.channellen is not None and len(channel.encode()) > self.channellen
            if is_full or is_long or not self.is_channel(channel):
                left_out.append(channel)
                continue
            joinable.append(channel)
            if types:
                room[types] -= 1
        return joinable, left_out


def _unescaped(value: str) -> str:
    r"""A value with its escapes (`\x20` is a space) read."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


def _number(least: int, most: int = _MOST) -> Callable[[str], int]:
    """Reads a number from `least` to `most`, written with the digits 0 to 9."""

    def read(value: str) -> int:
        number = _digits(value)
        if not least <= number <= most:
            raise ValueError
        return number

    return read


def _digits(value: str) -> int:
    """The number; `int()` also knows `+1`, `1_000` and digits of other scripts."""
    if not (value.isascii() and value.isdecimal() and len(value) <= len(str(_MOST))):
        raise ValueError
    return int(value)


_least_one = _number(1)


def _limit(value: str) -> int | None:
    """A number; 0, or none at all, means that there is no limit."""
    return (_digits(value) or None) if value else None


def _flag(_: str) -> bool:
    return True


def _casemapping(value: str) -> str:
    known = _SAME_CASEMAPPING.get(value.lower(), value.lower())
    if known not in CASEMAPPINGS:
        raise ValueError
    return known


_SAME_CASEMAPPING = {"rfc1459-strict": "strict-rfc1459", "rfc8265": UNICODE_CASEMAPPING}


def _chantypes(value: str) -> str:
    # With none that we know, no channel would be one any more, and nothing would be recorded.
    known = "".join(dict.fromkeys(char for char in value if char in CHANNEL_PREFIXES))
    if not known:
        raise ValueError
    return known


def _prefix(value: str) -> Mapping[str, str]:
    if not value:
        return MappingProxyType({})  # a server without ranks
    found = _RANKS.fullmatch(value)
    letters, prefixes = found.groups() if found else ("", "?")
    if not len(letters) == len(prefixes) == len(set(letters)) == len(set(prefixes)):
        raise ValueError
    return MappingProxyType(dict(zip(prefixes, letters, strict=True)))


def _chanlimit(value: str) -> tuple[tuple[str, int], ...]:
    """`#:50,&:10`; a type has no limit without a number, or with 0 (ngircd with MaxJoins = 0)."""
    pairs = [entry.partition(":") for entry in value.split(",")]
    if not all(types and colon for types, colon, _ in pairs):
        raise ValueError
    return tuple((types, most) for types, _, limit in pairs if (most := _limit(limit)))


def _maxchannels(value: str) -> tuple[tuple[str, int], ...]:
    """The older form, for channels of all types together."""
    return ((CHANNEL_PREFIXES, _least_one(value)),)


def _targmax(value: str) -> int | None:
    """`JOIN:2,KICK:1`; a command without a number has no limit."""
    limits = dict(entry.partition(":")[::2] for entry in value.upper().split(","))
    return _least_one(limits["JOIN"]) if limits.get("JOIN") else None


def _msgreftypes(value: str) -> bool:
    """`timestamp,msgid`: how messages may be named."""
    return "msgid" in value.lower().split(",")


def _clienttagdeny(value: str) -> tuple[str, ...]:
    """`*,-typing`: names without their `+`, as in IRCv3 message-tags."""
    return tuple(name for name in value.split(",") if name)[:_MOST_NAMES]


def _bot(value: str) -> str:
    if not (value.isascii() and value.isalpha() and len(value) == 1):
        raise ValueError
    return value


def _network(value: str) -> str:
    if not value.isprintable():
        raise ValueError
    return value[:_LONGEST_NAME]


_READERS: Mapping[str, tuple[str, TokenReader]] = MappingProxyType(
    {
        "BOT": ("bot", _bot),
        "CASEMAPPING": ("casemapping", _casemapping),
        "CHANLIMIT": ("chanlimit", _chanlimit),
        "CHANNELLEN": ("channellen", _number(2)),
        "CHANTYPES": ("chantypes", _chantypes),
        "CLIENTTAGDENY": ("clienttagdeny", _clienttagdeny),
        "CHATHISTORY": ("chathistory", _limit),
        "LINELEN": ("linelen", _number(LINE, LONGEST_LINE)),
        "MAXCHANNELS": ("chanlimit", _maxchannels),
        "MSGREFTYPES": ("names_messages_by_msgid", _msgreftypes),
        "NETWORK": ("network", _network),
        "NICKLEN": ("nicklen", _least_one),
        "PREFIX": ("prefix", _prefix),
        "TARGMAX": ("joins_per_line", _targmax),
        "WHOX": ("whox", _flag),
    }
)
"""For each token, the attribute that it sets, and the reader of its value."""

_DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {one.name: getattr(Isupport(), one.name) for one in fields(Isupport)}
)
