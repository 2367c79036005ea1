"""Values that the store returns: frozen, without SQL, whatever engine keeps the history."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import Member, Message, Room

if TYPE_CHECKING:  # types only: the package is loaded when a conversation is read
    from terrarium_mcp.chat.digest import Digest
    from terrarium_mcp.chat.disentanglement import ReplyLink


@dataclass(frozen=True, slots=True)
class PresenceSnapshot:
    """The members of a room at `as_of`; None if no member list was ever received."""

    people: Sequence[Member]
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One removal: how much and why; for a single person also who, on which network.

    `turns` are those of the bot's dialogues that were removed along with the messages. Of somebody
    who asked for it themselves `nick` holds fingerprints, not the name.
    """

    at: datetime
    why: "RemovalReason"
    asked_by: str
    network: str = ""
    nick: str = ""
    messages: int = 0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class BacklogMentions:
    """The backlog files (by name) that concern a person: written by, quoting or naming them."""

    written: tuple[str, ...] = ()
    quoting: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CleanedFile:
    """What was removed from a file: messages, and rows of terrarium-irc's other tables."""

    file: str
    messages: int
    rows: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """The lines that belong to a message, oldest first, the message included.

    `links` gives for each of them the line it answers; a line from outside the window, reached by
    a reply tag, has none. `left_out` are the ids of lines that may belong to it too, but are far
    from the message and doubtful; `beyond` counts lines cut off because only so many were asked
    for. `between` counts other lines between the first and the last, `looked_at` all lines that
    were compared.
    """

    message: Message
    messages: Sequence[Message]
    links: Sequence["ReplyLink"] = ()
    left_out: Sequence[int] = ()
    beyond: int = 0
    between: int = 0
    looked_at: int = 1


@dataclass(frozen=True, slots=True)
class Growth:
    """How fast the history grows."""

    messages_a_day: float
    bytes_a_year: int


@dataclass(frozen=True, slots=True)
class DatabaseSize:
    """What the history takes on disk, in bytes, and how fast it grows.

    `growth` is None until the record is a day long: it could be anything.
    """

    file: int
    wal: int
    messages: int
    growth: Growth | None


@dataclass(frozen=True, slots=True)
class DayStats:
    """What was said in a room on one day (UTC)."""

    day: date
    lines: int
    tally: "Tally"


@dataclass(frozen=True, slots=True)
class DeepCheck:
    """The result of a deep check; `wrong` names the derived structures to rebuild."""

    facts: Sequence["Fact"]
    wrong: Sequence[str] = ()


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


@dataclass(frozen=True, slots=True)
class Fact:
    """One finding of an examination; `wrong` if it needs attention."""

    name: str
    text: str
    wrong: bool = False


class RoomStats(NamedTuple):
    """What was said in a room before a cutoff; every count is of lines of speech.

    The last three are filled in for a single room only; `hours` are 24 counts by hour of day, UTC.
    A named tuple, as an overview makes hundreds: a frozen dataclass takes three times as long.
    """

    room: Room
    lines: int = 0
    people: int = 0
    first: datetime | None = None
    last: datetime | None = None
    last_day: int = 0
    last_week: int = 0
    talkers: Sequence[tuple[str, int]] = ()
    hours: Sequence[int] = ()
    tally: "Tally | None" = None


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """A run of an import: what it read, and what became of it.

    `lines` were read from `sources` logs, the first and last of them said at `first` and `last`.
    `added` of them were new, `known` were stored already. `undone_at` is when an undo began.
    """

    id: int
    at: datetime
    command: str
    finished: bool
    undone_at: datetime | None
    sources: int
    lines: int
    added: int
    known: int
    first: datetime | None
    last: datetime | None


class EarlierReading(NamedTuple):
    """A log was read whole before: by which import, and in which time zone."""

    import_id: int
    zone: str


@dataclass(frozen=True, slots=True)
class ImportTotals:
    """What became of the lines of a log: added, or known already (or of people who opted out).

    `offset` is by how much the log's clock was fast; the times of its lines were corrected by it.
    """

    lines: int
    added: int
    known: int
    offset: timedelta


