"""Who runs a channel: its operators, from the member prefixes of the network. Pure."""

from collections.abc import Mapping

from terrarium_mcp.chat.records import Member

_OPERATOR_MODES = ("o", "h")
"""Operator and half-operator (RFC 2811 4.1, ISUPPORT PREFIX). Whatever ranks higher, such as the
founder's `q`, operates as well."""


def is_operator(member: Member, prefixes: Mapping[str, str]) -> bool:
    """Whether a member is a half-operator of the channel, or ranks above.

    Args:
        member: the member, with their highest prefix.
        prefixes: the network's prefixes and their mode letters, the highest first.
    """
    return member.rank in _operator_prefixes(prefixes)


def _operator_prefixes(prefixes: Mapping[str, str]) -> list[str]:
    """All prefixes down to the lowest of an operator."""
    ranks = [at for at, mode in enumerate(prefixes.values()) if mode in _OPERATOR_MODES]
    return list(prefixes)[: max(ranks, default=-1) + 1]
