"""`!who`: how many are in a channel, of what rank, and who."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from terrarium_mcp.chat.defusing import JOINER
from terrarium_mcp.chat.splitting import split_for_irc
from terrarium_mcp.irc_bridge.answer.reply import SHOWN
from terrarium_mcp.irc_bridge.ask.command_context import CommandContext
from terrarium_mcp.irc_bridge.ask.short_commands.tool_answers import (
    channel_and_rest,
    listed,
    refused,
    without_cutoff,
)
from terrarium_mcp.wording import and_more

_TOKENS = 12_000
"""Estimated tokens for the list: some 250 members; four lines name 200 at most."""


async def who(context: CommandContext) -> list[str]:
    """!who: the members by rank; of several channels each on a line of its own."""
    channel, rest = channel_and_rest(context.command.rest)
    if rest:
        prefix = context.settings.command_prefix
        return [f"{prefix}who lists all who are here. For one person: {prefix}seen NICK."]
    view = {**without_cutoff(context.view), "max_tokens": _TOKENS}
    found = await context.toolbox.call("get_current_users", {"channel": channel}, view)
    if found.failed:
        return refused(found, context)
    stale = "" if found.facts.get("live") else f" (not live: {found.facts.get('why_stale', '')})"
    by_channel: dict[str, list[Mapping[str, Any]]] = {}
    for one in listed(found, "users"):
        by_channel.setdefault(one["channel"], []).append(one)
    if not by_channel:
        return [f"Nobody that I know of{stale}."]
    most_lines = max(1, SHOWN // len(by_channel))
    # A list that is too long is cut at its end, and those without a rank come last in a channel.
    unlisted = dict.fromkeys(by_channel, 0) | {[*by_channel][-1]: found.facts.get("left_out", 0)}
    return [
        _members(f"{name}{stale}", users, unlisted[name], context.text_bytes, most_lines)
        for name, users in by_channel.items()
    ]


def _members(
    where: str, users: Sequence[Mapping[str, Any]], unlisted: int, width: int, most_lines: int
) -> str:
    """`12 in #tea: 2 operators, 10 others: @ada, ...`: the first names, and how many more.

    As many are named as fit into lines of `width` bytes. Each name may be sent with a joiner in it,
    so that its bearer is not highlighted.
    """
    head = f"{len(users) + unlisted:,} in {where}: {_ranks(users, unlisted)}: "
    names = [f"{one['rank']}{one['nick']}" for one in users]
    as_sent = [name + JOINER for name in names]

    def lines_of(count: int) -> int:
        return len(split_for_irc(head + _some(as_sent, count, unlisted), width))

    fitting = bisect_right(range(1, len(names) + 1), most_lines, key=lines_of)
    return head + _some(names, max(1, fitting), unlisted)


def _some(names: Sequence[str], count: int, unlisted: int) -> str:
    """The first `count` names, and how many more there are with the `unlisted`."""
    return and_more([*names, *[""] * unlisted], count)


def _ranks(users: Sequence[Mapping[str, Any]], unlisted: int) -> str:
    """`2 operators, 3 voiced, 9 others`; the unlisted have no rank."""
    voiced = sum(one["rank"] == "+" for one in users)
    plain = sum(not one["rank"] for one in users)
    operators, others = len(users) - voiced - plain, plain + unlisted
    counts = [
        (operators, "operator" if operators == 1 else "operators"),
        (voiced, "voiced"),
        (others, "other" if others == 1 else "others"),
    ]
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)