@dataclass(frozen=True, slots=True)
class KnownLine:
    """The newest line of a room, as the network knows it: where to go on after an absence.

    `said_at` is the server's own time where it gave one. `nick` and `text` are those of speech that
    has no msgid.
    """

    said_at: datetime
    msgid: str = ""
    nick: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class LegacyCleanup:
    """What a purge removed from which of terrarium-irc's files, and the copies it cannot clean."""

    cleaned: tuple[CleanedFile, ...] = ()
    unreached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A URL, the newest message that contains it, and the number of messages that do."""

    url: str
    message: Message
    times: int


@dataclass(frozen=True, slots=True)
class LogSource:
    """A log that is imported: a file, or what a database of another program holds of one channel.

    `format` is the name of the program that wrote it, as people are shown it; `channel` may be the
    nick of a private conversation. `size` is in bytes. `resolution` is how exact its stamps are: a
    second, or a minute.
    """

    path: str
    format: str
    network: str
    channel: str
    zone: str
    sha256: str
    size: int
    resolution: timedelta


@dataclass(frozen=True, slots=True)
class NickActivity:
    """What a nick did in one room: its lines, when it last spoke, and when it was last seen."""

    room: Room
    lines: int
    spoke: datetime | None
    seen: datetime | None


@dataclass(frozen=True, slots=True)
class Person:
    """What is known of a nick on a network; if nothing is, `near` are similar nicks."""

    nick: str
    network: str
    rooms: Sequence[NickActivity] = ()
    evidence: Sequence[Evidence] = ()
    near: Sequence[str] = ()

    @property
    def seen(self) -> datetime | None:
        """When the nick last did anything."""
        return max((one.seen for one in self.rooms if one.seen), default=None)

    @property
    def spoke(self) -> datetime | None:
        """When the nick last said something."""
        return max((one.spoke for one in self.rooms if one.spoke), default=None)


@dataclass(frozen=True, slots=True)
class PersonTraces:
    """What is stored of a person: lines and events by room label, private messages, backlog.

    `turns` are those of dialogues in which they asked, or for which a line of theirs was read.
    """

    lines: Counter[str]
    events: Counter[str]
    private: int
    turns: int = 0
    backlog: BacklogMentions = field(default_factory=BacklogMentions)

    @property
    def total(self) -> int:
        """The number of messages of any kind, and of turns."""
        return self.lines.total() + self.events.total() + self.private + self.turns


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """How much a purge removed, and the backlog files it deleted, changed or left."""

    messages: int
    backlog: BacklogMentions
    turns: int = 0


@dataclass(frozen=True, slots=True)
class PurgeTarget:
    """The person to remove: a nick (case-insensitive), on one network or (empty) on all.

    `identity` restricts it to what this one person demonstrably said: lines of its account, and of
    its nick with the same user@host where a line has no account. Whoever else used the nick keeps
    theirs.
    """

    nick: str
    network: str = ""
    identity: Identity | None = None

    @classmethod
    def asking(cls, who: Identity) -> "PurgeTarget":
        """The person who asks for it themselves."""
        return cls(who.nick, who.network, who)


@dataclass(frozen=True, slots=True)
class RecentDigest:
    """The digest of a time. `reached`: it was read only back to here; None if it was read whole."""

    digest: "Digest"
    reached: datetime | None = None


class RemovalReason(StrEnum):
    """Why messages were removed: IRC's REDACT, a purge, their age, or an import was undone."""

    REDACTION = "redaction"
    PURGE = "purge"
    RETENTION = "retention"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class ScopeDetails:
    """Who said the lines of a search scope, where and at which hours.

    `people` counts all who did, `talkers` are the ten with most lines, as (network, nick, lines).
    `rooms` are those with any line, by their number; `hours` are 24 counts by hour of day, UTC.
    """

    people: int
    talkers: Sequence[tuple[str, str, int]]
    rooms: Sequence[tuple[Room, int]]
    hours: Sequence[int]


@dataclass(frozen=True, slots=True)
class ScopeStats:
    """How many messages a search scope holds, exactly, and when they were said.

    `details` is None where there are too many messages to read each of them. `periods` are those
    asked for that have any, as (first day, lines), the newest first; `is_cut` if there are earlier
    ones.
    """

    lines: int
    first: datetime | None = None
    last: datetime | None = None
    details: ScopeDetails | None = None
    periods: Sequence[tuple[date, int]] = ()
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """The facts of an examination about one subject."""

    title: str
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Tally:
    """What is counted besides lines. Words, questions and links are those in lines of speech."""

    words: int = 0
    questions: int = 0
    links: int = 0
    actions: int = 0
    joins: int = 0
    parts: int = 0
    quits: int = 0
    kicks: int = 0
    nicks: int = 0
    topics: int = 0


@dataclass(frozen=True, slots=True)
class AppendTotals:
    """How many messages a bulk append was given, and how many it left out.

    Those are messages that were already stored, and those of people who opted out.
    """

    lines: int
    left_out: int


@dataclass(frozen=True, slots=True)
class UndoResult:
    """How many messages of an import were removed, and how many stay.

    Those stay that were there before it, or that another import has too.
    """

    removed: int
    kept: int
