"""People: who is in a room, and what is known of a nick."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from terrarium_mcp.chat.records import Member, Room

NICK_CHANGE = "nick change"
"""The kind of evidence that a nick was changed to another, or from it."""


class PresenceSnapshot(NamedTuple):
    """The members of a room at `as_of`; None if no member list was ever received."""

    people: Sequence[Member]
    as_of: datetime | None = None


class NickActivity(NamedTuple):
    """What a nick did in one room: its lines, when it last spoke, and when it was last seen.

    `asides`, its commands to a bot or the bot's own words, are none of its lines; but `spoke` may
    be the time of one.
    """

    room: Room
    lines: int
    spoke: datetime | None
    seen: datetime | None
    asides: int = 0


class NickArrival(NamedTuple):
    """Somebody changed to a nick: in which room, when, by which message, and from which nick."""

    room: Room
    at: datetime
    message: int
    old: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why `nick` may be the same person: a nick change, an account or a host in common.

    `first` and `last` are the times of the first and last sighting. `count` is the number of nick
    changes, or of messages by that nick; None if a cutoff hides some of them.
    """

    kind: str
    nick: str
    first: datetime
    last: datetime
    count: int | None

    @property
    def is_nick_change(self) -> bool:
        """Whether somebody changed one of the nicks to the other."""
        return self.kind == NICK_CHANGE


class Person(NamedTuple):
    """What is known of a nick on a network; if nothing is, `near` are similar nicks."""

    nick: str
    network: str
    rooms: Sequence[NickActivity] = ()
    evidence: Sequence[Evidence] = ()
    near: Sequence[str] = ()

    @property
    def is_known(self) -> bool:
        """Whether the nick did anything, or is another nick of somebody who did."""
        return bool(self.rooms or self.evidence)

    @property
    def seen(self) -> datetime | None:
        """When the nick last did anything."""
        return max((one.seen for one in self.rooms if one.seen), default=None)

    @property
    def spoke(self) -> datetime | None:
        """When the nick last said something."""
        return max((one.spoke for one in self.rooms if one.spoke), default=None)
