"""Commands in a private chat, where they need no prefix: `help`, `search greenhouse`. Pure.

Behind our nick a few need none in a channel either. All else that is said to us is a question. So
what could be a sentence is no command.
"""

from terrarium_mcp.chat.commands import COMMANDS, first_word
from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.irc_bridge.ask.command_traits import TRAITS


def bare_command(said: str, names: tuple[str, ...], prefix: str) -> tuple[str, str] | None:
    """The command and its argument in a text without a prefix; None if it is no command.

    Args:
        said: the text.
        names: the commands that need no prefix there.
        prefix: their prefix elsewhere, with which `help` may name one: `help !search`.
    """
    first, rest = first_word(said.strip())
    name = first.lower()
    if name not in names:
        return None
    if not rest:
        return name, ""
    if name == "help":
        return (name, rest) if rest.removeprefix(prefix).lower() in COMMANDS else None
    besides = _without_channels(rest) if TRAITS[name].takes_channel else rest
    return (name, rest) if not besides or TRAITS[name].is_bare_argument(besides) else None


def _without_channels(text: str) -> str:
    return " ".join(word for word in text.split() if not is_channel(word))
