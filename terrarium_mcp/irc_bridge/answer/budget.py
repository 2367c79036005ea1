"""Keeps requests to the model within one token budget. Pure.

ALLOTMENTS is the one table of it: who gets what share, and what gives way first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate

from terrarium_mcp.chat.tokens import FRAME, estimated_tokens
from terrarium_mcp.irc_bridge.answer.model_request import (
    ModelRequest,
    ToolRound,
    cost,
    short_arguments,
    size,
)
from terrarium_mcp.irc_bridge.model.chat_types import AssistantToolCalls, ToolResult

SOFT_LIMIT = 3_500
"""Estimated tokens that the first request of a question is fitted into."""

HARD_LIMIT = 5_000
"""Estimated tokens that no request exceeds, tool results included."""

AGENT_HISTORY = 6_000
"""Tokens at which terrarium-agent silently truncates, less the answer's length, question first."""

LONGEST_AGENT_ANSWER = AGENT_HISTORY - HARD_LIMIT // 2
"""Most tokens of an answer that terrarium-agent is asked for: half a request fits beside it."""

MIN_RESULT = 250
"""Fewest tokens for which a tool result is worth having."""


class Part(StrEnum):
    """A part of a request; the value is how an operator reads of it."""

    SYSTEM = "role and rules"
    QUESTION = "question"
    SUMMARY = "summary"
    TURNS = "past turns"
    NEWEST = "newest lines"
    OLDER = "older lines"


@dataclass(frozen=True, slots=True)
class Allotment:
    """What a part may take of SOFT_LIMIT, in tokens, and when it gives way.

    What one part leaves of its `share` the others may use. `gives_way` is the order in which parts
    shrink when there is too little room for all, later rounds of tool calls included: 1 first, 0
    never. What a part loses then, bit by bit, is in `_SHRINKING`.
    """

    part: Part
    share: int
    gives_way: int


ALLOTMENTS: Sequence[Allotment] = (
    Allotment(Part.SYSTEM, 700, 0),
    Allotment(Part.QUESTION, 300, 0),
    Allotment(Part.OLDER, 300, 1),
    Allotment(Part.TURNS, 1_000, 2),
    Allotment(Part.NEWEST, 900, 3),
    Allotment(Part.SUMMARY, 300, 4),
)
"""The budget of a request. The reasoning of rounds goes first, then their long arguments and a
round that would not fit alone, then results of earlier ones shrink to a line, before any part gives
way; after the last part, whole rounds go."""

TURNS_SHARE = next(one.share for one in ALLOTMENTS if one.part is Part.TURNS)
"""Estimated tokens of past turns above which they are summarised."""

SUMMARY_SHARE = next(one.share for one in ALLOTMENTS if one.part is Part.SUMMARY)
"""Most estimated tokens of a summary."""

_LONGEST_WORDS = 100
"""Estimated tokens kept of what the model said beside calls, where there is little room."""

_CUT = "\n(cut: the rest did not fit)"
_SHORTENED = " (shortened)"

_Step = Callable[[ModelRequest, int], ModelRequest]


def answer_limit(wanted: int, *, may_cut: bool) -> int:
    """The tokens of an answer to ask for: `wanted`, as far as terrarium-agent has room for them.

    `may_cut`: whether the endpoint may be terrarium-agent; any other is asked for all of them.
    """
    return min(wanted, LONGEST_AGENT_ANSWER) if may_cut else wanted


def request_limit(answer_tokens: int, *, may_cut: bool) -> int:
    """The token limit of a request whose answer has that limit (`answer_limit`).

    Of terrarium-agent's window it is what the answer leaves: a token less for each one that the
    answer may have beyond 1,000.
    """
    return min(HARD_LIMIT, AGENT_HISTORY - answer_tokens) if may_cut else HARD_LIMIT


def raised_answer_limit(answer_tokens: int) -> int:
    """The limit for a second try, after an answer that was all reasoning: never below the first.

    It is four times as large, but for more than terrarium-agent has room for nobody is asked: many
    endpoints refuse what exceeds the context of their model.
    """
    return max(answer_tokens, min(4 * answer_tokens, LONGEST_AGENT_ANSWER))


def first_request(request: ModelRequest, limit: int = SOFT_LIMIT) -> ModelRequest:
    """A request without rounds reduced to `limit` tokens: no part takes another's share.

    Parts that exceed their share shrink to it, in the order in which they give way, until all fit.
    Should that not be enough, they give way further, as in `fitted`.
    """
    if request.size <= limit:  # as nearly always: it is weighed once, not for each part again
        return request
    return fitted(_shrunk(request, limit, lambda one: one.share), limit)


def fitted(request: ModelRequest, limit: int) -> ModelRequest:
    """The request reduced to `limit` tokens, least important content first, no more than needed.

    In order: the reasoning that came with calls goes; long words and arguments of calls shrink; the
    newest round is dropped if even alone it would not fit; older tool results shrink to one line;
    the parts give way; older rounds are dropped (each call with its results); the newest results
    are truncated.
    What the system message says first, and the question, always stay.
    """
    steps: tuple[_Step, ...] = (
        _without_reasoning,
        _with_short_calls,
        _without_hopeless_rounds,
        _with_short_older_results,
        _with_less_around,
        _without_older_rounds,
        _with_cut_results,
    )
    for step in steps:
        if request.size <= limit:
            break
        request = step(request, limit)
    return request


