"""When two spellings name the same nick or channel, and what is a channel at all."""

import string
from collections.abc import Iterable

CHANNEL_PREFIXES = "#&+!"
"""RFC 2811 2.1: a target that starts with none of these is a person."""

NICK_CHARACTERS = r"\w\[\]\\`^{|}-"
"""What a nick is made of, inside a regex's brackets: RFC 2812 2.3.1, and letters of any script."""

_ASCII = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_STRICT = _ASCII | str.maketrans("[]\\", "{}|")
_RFC1459 = _STRICT | str.maketrans("~", "^")  # RFC 2812 2.2: {}|^ are the lower case of []\~
_TABLES = {"ascii": _ASCII, "strict-rfc1459": _STRICT, "rfc1459": _RFC1459}

DEFAULT_CASEMAPPING = "rfc1459"

_DISPUTED = set("[]\\~{}|^")
"""Characters that not all mappings fold."""


def fold(name: str, casemapping: str = DEFAULT_CASEMAPPING) -> str:
    """The form under which a nick or channel compares (CASEMAPPING of RPL_ISUPPORT).

    An unknown mapping, such as `rfc7613`, folds as Unicode does.
    """
    table = _TABLES.get(casemapping)
    return name.translate(table) if table else name.casefold()


def is_spelt_alike(name: str, casemappings: Iterable[str]) -> bool:
    """Whether all these mappings take the same other spellings of a name for it, in ASCII alone."""
    return name.isascii() and all(
        mapping == DEFAULT_CASEMAPPING or (mapping in _TABLES and not _DISPUTED & set(name))
        for mapping in casemappings
    )


def is_channel(target: str) -> bool:
    """Whether `target` names a channel and not a person."""
    return target[:1] != "" and target[:1] in CHANNEL_PREFIXES
