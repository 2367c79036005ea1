"""The answer of the HTTP server's `/healthz`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime

from terrarium_mcp import __version__
from terrarium_mcp.cli.starting.liveness import health_json
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import BridgeReport, Heartbeat, Store, this_process

MOVED = "The database was moved, deleted or replaced while in use"

LiveReports = Callable[[], Sequence[BridgeReport]]


def no_bridge() -> Sequence[BridgeReport]:
    """The reports of a process without a bridge."""
    return ()


def health_of(
    store: Store, live: LiveReports = no_bridge
) -> Callable[[], Awaitable[Mapping[str, object]]]:
    """A function that returns the state of the history and of each network's bridge.

    Of a bridge in this process, `live` returns the report of this moment; others are judged by
    their heartbeats. `ok` is false if the history cannot be read, or if a bridge that was not told
    to stop does not record everything it is meant to.
    """

    async def health() -> Mapping[str, object]:
        now = datetime.now(UTC)
        heartbeats = {report.network: Heartbeat(this_process(), now, report) for report in live()}
        trouble = ""
        try:
            await store.opening.wait(0)
            stored = {one.report.network: one for one in await store.heartbeats.all()}
            heartbeats = {**stored, **heartbeats}
            trouble = MOVED if store.service.is_displaced else ""
        except TerrariumError as error:
            trouble = error.public
        networks = {name: health_json(one, now) for name, one in sorted(heartbeats.items())}
        ok = not trouble and all(one["status"] != "degraded" for one in networks.values())
        return {
            "ok": ok,
            "status": "ok" if ok else "degraded",
            "version": __version__,
            "keeper": store.keeper.is_us,
            **({"history": trouble} if trouble else {}),
            "networks": networks,
        }

    return health