def result_share(request: ModelRequest, limit: int = HARD_LIMIT) -> int:
    """Tokens for each result of the calls of the last round, which has none yet.

    `limit` is that of the next request: with a larger one, what else is in it would give way. No
    reasoning has room that results can use.
    """
    calls = len(request.rounds[-1].calls.said.calls)
    request = _without_reasoning(request, 0)
    room = limit - fitted(request, limit - MIN_RESULT * calls).size
    return max(MIN_RESULT, min(SOFT_LIMIT, room) // calls) - FRAME


def tokens_of(request: ModelRequest, part: Part) -> int:
    """The estimated tokens of a part."""
    match part:
        case Part.SYSTEM:
            return estimated_tokens(request.system)
        case Part.QUESTION:
            return estimated_tokens(request.question)
        case Part.SUMMARY:
            return estimated_tokens(request.summary)
        case Part.TURNS:
            return sum(turn.size for turn in request.turns)
        case Part.NEWEST:
            return estimated_tokens(request.newest.text)
        case Part.OLDER:
            return estimated_tokens(request.older.text)


def truncated(text: str, tokens: int) -> str:
    """`text` truncated to `tokens`, with a note that it was, if the note fits."""
    if estimated_tokens(text) <= tokens:
        return text
    note = _CUT if estimated_tokens(_CUT) <= tokens else ""
    quarters = 4 * (tokens - estimated_tokens(note))
    spent = accumulate(1 if char.isascii() else 2 for char in text[:quarters])
    return text[: sum(1 for so_far in spent if so_far <= quarters)] + note


def _giving_way() -> list[Allotment]:
    """The parts that give way, the first to do so first."""
    return sorted((one for one in ALLOTMENTS if one.gives_way), key=lambda one: one.gives_way)


_SHRINKING: dict[Part, Callable[[ModelRequest], ModelRequest]] = {
    Part.OLDER: lambda request: replace(request, older=request.older.without_last()),
    Part.TURNS: lambda request: replace(request, turns=request.turns[1:]),
    Part.NEWEST: lambda request: replace(request, newest=request.newest.without_first()),
    Part.SUMMARY: lambda request: replace(request, summary=""),
}
"""How each part loses its least important bit."""


def _without_reasoning(request: ModelRequest, limit: int) -> ModelRequest:
    """The oldest goes first: an endpoint that insists on it reads of those calls in words."""
    for index, one in enumerate(request.rounds):
        if request.size <= limit:
            break
        request = request.with_round_at(index, one.without_reasoning)
    return request


def _with_short_calls(request: ModelRequest, limit: int) -> ModelRequest:
    """The model wrote them itself, and an earlier turn has them no longer either."""
    for index, one in enumerate(request.rounds):
        if request.size <= limit:
            break
        said = one.calls.said
        calls = (replace(call, arguments=short_arguments(call.arguments)) for call in said.calls)
        short = replace(said, text=truncated(said.text, _LONGEST_WORDS), calls=tuple(calls))
        request = request.with_round_at(index, replace(one, calls=AssistantToolCalls(short)))
    return request


def _without_hopeless_rounds(request: ModelRequest, limit: int) -> ModelRequest:
    """What is given up for a round that cannot be sent in any case is lost for nothing."""
    while request.rounds and _size_alone(request, request.rounds[-1]) > limit:
        request = replace(request, rounds=request.rounds[:-1])
    return request


def _size_alone(request: ModelRequest, one: ToolRound) -> int:
    """The estimated tokens of a request with what always stays and this round, without results."""
    empty = tuple(replace(result, text="") for result in one.results)
    return ModelRequest(
        request.system,
        request.question,
        replace(request.older, lines=()),
        replace(request.newest, lines=()),
        rounds=(replace(one, results=empty),),
    ).size


def _with_short_older_results(request: ModelRequest, limit: int) -> ModelRequest:
    for index, one in enumerate(request.rounds[:-1]):
        for number, result in enumerate(one.results):
            if request.size <= limit:
                return request
            short = min(result, replace(result, text=_first_line(result.text)), key=cost)
            request = _with_result(request, index, number, short)
    return request


def _with_result(
    request: ModelRequest, index: int, number: int, result: ToolResult
) -> ModelRequest:
    results = list(request.rounds[index].results)
    results[number] = result
    return request.with_round_at(index, replace(request.rounds[index], results=tuple(results)))


def _with_less_around(request: ModelRequest, limit: int) -> ModelRequest:
    return _shrunk(request, limit, lambda _: 0)


def _shrunk(request: ModelRequest, limit: int, down_to: Callable[[Allotment], int]) -> ModelRequest:
    """The request with less of each part, in their order, until it fits.

    Of a part no more goes once it has at most the tokens that `down_to` returns for it.
    """
    for one in _giving_way():
        shrink = _SHRINKING[one.part]
        while request.size > limit and tokens_of(request, one.part) > down_to(one):
            request = shrink(request)
    return request


def _without_older_rounds(request: ModelRequest, limit: int) -> ModelRequest:
    while request.size > limit and len(request.rounds) > 1:
        request = replace(request, rounds=request.rounds[1:])
    return request


def _with_cut_results(request: ModelRequest, limit: int) -> ModelRequest:
    if not (request.rounds and request.rounds[-1].results):
        return request
    results = request.rounds[-1].results
    room = limit - request.size + size(results)
    each = max(0, room // len(results) - FRAME)
    cut = tuple(replace(one, text=truncated(one.text, each)) for one in results)
    return request.with_round_at(-1, ToolRound(request.rounds[-1].calls, cut))


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:200] + _SHORTENED
