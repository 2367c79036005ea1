"""`!context`: the lines around one that `!search` or `!recent` quoted."""

from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.tool_answers import quoted, refused_message

_AROUND = {"before": 1, "after": 8}
"""Lines around one: it is among the first four, which are said at once."""

_AROUND_ID = "()[]#.,"
"""What people copy or write around an id; none of it is in one."""


async def context_(context: CommandContext) -> list[str]:
    """!context ID: the lines around it, oldest first."""
    message_id = context.command.rest.strip(_AROUND_ID)
    prefix = context.settings.command_prefix
    if not message_id:
        return [f"The lines around which one? For example: {prefix}context 184213"]
    arguments = {"message_id": message_id, "format": "json", **_AROUND}
    found = await context.toolbox.call("get_message_context", arguments, context.view)
    if not found.failed:
        return quoted(found, context)
    return refused_message(found, context, message_id)
