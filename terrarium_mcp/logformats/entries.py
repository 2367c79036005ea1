"""What one line of a log says, before network, zone and date are known. Frozen values."""

import re
from datetime import date, datetime, time, tzinfo
from enum import Enum
from typing import NamedTuple

from terrarium_mcp.chat.records import MessageType


class Stamp(NamedTuple):
    """When, as far as a line tells: a clock time, perhaps with a date, a year, a zone.

    `month` 0: no date. `year` None: none is written; in the year 0 there is no day. `zone` None:
    local time of the program that wrote the log. `other_month`: what the name of the month means in
    another language, without a year; 0 if nothing.
    """

    hour: int
    minute: int
    second: int = 0
    microsecond: int = 0
    year: int | None = None
    month: int = 0
    day: int = 0
    zone: tzinfo | None = None
    other_month: int = 0

    @property
    def clock(self) -> time:
        """The time of day."""
        return time(self.hour, self.minute, self.second, self.microsecond)


class LogEvent(NamedTuple):
    """One message of a log, in the terms of `chat.records.NewMessage`.

    `nick` is empty where the log does not name its owner. `channel` is given where the line spells
    it: names of files lose characters. `certain` is False where the format cannot tell an event
    from an action. `own`: the owner of the log says it. `private`: it was said to the owner alone,
    or to people of some ranks, even if a client shows it among the lines of a channel.
    """

    kind: MessageType
    nick: str
    text: str = ""
    user: str = ""
    host: str = ""
    channel: str = ""
    account: str = ""
    msgid: str = ""
    certain: bool = True
    own: bool = False
    private: bool = False


RANKS = "~&@%+!"
"""What stands for the ranks of people in a channel, from its founder to those with a voice."""

TO_RANK = rf"(?:[{RANKS}]++(?=#)|[~@%]++(?=[&+!]))"
"""Before the name of a channel: the ranks whose people alone are meant (STATUSMSG). `&`, `+` and
`!` may be the channel's own."""

_TO_RANK = re.compile(TO_RANK)


def is_to_rank(target: str) -> bool:
    """Whether what is sent to `target` is read by people of some ranks of a channel only."""
    return _TO_RANK.match(target) is not None


def split_mask(mask: str) -> tuple[str, str, str]:
    """Nick, user and host of `nick!user@host`, as of a LogEvent; what is missing is empty."""
    nick, _, address = mask.partition("!")
    user, _, host = address.rpartition("@")
    return nick, user, host


class Boundary(Enum):
    """Where a log begins, pauses or ends."""

    OPENED = "opened"
    CLOSED = "closed"
    DAY = "day"
    """Another day begins; nothing was missed."""


class LogLine(NamedTuple):
    """What a line says: events, or a boundary, or nothing that is recorded (`chatter`).

    A line without a `stamp` has a `dated`, which says from which moment or day on the log goes on.
    """

    stamp: Stamp | None = None
    events: tuple[LogEvent, ...] = ()
    boundary: Boundary | None = None
    dated: datetime | date | None = None
    is_misdated: bool = False
    """It says from when on the log goes on, in words or numbers that are no date."""
    owner_joined: bool = False
    """The owner of the log is who joined last: what follows is only shown to who joins."""
    room: str = ""
    """The channel, or the person of a private chat, of which the line says that the log is."""

    @property
    def is_timed(self) -> bool:
        """Whether it tells a time or a date."""
        return self.stamp is not None or self.dated is not None

    @property
    def is_chatter(self) -> bool:
        """Whether the client talks to its user."""
        return not self.events and self.boundary is None
