"""What a server says for people to read, which may quote our passwords and channel keys. Pure."""

from collections.abc import Collection
from dataclasses import replace

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.quoted_secrets import without_secrets

_WITH_REASONS = {"ERROR", "FAIL", "KICK", "KILL", "NOTICE", "WARN"}
_ERRORS = ("4", "5", "9")
"""What numerics that refuse something begin with (RFC 2812 5.2; 9: SASL)."""


def without_our_secrets(line: IrcMessage, secrets: Collection[str]) -> IrcMessage:
    """The line without the secrets in its reason: that is logged, and ends spans of the record."""
    has_reason = line.command in _WITH_REASONS or (
        line.command.isdigit() and line.command.startswith(_ERRORS)
    )
    if not (has_reason and line.params and secrets):
        return line
    *others, reason = line.params
    return replace(line, params=(*others, without_secrets(reason, secrets)))
