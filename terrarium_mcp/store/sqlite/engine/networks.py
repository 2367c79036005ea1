"""Networks: each by its name, with the CASEMAPPING by which its names compare."""

from terrarium_mcp.chat.identity import CASEMAPPINGS, DEFAULT_CASEMAPPING, UNICODE_CASEMAPPING
from terrarium_mcp.store.sqlite.engine.functions import as_text
from terrarium_mcp.store.sqlite.engine.reads import Reads
from terrarium_mcp.store.sqlite.engine.writes import Writer

_ASCII_MAPPINGS = ", ".join(f"'{one}'" for one in CASEMAPPINGS if one != UNICODE_CASEMAPPING)

FOLD_AS_UNICODE = f"SELECT name FROM networks WHERE casemapping NOT IN ({_ASCII_MAPPINGS})"  # noqa: S608 -- constants
"""The networks on which names compare by more than their ASCII letters."""


async def casemapping_of(reads: Reads, network: str) -> str:
    """The CASEMAPPING of a network; the default one if the network is not known."""
    sql = "SELECT casemapping FROM networks WHERE name = :network"
    return str(await reads.value(sql, {"network": network}, DEFAULT_CASEMAPPING))


async def network_names(reads: Reads) -> list[str]:
    """The names of all networks."""
    return [as_text(row[0]) for row in await reads.rows("SELECT name FROM networks")]


async def add_network(writer: Writer, network: str) -> None:
    """Insert a network, unless it is known."""
    await writer.run(
        "INSERT INTO networks (name) VALUES (:network) ON CONFLICT DO NOTHING", {"network": network}
    )
