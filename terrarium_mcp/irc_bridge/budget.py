"""How large a request may be: one budget over everything the model is sent. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.quoting import Quoting
from terrarium_mcp.irc_bridge.turns import Called, Said, TalkMessage, ToolResult

USUAL = 3_500
"""Estimated tokens that a question with its log lines is meant to stay within."""

HARD = 5_000
"""Estimated tokens that no request exceeds, tool results included."""

HISTORY = 6_000
"""terrarium-agent cuts silently at this, less the answer's length; the question goes first."""

LEAST = 250
"""A tool result smaller than this tells little."""

_SMALLEST = 1_000  # the least that holds the system message, a question and a few lines
_FRAME = 4  # what a message costs besides its text
_CUT = "\n(cut: the rest did not fit)"
_SHORTENED = " (shortened)"

Talk = Sequence[TalkMessage]


def limit_for(answer_tokens: int) -> int:
    """The tokens of a request that leaves the agent room for an answer of that length.

    Who wants answers for which the agent has no room at all has another endpoint.
    """
    left = HISTORY - answer_tokens
    return min(HARD, left) if left >= _SMALLEST else HARD


def longer(answer_tokens: int) -> int:
    """A larger limit for an answer, for which the agent need not forget the question."""
    return max(answer_tokens, min(4 * answer_tokens, HISTORY - HARD // 2))


def cost(message: TalkMessage) -> int:
    """What one message of the talk costs, in estimated tokens."""
    match message:
        case Said(text=text) | ToolResult(text=text):
            return _FRAME + estimated_tokens(text)
        case Called(turn=turn):
            # Said twice: as a call, and in words for endpoints that drop the call.
            calls = sum(
                _FRAME + estimated_tokens(call.name + call.arguments) for call in turn.calls
            )
            return _FRAME + estimated_tokens(turn.text) + 2 * calls


def size(talk: Talk) -> int:
    """What the whole request costs."""
    return sum(map(cost, talk))


def fitted(talk: Talk, limit: int) -> list[TalkMessage]:
    """The talk within `limit`: what matters least goes first, and no more than has to.

    Older tool results shrink to a line, then the oldest log lines go, then the older rounds (a
    call goes with its results), then the newest results are cut, at last the newest round goes
    too. Only the system message and the question always stay.
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


def share(talk: Talk, calls: int, limit: int = HARD) -> int:
    """How many tokens the result of each of the `calls` that end the talk may take."""
    room = limit - size(fitted(talk, limit - LEAST * calls))
    return max(LEAST, min(USUAL, room) // calls) - _FRAME


def cut(text: str, tokens: int) -> str:
    """`text` within `tokens`, with a word about what is missing if there is room for it."""
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
        while isinstance(quote := fitting[at], Quoting) and quote.lines and size(fitting) > limit:
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
    return [replace(one, text=cut(one.text, each)) if one in results else one for one in talk]


def _without_rounds(talk: Talk, _: int) -> Talk:
    return [message for message in talk if isinstance(message, Said)]


def _rounds(talk: Talk) -> list[int]:
    """Where the model's calls stand; their results follow them."""
    return [at for at, message in enumerate(talk) if isinstance(message, Called)]


def _newest_round(talk: Talk) -> int:
    return max(_rounds(talk), default=len(talk))


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:200] + _SHORTENED
