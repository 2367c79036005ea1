"""Which handler serves which command that is no question."""

from collections.abc import Mapping

from terrarium_mcp.irc_bridge.ask.command_context import CommandHandler
from terrarium_mcp.irc_bridge.ask.command_traits import NEAR_MISS
from terrarium_mcp.irc_bridge.ask.consent_commands import forget, optin, optout
from terrarium_mcp.irc_bridge.ask.dialogue_commands import clear, compact
from terrarium_mcp.irc_bridge.ask.help import help_
from terrarium_mcp.irc_bridge.ask.short_commands.context import context_
from terrarium_mcp.irc_bridge.ask.short_commands.digest import catchup, seen
from terrarium_mcp.irc_bridge.ask.short_commands.recent import recent
from terrarium_mcp.irc_bridge.ask.short_commands.search import search
from terrarium_mcp.irc_bridge.ask.short_commands.stats import stats
from terrarium_mcp.irc_bridge.ask.short_commands.status import ping, status
from terrarium_mcp.irc_bridge.ask.short_commands.who import who
from terrarium_mcp.irc_bridge.ask.suggestions import suggestion

HANDLERS: Mapping[str, CommandHandler] = {
    "catchup": catchup,
    "clear": clear,
    "compact": compact,
    "forget": forget,
    "help": help_,
    "optin": optin,
    "optout": optout,
    "ping": ping,
    "search": search,
    "recent": recent,
    "seen": seen,
    "context": context_,
    "stats": stats,
    "who": who,
    "status": status,
    NEAR_MISS: suggestion,
}
