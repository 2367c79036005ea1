r"""Comparable lines: what two programs keep of the same line, in one form. Pure.

| programs differ in | compared as |
|---|---|
| formatting codes, invisible characters, blanks at either end | left out |
| hex colours, of which some leave digits (`ff0000`, irssi `f0000`) | without 5 or 6 hex digits |
| a tab, a line break | a space |
| bytes of cp1252 read as latin-1 (`\x80`), or in the right encoding (the euro sign) | cp1252 |
| bytes that were no UTF-8, lost as U+FFFD | U+FFFD equals any one character beyond ASCII |
| quotes around the reason of a quit | left out |
| the reason of a part, which ii never writes | left out |
| events written like actions (`* ada has quit (bye)`) | equal to the action with these words |
| own lines without a nick | an empty nick equals any |
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.times.timestamps import EPOCH

LOST = "\ufffd"
"""What programs write for bytes that they cannot decode."""

_MS = timedelta(milliseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // _MS
_LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // _MS

_CP1252: Mapping[int, str] = {
    byte: bytes([byte]).decode("cp1252", "replace")  # which leaves five undefined
    for byte in range(0x80, 0xA0)
}

_HEX_COLOUR = re.compile("\x04?[0-9A-Fa-f]{5,6}")
_HEX_DIGITS = re.compile("[0-9A-Fa-f]{5}")

_NOT_ASCII = re.compile("[^\x20-\x7e]+")
_QUOTED = re.compile(r'"(.*)"')

_ACTED = "*"
_AS_ACTION: Mapping[MessageType, str] = {
    MessageType.ACTION: "{}",
    MessageType.QUIT: "has quit ({})",
    MessageType.NICK: "is now known as {}",
    MessageType.TOPIC: "has changed the topic to: {}",
}
"""HexChat writes these events like actions, so its reader may take one for the other. The same
person does not act out an event within seconds of it."""


class ComparableLine(NamedTuple):
    """A line of a log, or a stored one.

    Attributes:
        at: milliseconds since 1970, the beginning of the time that its stamp names.
        resolution: how many milliseconds that time lasts; 0 for an exact stamp.
        nick: folded; empty where a log does not name its owner.
        kind: the message type, or one for all that may look like actions.
        text: without what programs lose or add.
        is_redacted: the text was removed, so it equals any.
    """

    at: int
    resolution: int
    nick: str
    kind: str
    text: str
    is_redacted: bool = False

    @property
    def skeleton(self) -> str:
        """The text without all that a program may have lost: equal for equal texts."""
        return self.text if self.text.isascii() else _NOT_ASCII.sub("", self.text)


def comparable(
    at: int, resolution: int, nick: str, kind: MessageType, text: str, casemapping: str
) -> ComparableLine:
    """A line in the form in which it compares."""
    said = comparable_text(kind, text, casemapping)
    compared_kind = _ACTED if kind in _AS_ACTION else kind.value
    return ComparableLine(at, resolution, fold(nick, casemapping), compared_kind, said)


def comparable_text(kind: MessageType, text: str, casemapping: str) -> str:
    """What a line says, in the form in which it compares."""
    if kind in SPEECH and _is_plain(text):  # nearly every line
        return text
    said = text if text.isascii() else text.translate(_CP1252)
    said = harmless(_HEX_COLOUR.sub("", said)).strip()
    if kind is MessageType.PART:
        return ""
    if kind is MessageType.QUIT and (quoted := _QUOTED.fullmatch(said)):
        said = quoted[1]
    elif kind is MessageType.NICK:
        said = fold(said, casemapping)
    return _AS_ACTION[kind].format(said).rstrip() if kind in _AS_ACTION else said


def _is_plain(text: str) -> bool:
    """Whether nothing in what somebody says can be lost or added by a program."""
    return (
        text.isascii()
        and text.isprintable()
        and text == text.strip()
        and not _HEX_DIGITS.search(text)
    )


def is_same_text(one: str, other: str) -> bool:
    """Whether two comparable texts are equal; U+FFFD equals any character beyond ASCII."""
    if one == other:
        return True
    if len(one) != len(other) or not (LOST in one or LOST in other):
        return False
    return all(a == b or LOST in (a, b) for a, b in zip(one, other, strict=True))


def milliseconds(moment: datetime) -> int:
    """The milliseconds from 1970 to an aware moment."""
    return (moment - EPOCH) // _MS


def moment_of(at: int) -> datetime:
    """The moment `at` milliseconds after 1970, as far as the calendar reaches."""
    return EPOCH + min(max(at, _FIRST), _LAST) * _MS
