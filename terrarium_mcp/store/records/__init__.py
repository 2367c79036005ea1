"""Values that the store returns: frozen, without SQL, whatever engine keeps the history."""

from terrarium_mcp.store.records.figures import RoomStats, ScopeDetails, ScopeStats, Tally
from terrarium_mcp.store.records.health import DatabaseSize, DeepCheck, Fact, Growth, Section
from terrarium_mcp.store.records.imports import (
    AppendTotals,
    EarlierReading,
    ImportRecord,
    ImportTotals,
    LogSource,
    UndoResult,
)
from terrarium_mcp.store.records.people import Evidence, NickActivity, Person, PresenceSnapshot
from terrarium_mcp.store.records.readings import Conversation, KnownLine, Link, RecentDigest
from terrarium_mcp.store.records.removal import (
    AuditEntry,
    BacklogMentions,
    CleanedFile,
    LegacyCleanup,
    PersonTraces,
    PurgeResult,
    PurgeTarget,
    RemovalReason,
)

__all__ = [
    "AppendTotals",
    "AuditEntry",
    "BacklogMentions",
    "CleanedFile",
    "Conversation",
    "DatabaseSize",
    "DeepCheck",
    "EarlierReading",
    "Evidence",
    "Fact",
    "Growth",
    "ImportRecord",
    "ImportTotals",
    "KnownLine",
    "LegacyCleanup",
    "Link",
    "LogSource",
    "NickActivity",
    "Person",
    "PersonTraces",
    "PresenceSnapshot",
    "PurgeResult",
    "PurgeTarget",
    "RecentDigest",
    "RemovalReason",
    "RoomStats",
    "ScopeDetails",
    "ScopeStats",
    "Section",
    "Tally",
    "UndoResult",
]
