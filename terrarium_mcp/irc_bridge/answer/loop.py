"""The tool loop: the model looks things up, then answers. There is always an answer."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio

from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.transcript import dated_line
from terrarium_mcp.irc_bridge.answer.briefing import Briefing
from terrarium_mcp.irc_bridge.answer.budget import (
    HARD_LIMIT,
    answer_limit,
    fitted,
    raised_answer_limit,
    request_limit,
    result_share,
)
from terrarium_mcp.irc_bridge.answer.cleaning import clean_answer
from terrarium_mcp.irc_bridge.answer.context import QuestionContext, question_context
from terrarium_mcp.irc_bridge.answer.gathering import hits_on_disk
from terrarium_mcp.irc_bridge.answer.model_request import ToolRound
from terrarium_mcp.irc_bridge.answer.quotes import quote_options
from terrarium_mcp.irc_bridge.answer.tool_calls import ToolCalls
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ModelMessage,
    ToolResult,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.client import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.irc_bridge.model.text_tool_calls import text_tool_calls
from terrarium_mcp.irc_bridge.toolbox import ToolsAtHand
from terrarium_mcp.offload import offload
from terrarium_mcp.store import ToolStep
from terrarium_mcp.wording import quantity

ROUNDS = 8
"""Most rounds of tool calls for one question."""

COUNTDOWN_FROM = 5
"""The round from which on results say how many rounds are left."""

LOOKING_UP = 180.0
"""Seconds after which no further round begins: the model has to answer from what it has."""

ANSWERED_WITHIN = 240.0
"""Seconds for a question as a whole; after that, its asker gets the best lines."""

BEST_LINES = 3
"""Search hits said instead of an answer when the model gives none."""

SHORT_ANSWER = 300
"""Characters of an answer that is cleaned at once, in 0.1 ms of CPU, or 10 if it is made to take
long: in a thread it would wait for its turn a millisecond and more."""

_COUNTDOWN_TOKENS = 12

_BEHIND_WORDS = "Not called: it was behind words. Write the call alone, or answer without one."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to a question: the model's words, or search hits without it.

    Args:
        lines: what to say.
        by_model: whether the words are a model's.
        steps: what was looked up for it.
        shown: the ids of all messages that may be quoted in it.
        breakdown: what the first request was made of, a line for each part.
    """

    lines: Sequence[str]
    by_model: bool
    steps: tuple[ToolStep, ...] = ()
    shown: frozenset[int] = frozenset()
    breakdown: tuple[str, ...] = ()


class _ToolLoop:
    """The state of one question while the model works on it."""

    def __init__(self, briefing: Briefing, llm: LLM, tools: ToolsAtHand) -> None:
        self.tool_calls = ToolCalls(briefing.question, tools)
        self._briefing = briefing
        self._llm = llm
        self._limit = HARD_LIMIT
        self._halved = self._refused = False
        self.context = self._first_context()
        self._request = self.context.request

    async def last_message(self) -> ModelMessage:
        """Let the model call tools for up to ROUNDS rounds, then answer without tools."""
        begun = anyio.current_time()
        for number in range(1, ROUNDS + 1):
            said = await self._next_message(self.tool_calls.menu)
            if said.calls_behind and not self._refused:
                self._refuse(said)
            elif not said.calls:
                return await self._last_message(said)
            else:
                self.tool_calls.count(said.calls)
                if self.tool_calls.is_repeating:
                    break
                await self._look_up(said, rounds_left=ROUNDS - number)
            if anyio.current_time() - begun > LOOKING_UP:
                break
        return await self._last_message(await self._next_message(()))

    def _first_context(self) -> QuestionContext:
        return question_context(self._briefing, takes_tools=self._llm.takes_tools)

    async def _next_message(
        self, menu: Sequence[ToolSchema], max_tokens: int | None = None
    ) -> ModelMessage:
        """Ask the model; if it turns out to reject tools, show it more hits and ask again."""
        took_tools = self._llm.takes_tools
        said = await self._ask(menu, max_tokens)
        if took_tools and not self._llm.takes_tools:
            context = self._first_context()
            if context.shown > self.context.shown:
                self.context = context
                self._request = replace(context.request, rounds=self._request.rounds)
                return await self._ask((), max_tokens)
        return said

    async def _ask(self, menu: Sequence[ToolSchema], max_tokens: int | None) -> ModelMessage:
        """Ask the model; if its context is too small, once more with half the talk."""
        self._request = fitted(self._request, self._request_limit(max_tokens))
        try:
            return await self._measured_message(menu, max_tokens)
        except TalkTooLong:
            if self._halved:
                raise
            self._limit, self._halved = self._request.size // 2, True
            self._request = fitted(self._request, self._limit)
            return await self._measured_message(menu, max_tokens)

    def _answer_limit(self, max_tokens: int | None) -> int:
        wanted = max_tokens or self._briefing.settings.agent_max_tokens
        return answer_limit(wanted, may_cut=self._llm.may_cut_history)

    def _request_limit(self, max_tokens: int | None = None) -> int:
        """The token limit of a request whose answer may have `max_tokens`, else those set."""
        tokens = self._answer_limit(max_tokens)
        return min(self._limit, request_limit(tokens, may_cut=self._llm.may_cut_history))

    async def _measured_message(
        self, menu: Sequence[ToolSchema], max_tokens: int | None
    ) -> ModelMessage:
        """The model's next message; the talk log gets its time and its tokens."""
        watch, limit = self._briefing.question.watch, self._answer_limit(max_tokens)
        with watch.part("model request"):
            said = await self._llm.next_message(self._request.talk, menu, max_tokens=limit)
            watch.spent(said.usage)
        return said

    async def _last_message(self, said: ModelMessage) -> ModelMessage:
        """A message as the last one; if it only reasoned, ask once more with a larger limit.

        A call that it writes although no tools are offered any more is no answer.
        """
        if said.only_reasoned and not said.text.strip():
            limit = raised_answer_limit(self._briefing.settings.agent_max_tokens)
            said = await self._next_message((), max_tokens=limit)
        calls = text_tool_calls(said.text, {tool.name for tool in self.tool_calls.menu})
        return replace(said, text="", calls=calls) if calls else said

    def _refuse(self, said: ModelMessage) -> None:
        """Let the model write the calls behind its words again, alone; once for a question.

        What is before them is no answer then, but `Let me look that up.`
        """
        self._refused = True
        calling = replace(said, calls=said.calls_behind)
        refusals = tuple(ToolResult(call.id, call.name, _BEHIND_WORDS) for call in calling.calls)
        self._request = self._request.with_round(ToolRound(AssistantToolCalls(calling), refusals))

    async def _look_up(self, said: ModelMessage, rounds_left: int) -> None:
        """Run the calls of one round; near the last one, the results say how many are left."""
        note = _countdown(rounds_left)
        asking = self._request.with_round(ToolRound(AssistantToolCalls(said)))
        tokens = result_share(asking, self._request_limit()) - (_COUNTDOWN_TOKENS if note else 0)
        with self._briefing.question.watch.part("tool calls"):
            results = await self.tool_calls.run(said, tokens)
        noted = tuple(_with_note(result, note) for result in results)
        self._request = self._request.with_round(ToolRound(AssistantToolCalls(said), noted))


