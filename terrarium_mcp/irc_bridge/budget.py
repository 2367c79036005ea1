"""How large a request may be: one budget over everything the model is sent. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.turns import Called, Said, TalkMessage, ToolResult

USUAL = 3_500
"""Estimated tokens that a request is meant to stay within."""

HARD = 5_000
"""Estimated tokens that no request exceeds, tool results included. terrarium-agent cuts silently at
6,000 less the answer's length, and it cuts the question first."""

LEAST = 250
"""A tool result smaller than this tells nothing."""

_FRAME = 4  # what a message costs besides its text


def cost(message: TalkMessage) -> int:
    """What one message of the talk costs, in estimated tokens."""
    match message:
        case Said(text=text) | ToolResult(text=text):
            return _FRAME + estimated_tokens(text)
        case Called(turn=turn):
            # Said twice: as a call, and in words for endpoints that drop the call.
            calls = sum(estimated_tokens(call.name + call.arguments) for call in turn.calls)
            return _FRAME + estimated_tokens(turn.text) + 2 * calls


def size(talk: Sequence[TalkMessage]) -> int:
    """What the whole request costs."""
    return sum(map(cost, talk))


def fitted(talk: Sequence[TalkMessage], limit: int) -> list[TalkMessage]:
    """The talk within `limit`: its oldest tool results shrink to their first line, one by one."""
    fitting = list(talk)
    for at, message in enumerate(fitting):
        if size(fitting) <= limit:
            break
        if isinstance(message, ToolResult):
            fitting[at] = replace(message, text=_first_line(message.text))
    return fitting


def share(talk: Sequence[TalkMessage], calls: int, limit: int = HARD) -> int:
    """How many tokens each of `calls` results may take, so that the next request still fits."""
    room = limit - size(fitted(talk, limit - LEAST * calls))
    return max(LEAST, min(USUAL, room) // calls - _FRAME)


def cut(text: str, tokens: int) -> str:
    """`text` within `tokens`, with a word about what is missing."""
    if estimated_tokens(text) <= tokens:
        return text
    note = "\n(cut: the rest did not fit)"
    kept = text
    while kept and estimated_tokens(kept + note) > tokens:
        kept = kept[: len(kept) * 9 // 10]
    return kept + note


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:200] + " (shortened)"
