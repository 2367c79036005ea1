"""What the bridges of a database last reported, read without opening the history."""

from pathlib import Path

from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.records.bridge_report import Heartbeat
from terrarium_mcp.store.sqlite.engine.folder_access import is_file_found
from terrarium_mcp.store.sqlite.health.readonly import untouched
from terrarium_mcp.store.sqlite.schema import (
    CURRENT,
    NotAdopted,
    marked_version,
    terrarium_irc,
)
from terrarium_mcp.store.sqlite.topics.heartbeats import HEARTBEATS, as_heartbeats


def read_heartbeats(path: Path) -> list[Heartbeat]:
    """The last heartbeat of each network.

    Raises:
        StoreFailed: there is no database, or it may not be read, or it is of another version,
            locked or damaged.
        NotOurs: it is another program's.
        NotAdopted: it is terrarium-irc's.
    """
    if not is_file_found(path):
        raise StoreFailed(
            f"There is no database {path}. The first start makes it; if it is elsewhere, name it"
            " with DB_PATH or --db."
        )
    with untouched(path) as connection:
        version = marked_version(connection, path)
        if not version and terrarium_irc.is_present(connection):
            raise NotAdopted(path, has_option=False)
        if version != CURRENT:
            raise StoreFailed(
                f"{path} is of version {version}, and this terrarium-mcp reads version {CURRENT}."
                " Restart the bridge with this terrarium-mcp: it migrates the file."
            )
        return as_heartbeats(connection.execute(HEARTBEATS).fetchall())