async def answer(briefing: Briefing, llm: LLM, tools: ToolsAtHand) -> Answer:
    """Answer a question with the model's words, or else with the best search hits for it.

    Args:
        briefing: what it is answered from.
        llm: the model.
        tools: the tools at hand for it.
    """
    loop, question = _ToolLoop(briefing, llm, tools), briefing.question
    log.debug(
        "a question of %s in %s: %s", question.asker, question.channel, loop.context.breakdown
    )
    last, why = ModelMessage(""), ""
    try:
        with anyio.fail_after(ANSWERED_WITHIN):
            last = await loop.last_message()
    except ModelUnavailable as error:
        why = error.public
    except TalkTooLong:
        why = "The talk is too long for the model."
    except TimeoutError:
        why = "The model took too long."
    with question.watch.part("cleaning"):
        said = await _cleaned(last.text, briefing)
    if not (said or why):
        why = llm.note_no_answer(last).public
    best = () if said else await _best_hits(briefing, tools)
    quoted = frozenset(message.id for message in best)
    return Answer(
        said or _best_lines(briefing, best, why),
        by_model=bool(said),
        steps=tuple(loop.tool_calls.steps),
        shown=loop.context.shown | frozenset(loop.tool_calls.shown) | quoted,
        breakdown=loop.context.breakdown,
    )


async def _cleaned(words: str, briefing: Briefing) -> list[str]:
    """The model's words as lines for IRC, made beside the event loop where they are many."""
    question = briefing.question
    clean = partial(
        clean_answer,
        words,
        nick=briefing.nick,
        asker=question.asker,
        mark=briefing.settings.llm_mark,
        question=question.text,
        defused=question.unaddressed.defused,
    )
    return clean() if len(words) <= SHORT_ANSWER else await offload(clean)


async def _best_hits(briefing: Briefing, tools: ToolsAtHand) -> Sequence[Message]:
    """The best hits for the question; those that were gathered, if nothing more can be found."""
    with briefing.question.watch.part("context"):
        found = await hits_on_disk(briefing.question, tools)
    return (found or briefing.lines.hits)[:BEST_LINES]


def _best_lines(briefing: Briefing, best: Sequence[Message], why: str) -> list[str]:
    """Why there is no answer of the model, and the best hits for the question, dated."""
    question = briefing.question
    options = quote_options(question.channel, briefing.settings, linked=True)
    dated = [dated_line(message, options) for message in best]
    found = ["The best lines I found myself:", *dated] if dated else ["I found no line about it."]
    return [why, *map(question.unaddressed.defused, found)]


def _countdown(rounds_left: int) -> str:
    if rounds_left > ROUNDS - COUNTDOWN_FROM:
        return ""
    if not rounds_left:
        return "\n(no tool calls are left: answer now)"
    return f"\n({quantity(rounds_left, 'round')} of tool calls left)"


def _with_note(result: ToolResult, note: str) -> ToolResult:
    return replace(result, text=result.text + note)
