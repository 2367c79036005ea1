"""Bytes of a log become text, line by line: one client's bytes are not another's. Pure."""

from collections.abc import Iterable

UTF_8 = "utf-8"
_USUAL = "cp1252"
_LAST = "latin-1"
"""Decodes every byte; cp1252 leaves five undefined."""


def decoded(raw: bytes, encoding: str = _USUAL) -> tuple[str, str]:
    """The text of a line, and how it was read: UTF-8, else `encoding`, else latin-1.

    A line cut within its last character is still UTF-8 if another character of it shows that: what
    is left of the last one is dropped. Alone it may as well be a letter of `encoding`, as the last
    of `caf\u00e9` is in latin-1.
    """
    try:
        return raw.decode(), UTF_8
    except UnicodeDecodeError as error:
        whole = raw[: error.start]
        if error.reason == "unexpected end of data" and not whole.isascii():
            return whole.decode(), UTF_8
    try:
        return raw.decode(encoding), encoding
    except UnicodeDecodeError:
        return raw.decode(_LAST), _LAST


def texts_of(lines: Iterable[bytes]) -> list[str]:
    """The texts of lines, however each was read."""
    return [decoded(line)[0] for line in lines]
