"""What the bridges of a database last reported, read without opening the history."""

from pathlib import Path

from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.records.bridge_report import Heartbeat
from terrarium_mcp.store.sqlite.health.readonly import untouched
from terrarium_mcp.store.sqlite.schema import CURRENT, marked_version
from terrarium_mcp.store.sqlite.topics.heartbeats import HEARTBEATS, as_heartbeats


def read_heartbeats(path: Path) -> list[Heartbeat]:
    """The last heartbeat of each network.

    Raises:
        StoreFailed: there is no database, or it is of another version, locked or damaged.
        NotOurs: it is another program's.
    """
    if not path.is_file():
        raise StoreFailed(
            f"There is no database {path}. The first start makes it; if it is elsewhere, name it"
            " with DB_PATH or --db."
        )
    with untouched(path) as connection:
        if (version := marked_version(connection, path)) != CURRENT:
            raise StoreFailed(
                f"{path} is of version {version}, and this terrarium-mcp reads version {CURRENT}."
                " Restart the bridge with this terrarium-mcp: it migrates the file."
            )
        return as_heartbeats(connection.execute(HEARTBEATS).fetchall())
