"""Absence: since when a person who has come back was away, by what the log shows of them. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from terrarium_mcp.chat.records import Message, MessageType

SILENT = timedelta(hours=1)
"""A person who is silent for this long counts as away, whether they left or not."""

GONE = timedelta(minutes=10)
"""A person who left counts as away after this time: a lost connection is back sooner."""

_LEAVING = (MessageType.PART, MessageType.QUIT)


class Absence(NamedTuple):
    """A person was away between the message `last`, which may say that they left, and `until`."""

    last: Message
    until: datetime

    @property
    def length(self) -> timedelta:
        """How long it lasted."""
        return self.until - self.last.said_at

    @property
    def began_by_leaving(self) -> bool:
        """Whether they left; otherwise they just fell silent."""
        return self.last.kind in _LEAVING


def newest_absence(signs: Iterable[Message], now: datetime) -> Absence | None:
    """The newest absence of a person; None if the signs show none.

    What they have said since they came back ends it, and does not hide it.

    Args:
        signs: their messages and events, newest first. Commands to the bot are none: to ask what
            was missed is not to have been there.
        now: the present.
    """
    until = now
    for sign in signs:
        absence = Absence(sign, until)
        if absence.length >= (GONE if absence.began_by_leaving else SILENT):
            return absence
        until = sign.said_at
    return None
