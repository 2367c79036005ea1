"""What a server says to us for people to read, which may quote our passwords and keys. Pure."""

from collections.abc import Callable, Collection
from dataclasses import replace

from terrarium_mcp.chat.irc_message import IrcMessage, Source
from terrarium_mcp.chat.quoted_secrets import without_secrets

_WITH_REASONS = {"ERROR", "FAIL", "KICK", "KILL", "NOTICE", "WARN"}
_ERRORS = ("4", "5", "9")
"""What numerics that refuse something begin with (RFC 2812 5.2; 9: SASL)."""


def without_our_secrets(
    line: IrcMessage, secrets: Collection[str], is_our_nick: Callable[[str], bool]
) -> IrcMessage:
    """The line without the secrets in its reason, which is logged, and ends spans of the record.

    Not of what people say or do to others: that is recorded as they said it. They could guess a
    secret, and read from the record that it was one.
    """
    has_reason = line.command in _WITH_REASONS or (
        line.command.isdigit() and line.command.startswith(_ERRORS)
    )
    if not (has_reason and line.params and secrets):
        return line
    target = line.params[1:2] if line.command == "KICK" else line.params[:1]
    if not (_is_server(line.source) or any(map(is_our_nick, target))):
        return line
    *others, reason = line.params
    return replace(line, params=(*others, without_secrets(reason, secrets)))


def _is_server(source: Source | None) -> bool:
    return source is None or not (source.user or source.host)
