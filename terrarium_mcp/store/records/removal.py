"""What was removed, and what of a person there is to remove."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from terrarium_mcp.chat.identity import Identity


class RemovalReason(StrEnum):
    """Why messages were removed: IRC's REDACT, a purge, their age, or an import was undone."""

    REDACTION = "redaction"
    PURGE = "purge"
    RETENTION = "retention"
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One removal: how much and why; for a single person also who, on which network.

    `turns` are those of the bot's dialogues that were removed along with the messages. Of somebody
    who asked for it themselves `nick` holds fingerprints, not the name.
    """

    at: datetime
    why: RemovalReason
    asked_by: str
    network: str = ""
    nick: str = ""
    messages: int = 0
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
class BacklogMentions:
    """The backlog files (by name) that concern a person: written by, quoting or naming them.

    Whether those that are `unread` do is unknown: this account may not read them.
    """

    written: tuple[str, ...] = ()
    quoting: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonTraces:
    """What is stored of a person: lines and events by room label, private messages, backlog.

    `turns` are those of dialogues in which they asked, or for which a line of theirs was read.
    `member_lists` are those of rooms that they are in now, and `kicks` the records that ended since
    they kicked the bot.
    """

    lines: Counter[str]
    events: Counter[str]
    private: int
    turns: int = 0
    member_lists: int = 0
    kicks: int = 0
    backlog: BacklogMentions = field(default_factory=BacklogMentions)

    @property
    def total(self) -> int:
        """How many messages of any kind, turns and other rows of the tables."""
        messages = self.lines.total() + self.events.total() + self.private
        return messages + self.turns + self.member_lists + self.kicks


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """How much a purge removed, and the backlog files it deleted, changed or left."""

    messages: int
    backlog: BacklogMentions
    turns: int = 0


@dataclass(frozen=True, slots=True)
class CleanedFile:
    """What was removed from a file: messages, and rows of terrarium-irc's other tables."""

    file: str
    messages: int
    rows: int


@dataclass(frozen=True, slots=True)
class LegacyCleanup:
    """What a purge removed from which of terrarium-irc's files, and the copies it cannot clean."""

    cleaned: tuple[CleanedFile, ...] = ()
    unreached: tuple[str, ...] = ()
