"""Hostmasks: which people a setting means, such as `*!*@znc.in`. Pure."""

import fnmatch
import re
from dataclasses import dataclass
from functools import lru_cache

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold

_POSSIBLE = re.compile(r"[^!@]+![^!]+@[^!@]+")


@dataclass(frozen=True, slots=True)
class Mask:
    """A pattern for `nick!user@host` (RFC 2812 2.5): `*` is any text, `?` any one character.

    What it leaves out matches anybody: `spam*` is `spam*!*@*`, and `*@znc.in` is `*!*@znc.in`.
    """

    pattern: str

    def matches(self, mask: str, casemapping: str = DEFAULT_CASEMAPPING) -> bool:
        """Whether it means the person whose full mask is `nick!user@host`."""
        return bool(_compiled(self.pattern, casemapping).fullmatch(fold(mask, casemapping)))

    def __str__(self) -> str:
        """As it is written in the settings."""
        return self.pattern


def is_mask(text: str) -> bool:
    """Whether a word in the settings is a mask, rather than a name."""
    return "!" in text or "@" in text


def restricts_host(pattern: str) -> bool:
    """Whether a mask asks for a host. Nick and user are what anybody may call themselves."""
    return bool(_completed(pattern).rpartition("@")[2].strip("*?.:"))


def restricts_nick(pattern: str) -> bool:
    """Whether a mask asks for a nick."""
    return bool(_completed(pattern).partition("!")[0].strip("*?"))


def means_nobody(pattern: str) -> bool:
    """Whether no full mask could match: a part of it is empty, or holds what ends a part."""
    return _POSSIBLE.fullmatch(_completed(pattern)) is None


@lru_cache(256)
def _compiled(pattern: str, casemapping: str) -> re.Pattern[str]:
    # A bracket is a letter of a nick here, where fnmatch begins a set of characters with it.
    glob = fold(_completed(pattern), casemapping).replace("[", "[[]")
    return re.compile(fnmatch.translate(glob))


def _completed(pattern: str) -> str:
    """The pattern with all of its three parts."""
    if "!" in pattern:
        return pattern if "@" in pattern else f"{pattern}@*"
    return f"*!{pattern}" if "@" in pattern else f"{pattern}!*@*"
