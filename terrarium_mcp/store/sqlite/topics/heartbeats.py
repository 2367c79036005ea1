"""Heartbeats: the last report of each network's bridge, and which rooms it still records."""

import os
import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.records.bridge_report import BridgeReport, Heartbeat
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.topics.spans import mark_alive

HEARTBEATS = "SELECT process, at, report FROM heartbeats ORDER BY network"


class Heartbeats:
    """The heartbeats of all networks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def beat(
        self,
        network: str,
        channels: Iterable[str],
        heard: datetime,
        report: BridgeReport | None,
        *,
        at: datetime | None = None,
    ) -> None:
        """Store that these channels were recorded until `heard`, and the bridge's report, if any.

        The report is of `at`; unset: of `heard`.
        One transaction for both: a second one would write the same page of the WAL again.
        """
        async with self._database.writing() as writer:
            await mark_alive(writer, network, channels, heard)
            if report:
                await writer.run(
                    "INSERT OR REPLACE INTO heartbeats (network, process, at, report)"
                    " VALUES (:network, :process, :at, :report)",
                    {
                        "network": network,
                        "process": this_process(),
                        "at": to_text(at or heard),
                        "report": report.to_json(),
                    },
                )

    async def all(self) -> list[Heartbeat]:
        """The last heartbeat of each network."""
        return as_heartbeats(await self._database.rows(HEARTBEATS))


def as_heartbeats(rows: Sequence[Row]) -> list[Heartbeat]:
    """The heartbeats in these rows, without those that another version wrote in another form."""
    heartbeats = []
    for process, at, report in rows:
        with suppress(ValueError):
            heartbeats.append(Heartbeat(process, from_text(at), BridgeReport.from_json(report)))
    return heartbeats


def this_process() -> str:
    """This process, as a heartbeat names it: `pid@host`."""
    return f"{os.getpid()}@{socket.gethostname()}"
