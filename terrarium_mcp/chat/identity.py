"""Nick and channel names (casemapping, what counts as a channel), and who a person is. Pure."""

import string
from collections.abc import Iterable
from typing import NamedTuple

CHANNEL_PREFIXES = "#&+!"
"""First characters of a channel name (RFC 2811 2.1). Any other target is a person."""

NICK_CHARACTERS = r"\w\[\]\\`^{|}-"
"""What a nick is made of, inside a regex's brackets: RFC 2812 2.3.1, and letters of any script."""

MOST_OF_NAMES = 4_096
"""Characters of what is read as a name, or as 64 nicks with commas between. No line of IRC holds
more, and a nick of 900,000 would cost 8 s of comparing."""

BEHIND_NICK = ":,\uff1a\uff0c\u3001\u060c"
"""What follows a nick that a line addresses: also as keyboards for Chinese, Japanese and Arabic
write colons and commas. A line to the bot is told by these, which is stored: see COMMANDS."""

_ASCII = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_STRICT = _ASCII | str.maketrans("[]\\", "{}|")
_RFC1459 = _STRICT | str.maketrans("~", "^")  # RFC 2812 2.2: {}|^ are the lower case of []\~
_TABLES = {"ascii": _ASCII, "strict-rfc1459": _STRICT, "rfc1459": _RFC1459}
_BYTE_TABLES = {
    name: bytes(table.get(byte, byte) for byte in range(256)) for name, table in _TABLES.items()
}

DEFAULT_CASEMAPPING = "rfc1459"

UNICODE_CASEMAPPING = "rfc7613"
"""Folds as Unicode does, for networks on which nicks and channels may have any letters."""

CASEMAPPINGS = (*_TABLES, UNICODE_CASEMAPPING)
"""The values of CASEMAPPING (RPL_ISUPPORT) that are understood."""

_DISPUTED = set("[]\\~{}|^")
"""Characters that only some of the mappings fold."""


def fold(name: str, casemapping: str = DEFAULT_CASEMAPPING) -> str:
    """The form in which nicks and channels are compared (CASEMAPPING of RPL_ISUPPORT).

    Any other mapping than those of ASCII, such as `rfc7613`, folds as Unicode does.
    """
    if casemapping not in _TABLES:
        return name.casefold()
    if name.isascii():  # a third of the time, for nearly every name
        return name.encode().translate(_BYTE_TABLES[casemapping]).decode()
    return name.translate(_TABLES[casemapping])


def network_key(name: str) -> str:
    """The form in which names of networks compare: a setting and a folder may differ in case."""
    return name.casefold()


def same_characters(char: str, casemapping: str = DEFAULT_CASEMAPPING) -> set[str]:
    """Every single character that a network counts as this one."""
    pairs = (pair for pair in ("[{", "]}", "\\|", "~^") if char in pair)
    candidates = {char, char.lower(), char.upper(), *"".join(pairs)}
    folded = fold(char, casemapping)
    return {one for one in candidates if len(one) == 1 and fold(one, casemapping) == folded}


def is_spelt_alike(name: str, casemappings: Iterable[str]) -> bool:
    """Whether a name has the same equivalent spellings under all these mappings, all in ASCII."""
    return name.isascii() and all(
        mapping == DEFAULT_CASEMAPPING or (mapping in _TABLES and not _DISPUTED & set(name))
        for mapping in casemappings
    )


def as_channel(name: str) -> str:
    """`name` with the prefix of a channel: `tea` is `#tea`."""
    return name if is_channel(name) else f"#{name}"


def is_channel(target: str) -> bool:
    """Whether `target` is a channel rather than a person."""
    return target[:1] != "" and target[:1] in CHANNEL_PREFIXES


class Identity(NamedTuple):
    """Who a person is on a network, as far as a line shows it.

    A services account identifies a person; without one, the nick together with user@host does. A
    nick alone identifies nobody.
    """

    network: str
    nick: str
    user: str = ""
    host: str = ""
    account: str = ""

    @property
    def user_host(self) -> str:
        """`user@host`; empty if the host is unknown."""
        return f"{self.user}@{self.host}" if self.host else ""

    @property
    def folded_user_host(self) -> str:
        """`user@host` in the form in which it compares: hosts have no case (RFC 1035 2.3.3)."""
        return f"{self.user}@{fold(self.host, 'ascii')}" if self.host else ""

    @property
    def is_proven(self) -> bool:
        """Whether it shows more than a nick."""
        return bool(self.account or self.host)

    def is_same(self, other: "Identity") -> bool:
        """Whether both are one person: by account where either has one, else nick and user@host."""
        if self.network != other.network or not (self.is_proven and other.is_proven):
            return False
        if self.account or other.account:
            return fold(self.account) == fold(other.account)
        same_nick = fold(self.nick) == fold(other.nick)
        return same_nick and self.folded_user_host == other.folded_user_host
