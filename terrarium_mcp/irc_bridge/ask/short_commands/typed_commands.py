"""The call that a tool's note names, as the command that people type. Pure."""

import json
import re

_COMMANDS = {
    "get_channel_stats": "stats",
    "search_irc_history": "search",
    "get_current_users": "who",
}
_STRING = r'"(?:[^"\\]|\\.)*"'
_ARGUMENT = re.compile(rf"(?<!\w)(?P<name>\w+)=(?P<value>{_STRING})")
_CALL = re.compile(
    rf"(?P<tool>{'|'.join(_COMMANDS)})(?:\((?P<arguments>(?:[^()\"]|{_STRING})*)\))?"
    rf"|(?<!\w)(?P<query>query={_STRING})"
)
_TYPED = ("channel", "query")
"""The arguments that a command has; the figures of each day, which `per` asks for, have none."""


def as_typed(note: str, prefix: str) -> str:
    """A note with the command to type where it names a tool's call; "" where no command does that.

    `get_channel_stats(query="from:ada")` is `!stats from:ada`, as is `query="from:ada"` alone,
    which only the figures name so.
    """
    named = [argument["name"] for argument in _ARGUMENT.finditer(note)]
    if not set(named).issubset(_TYPED):
        return ""
    return _CALL.sub(lambda call: prefix + _command(call), note)


def _command(call: re.Match[str]) -> str:
    name = _COMMANDS[call["tool"] or "get_channel_stats"]
    arguments = _ARGUMENT.finditer(call["arguments"] or call["query"] or "")
    return " ".join([name, *(json.loads(argument["value"]) for argument in arguments)])
