"""Several networks: from the [[network]] tables of terrarium.toml to the settings of each.

What a table leaves out comes from the settings outside the tables, except what belongs to one
network: above all, no password set outside the tables is sent to any server.
"""

from collections.abc import Mapping, Sequence

from terrarium_mcp.chat.identity import network_key
from terrarium_mcp.settings.declarations import Settings
from terrarium_mcp.settings.errors import BadSetting
from terrarium_mcp.settings.sources import NetworkTable
from terrarium_mcp.settings.validation import validated

OF_ONE_NETWORK = frozenset(
    {
        "IRC_SERVER",
        "IRC_PORT",
        "IRC_USE_SSL",
        "IRC_CHANNELS",
        "TERRARIUM_NETWORK",
        "TERRARIUM_SERVER_PASSWORD",
        "TERRARIUM_SASL_USERNAME",
        "TERRARIUM_SASL_PASSWORD",
        "TERRARIUM_TLS_CERT",
        "TERRARIUM_TLS_KEY",
    }
)
"""Settings that mean one network: beside tables they stand in a table, or nowhere."""

OF_ALL_NETWORKS = frozenset(
    {
        "DB_PATH",
        "AGENT_API_URL",
        "AGENT_API_KEY",
        "AGENT_MODEL",
        "AGENT_TEMPERATURE",
        "AGENT_MAX_TOKENS",
        "AGENT_TIMEOUT",
        "TERRARIUM_BRIDGE_TOOLS",
        "MCP_SERVERS",
        "TERRARIUM_TALK_LOG",
        "SEARCH_API_URL",
        "SEARCH_API_KEY",
        "SEARCH_MAX_RESULTS",
        "TERRARIUM_RETENTION_DAYS",
        "TERRARIUM_RETENTION_BY_CHANNEL",
        "TERRARIUM_TIMEZONE",
        "TERRARIUM_SOURCE_TIMEZONE",
        "TERRARIUM_TOOLS",
        "TERRARIUM_WRITE_TOOLS",
    }
)
"""Settings of the history, its server, the model and the web, of which a process has one each."""


def each_network(
    tables: Sequence[NetworkTable], found: Mapping[str, object], sources: Mapping[str, str]
) -> list[Settings]:
    """The settings of each network; empty if there are no tables.

    Args:
        tables: the [[network]] tables, in their order.
        found: the settings outside the tables.
        sources: where each of these was found, for the errors.

    Raises:
        BadSetting: a setting is in the wrong place, cannot be used, or a name is missing.
    """
    for name in sorted(OF_ONE_NETWORK & found.keys()) if tables else ():
        raise BadSetting(
            f"{name} (from {sources[name]}) belongs to one network, and there are [[network]]"
            " tables: move it into one of them."
        )
    networks = [_network(table, found, sources) for table in tables]
    _check_names(tables, networks)
    return networks


def _network(
    table: NetworkTable, found: Mapping[str, object], sources: Mapping[str, str]
) -> Settings:
    for name in sorted(OF_ALL_NETWORKS & table.values.keys()):
        raise BadSetting(
            f"{name} in {table.source} holds for all networks: move it above the first [[network]]."
        )
    own = dict.fromkeys(table.values, table.source)
    settings = validated({**found, **table.values}, {**sources, **own})
    for relay in settings.relays if "TERRARIUM_RELAYS" in own else ():
        if relay.network not in ("", settings.network_name):
            raise BadSetting(
                f"TERRARIUM_RELAYS in {table.source} names {relay}, which is on another network:"
                " move it into that network's table."
            )
    return settings


def _check_names(tables: Sequence[NetworkTable], networks: Sequence[Settings]) -> None:
    """Check that several networks have names, and each its own.

    Raises:
        BadSetting: a name is missing, or given twice.
    """
    known = dict[str, str]()
    for table, settings in zip(tables, networks, strict=True):
        if len(tables) > 1 and not settings.network:
            raise BadSetting(
                f"{table.source} has no name. Give it one that stays the same, e.g."
                f' TERRARIUM_NETWORK = "{settings.network_name}".'
            )
        name = network_key(settings.network_name)
        if name in known:
            raise BadSetting(
                f"{known[name]} and {table.source} have the same name: choose another"
                " TERRARIUM_NETWORK for one of them."
            )
        known[name] = table.source
