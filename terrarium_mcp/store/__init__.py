"""What is remembered, by topic, behind one door: what others need, they import from here."""

from terrarium_mcp.store.backlog import MOST_OPEN, Backlog, Enhancement
from terrarium_mcp.store.errors import (
    BacklogFailed,
    BacklogFull,
    FileInUse,
    NotChecked,
    NotEnoughDisk,
    UnknownEnhancement,
)
from terrarium_mcp.store.health import examine
from terrarium_mcp.store.health.deep_check import check_deeply
from terrarium_mcp.store.records import (
    Attendance,
    AuditEntry,
    BacklogMentions,
    CleanedFile,
    Conversation,
    DatabaseSize,
    DayStats,
    DeepCheck,
    Evidence,
    Fact,
    Figures,
    LegacyCleanup,
    Link,
    NickActivity,
    Person,
    PersonTraces,
    PurgeResult,
    PurgeTarget,
    RemovalReason,
    Section,
    Tally,
)
from terrarium_mcp.store.removal.thorough import check_unused, scrub
from terrarium_mcp.store.spans import HEARTBEAT
from terrarium_mcp.store.store import Store, open_store

__all__ = [
    "HEARTBEAT",
    "MOST_OPEN",
    "Attendance",
    "AuditEntry",
    "Backlog",
    "BacklogFailed",
    "BacklogFull",
    "BacklogMentions",
    "CleanedFile",
    "Conversation",
    "DatabaseSize",
    "DayStats",
    "DeepCheck",
    "Enhancement",
    "Evidence",
    "Fact",
    "Figures",
    "FileInUse",
    "LegacyCleanup",
    "Link",
    "NickActivity",
    "NotChecked",
    "NotEnoughDisk",
    "Person",
    "PersonTraces",
    "PurgeResult",
    "PurgeTarget",
    "RemovalReason",
    "Section",
    "Store",
    "Tally",
    "UnknownEnhancement",
    "check_deeply",
    "check_unused",
    "examine",
    "open_store",
    "scrub",
]
