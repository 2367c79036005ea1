"""An empty history: what its operator reads. A model reads no path and no command."""

import logging
import math
from pathlib import Path

from anyio import to_thread

from terrarium_mcp.cli.starting.path_checks import is_missing
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.usual_places import usual_logs
from terrarium_mcp.store import Store, is_claimed

log = logging.getLogger(__name__)


class NothingRecorded(TerrariumError):
    """The database holds no channel yet."""

    def __init__(self, path: Path) -> None:
        found = [logs.import_command for logs in usual_logs(Path.home())]
        here = f" There are logs in this account: `{'`, `'.join(found)}`." if found else ""
        super().__init__(
            f"Nothing is recorded yet in {path}. Run `terrarium-mcp bridge` to record the channels"
            " of IRC_CHANNELS, `terrarium-mcp import PATH` to bring in logs, or set DB_PATH to a"
            f" terrarium-irc database.{here}"
        )


class NoDatabase(TerrariumError):
    """There is no file where the database should be."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no database {path}. Name one with DB_PATH or --db; `terrarium-mcp bridge` or"
            " `terrarium-mcp import PATH` makes one."
        )


def require_database(path: Path) -> None:
    """Check that there is a database, rather than begin one at a path that was perhaps mistyped.

    Raises:
        NoDatabase: there is none.
    """
    if is_missing(path):
        raise NoDatabase(path)


async def require_rooms(store: Store) -> None:
    """Check that anything is recorded.

    Raises:
        NothingRecorded: nothing is.
    """
    if not await store.rooms.all():
        raise NothingRecorded(store.path)


async def log_if_empty(store: Store) -> None:
    """Tell the operator of a server how an empty history is filled, as soon as it is open.

    Called once nothing else can keep the server from starting. While a bridge fills it, such as the
    one that started this server, there is nothing to tell.
    """
    try:
        await store.opening.wait(math.inf)
        await require_rooms(store)
    except NothingRecorded as error:
        if not await to_thread.run_sync(is_claimed, store.path):
            log.info("%s", error)
    except TerrariumError as error:
        log.info("%s", error)
