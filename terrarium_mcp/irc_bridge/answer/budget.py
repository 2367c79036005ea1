"""Keeps requests to the model within one token budget. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.answer.fenced_logs import FencedLogs
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    TalkMessage,
    ToolResult,
)

SOFT_LIMIT = 3_500
"""Estimated tokens that the first request of a question is fitted into."""

HARD_LIMIT = 5_000
"""Estimated tokens that no request exceeds, tool results included."""

AGENT_HISTORY = 6_000
"""Tokens at which terrarium-agent silently truncates, less the answer's length, question first."""

MIN_RESULT = 250
"""Fewest tokens for which a tool result is worth having."""

_SMALLEST = 1_000  # fits the system message, a question and a few lines
_FRAME = 4  # tokens of a message besides its text
_CUT = "\n(cut: the rest did not fit)"
_SHORTENED = " (shortened)"

Talk = Sequence[TalkMessage]


def limit_for(answer_tokens: int) -> int:
    """The token limit of a request that leaves terrarium-agent room for an answer of that length.

    An answer length for which it has no room at all means another endpoint: HARD_LIMIT then.
    """
    left = AGENT_HISTORY - answer_tokens
    return min(HARD_LIMIT, left) if left >= _SMALLEST else HARD_LIMIT


def raised_answer_limit(answer_tokens: int) -> int:
    """A larger answer limit for which terrarium-agent still keeps the question."""
    return max(answer_tokens, min(4 * answer_tokens, AGENT_HISTORY - HARD_LIMIT // 2))


def cost(message: TalkMessage) -> int:
    """The estimated tokens of one message."""
    match message:
        case ChatMessage(text=text) | ToolResult(text=text):
            return _FRAME + estimated_tokens(text)
        case AssistantToolCalls(said=said):
            # Sent twice: as a call, and as text for endpoints that drop calls.
            calls = sum(
                _FRAME + estimated_tokens(call.name + call.arguments) for call in said.calls
            )
            return _FRAME + estimated_tokens(said.text) + 2 * calls


def size(talk: Talk) -> int:
    """The estimated tokens of the whole request."""
    return sum(map(cost, talk))


def fitted(talk: Talk, limit: int) -> list[TalkMessage]:
    """The talk reduced to `limit` tokens, least important content first, no more than needed.

    In order: older tool results shrink to one line; the oldest log lines are dropped; older
    rounds are dropped (each call with its results); the newest results are truncated; the newest
    round is dropped. The system message and the question always stay.
    """
    steps: tuple[Callable[[Talk, int], Talk], ...] = (
        _with_short_older_results,
        _with_fewer_log_lines,
        _without_older_rounds,
        _with_cut_results,
        _without_rounds,
    )
    for step in steps:
        if size(talk) <= limit:
            break
        talk = step(talk, limit)
    return list(talk)


def result_share(talk: Talk, calls: int, limit: int = HARD_LIMIT) -> int:
    """Tokens for each result of the `calls` pending calls at the end of the talk."""
    room = limit - size(fitted(talk, limit - MIN_RESULT * calls))
    return max(MIN_RESULT, min(SOFT_LIMIT, room) // calls) - _FRAME


def truncated(text: str, tokens: int) -> str:
    """`text` truncated to `tokens`, with a note that it was, if the note fits."""
    if estimated_tokens(text) <= tokens:
        return text
    note = _CUT if estimated_tokens(_CUT) <= tokens else ""
    quarters = 4 * (tokens - estimated_tokens(note))
    spent = accumulate(1 if char.isascii() else 2 for char in text)
    return text[: sum(1 for so_far in spent if so_far <= quarters)] + note


def _with_short_older_results(talk: Talk, limit: int) -> Talk:
    fitting = list(talk)
    for at, message in enumerate(fitting[: _newest_round(talk)]):
        if size(fitting) <= limit:
            break
        if isinstance(message, ToolResult):
            fitting[at] = min(message, replace(message, text=_first_line(message.text)), key=cost)
    return fitting


def _with_fewer_log_lines(talk: Talk, limit: int) -> Talk:
    fitting = list(talk)
    for at in range(len(fitting)):
        while (
            isinstance(quote := fitting[at], FencedLogs) and quote.lines and size(fitting) > limit
        ):
            fitting[at] = quote.shorter()
    return fitting


def _without_older_rounds(talk: Talk, limit: int) -> Talk:
    while size(talk) > limit and len(rounds := _rounds(talk)) > 1:
        oldest = talk[rounds[0] : rounds[1]]
        talk = [*talk[: rounds[0]], *_without_rounds(oldest, limit), *talk[rounds[1] :]]
    return talk


def _with_cut_results(talk: Talk, limit: int) -> Talk:
    results = [one for one in talk[_newest_round(talk) :] if isinstance(one, ToolResult)]
    if not results:
        return talk
    room = limit - size(talk) + size(results)
    each = max(0, room // len(results) - _FRAME)
    return [replace(one, text=truncated(one.text, each)) if one in results else one for one in talk]


def _without_rounds(talk: Talk, _: int) -> Talk:
    return [message for message in talk if isinstance(message, ChatMessage)]


def _rounds(talk: Talk) -> list[int]:
    """Indexes of the model's calls; their results follow them."""
    return [at for at, message in enumerate(talk) if isinstance(message, AssistantToolCalls)]


def _newest_round(talk: Talk) -> int:
    return max(_rounds(talk), default=len(talk))


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:200] + _SHORTENED
