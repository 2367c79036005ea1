"""Which tools a setting selects: TERRARIUM_TOOLS and TERRARIUM_BRIDGE_TOOLS are read alike."""

from collections.abc import Iterable

ALL, CORE = "all", "core"

CORE_TOOLS = frozenset(
    (
        "search_irc_history",
        "get_recent_irc_messages",
        "get_message_context",
        "get_channel_stats",
        "get_current_users",
        "search_web",
        "create_enhancement_request",
        "list_enhancement_requests",
        "read_enhancement_request",
    )
)
"""The tools that `core` stands for: enough for an answer from the log, and little to read for a
small model."""


def named_in(setting: str) -> list[str]:
    """The words of the setting: names of tools, `all` and `core`."""
    return setting.replace(",", " ").split()


def selected_tools(setting: str, known: Iterable[str]) -> list[str]:
    """Those of the known tools that the setting selects, in their order."""
    named = set(named_in(setting))
    core = CORE_TOOLS if CORE in named else frozenset[str]()
    return [tool for tool in known if ALL in named or tool in named or tool in core]


def unknown_tools(setting: str, known: Iterable[str]) -> list[str]:
    """The words of the setting that select nothing: they name no known tool."""
    words = {ALL, CORE, *known}
    return [name for name in named_in(setting) if name not in words]
