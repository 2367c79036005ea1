"""Bytes of a log become text, line by line: one client's bytes are not another's. Pure."""

import codecs
from collections.abc import Iterable
from functools import cache

UTF_8 = "utf-8"
_USUAL = "cp1252"
_LAST = "latin-1"
"""Decodes every byte; cp1252 leaves five undefined."""

_SEVEN_BIT = ("iso2022_", "iso-2022-", "hz", "utf-7")
"""How the names of encodings begin of which every byte is ASCII, and so UTF-8."""


def decoded(raw: bytes, encoding: str = "") -> tuple[str, str]:
    """The text of a line, and how it was read: UTF-8, else `encoding`, else latin-1.

    Without an encoding it is cp1252.

    A line cut within its last character is still UTF-8 if another character of it shows that: what
    is left of the last one is dropped. Alone it may as well be a letter of `encoding`, as the last
    of `caf\u00e9` is in latin-1.

    An encoding of seven bits comes first: whatever is written in it is UTF-8 too.
    """
    encoding = encoding or _USUAL
    if _is_seven_bit(encoding) and raw.isascii():
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            text = raw.decode()
        return text, UTF_8 if text == raw.decode() else encoding
    try:
        return raw.decode(), UTF_8
    except UnicodeDecodeError as error:
        whole = raw[: error.start]
        if error.reason == "unexpected end of data" and not whole.isascii():
            return whole.decode(), UTF_8
    return decoded_otherwise(raw, encoding)


def decoded_otherwise(raw: bytes, encoding: str = "") -> tuple[str, str]:
    """The text of bytes that are not UTF-8, and how they were read, as `decoded` has it."""
    encoding = encoding or _USUAL
    try:
        return raw.decode(encoding), encoding
    except UnicodeDecodeError:
        return raw.decode(_LAST), _LAST


@cache
def _is_seven_bit(encoding: str) -> bool:
    return codecs.lookup(encoding).name.startswith(_SEVEN_BIT)


def texts_of(lines: Iterable[bytes]) -> list[str]:
    """The texts of lines, however each was read."""
    return [decoded(line)[0] for line in lines]
