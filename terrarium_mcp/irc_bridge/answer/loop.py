"""The tool loop: the model looks things up, then answers. There is always an answer."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.transcript import RenderOptions, dated_line
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.answer.budget import (
    HARD_LIMIT,
    fitted,
    limit_for,
    raised_answer_limit,
    result_share,
    size,
    truncated,
)
from terrarium_mcp.irc_bridge.answer.cleaning import clean_answer
from terrarium_mcp.irc_bridge.answer.fenced_logs import fenced_logs
from terrarium_mcp.irc_bridge.answer.prompt import Question, messages_of, prompt_for
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.client import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.irc_bridge.model.legacy_tools import current_call
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ToolboxAway
from terrarium_mcp.offload import offload
from terrarium_mcp.settings import Settings

ROUNDS = 8
"""Most rounds of tool calls for one question."""

SAME_CALL = 3
"""A call repeated in this many rounds ends the loop; the second time is served from memory."""

BEST_LINES = 3
"""Search hits said instead of an answer when the model gives none."""

BEFOREHAND = 10
"""Search hits put into the prompt of a model without tool support."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to a question: the model's words, or search hits without it."""

    lines: Sequence[str]
    by_model: bool


class _BadArguments(TerrariumError):
    """The arguments of a tool call are not a JSON object."""


@dataclass(slots=True)
class _ToolLoop:
    """The state of one question while the model works on it."""

    question: Question
    llm: LLM
    toolbox: Toolbox
    settings: Settings
    talk: list[TalkMessage]
    limit: int = HARD_LIMIT
    halved: bool = False
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    remembered: dict[tuple[str, str], str] = field(default_factory=dict)

    async def words(self) -> str:
        """Let the model call tools for up to ROUNDS rounds, then answer without tools."""
        if not self.llm.takes_tools:
            await self._search_beforehand()
        for _ in range(ROUNDS):
            said = await self._next_message(self._menu)
            if not said.calls:
                return await self._final_words(said)
            if self._repeats(said.calls):
                break
            await self._look_up(said)
        return await self._final_words(await self._next_message(()))

    @property
    def _menu(self) -> Sequence[ToolSchema]:
        """The tools for this question: none that writes, if it is off the record."""
        menu = self.toolbox.menu
        return [tool for tool in menu if tool.only_reads] if self.question.off_record else menu

    async def _next_message(
        self, tools: Sequence[ToolSchema], max_tokens: int | None = None
    ) -> ModelMessage:
        """Ask the model; if it turns out to reject tools, search for it and ask again."""
        took_tools = self.llm.takes_tools
        said = await self._request(tools, max_tokens)
        if took_tools and not self.llm.takes_tools and await self._search_beforehand():
            return await self._request((), max_tokens)
        return said

    async def _request(self, tools: Sequence[ToolSchema], max_tokens: int | None) -> ModelMessage:
        """Ask the model; if its context is too small, once more with half the talk."""
        answer_tokens = max_tokens or self.settings.agent_max_tokens
        self.talk = fitted(self.talk, min(self.limit, limit_for(answer_tokens)))
        try:
            return await self.llm.next_message(self.talk, tools, max_tokens=max_tokens)
        except TalkTooLong:
            if self.halved:
                raise
            self.limit, self.halved = size(self.talk) // 2, True
            self.talk = fitted(self.talk, self.limit)
            return await self.llm.next_message(self.talk, tools, max_tokens=max_tokens)

    async def _final_words(self, said: ModelMessage) -> str:
        """The words of a message; if it only reasoned, ask once more with a larger answer limit."""
        if said.text.strip() or not said.only_reasoned:
            return said.text
        again = await self._next_message(
            (), max_tokens=raised_answer_limit(self.settings.agent_max_tokens)
        )
        return again.text

    def _repeats(self, calls: Sequence[ToolCall]) -> bool:
        keys = {_key(call) for call in calls}
        self.seen.update(keys)
        return any(self.seen[key] >= SAME_CALL for key in keys)

    async def _look_up(self, said: ModelMessage) -> None:
        """Run the calls of one round concurrently; append the results in the order of the calls."""
        self.talk.append(AssistantToolCalls(said))
        tokens = result_share(self.talk, len(said.calls), self.limit)
        calls = {_key(call): call for call in said.calls}  # the same call twice is one
        results: dict[tuple[str, str], str] = {}

        async def run(key: tuple[str, str]) -> None:
            results[key] = await self._result(calls[key], tokens)

        async with anyio.create_task_group() as tasks:
            for key in calls:
                tasks.start_soon(run, key)
        self.talk += [ToolResult(call.id, call.name, results[_key(call)]) for call in said.calls]

    async def _result(self, call: ToolCall, tokens: int) -> str:
        """The text for the model: the result, or what went wrong and the way out."""
        if (key := _key(call)) in self.remembered:
            return truncated(
                f"(asked before; the answer is the same)\n{self.remembered[key]}", tokens
            )
        try:
            name, arguments = current_call(call.name, _arguments(call))
            if not self.toolbox.offers(name, only_reads=self.question.off_record):
                return truncated(self.toolbox.unknown(name), tokens)
            view = {**self.question.view, "max_tokens": tokens}
            found = await self.toolbox.call(name, arguments, view)
        except (ToolboxAway, _BadArguments) as error:
            return truncated(str(error), tokens)
        self.remembered[key] = text = truncated(found.text, tokens)
        return text

    async def _search_beforehand(self) -> bool:
        """Add hits for the question to the talk of a model without tools; False if none."""
        lines = await best_lines(self.question, self.toolbox, self.settings, most=BEFOREHAND)
        if lines:
            self.talk.append(fenced_logs(lines[::-1], before="Found in the log, the best last:"))
        return bool(lines)


async def answer(
    question: Question, llm: LLM, toolbox: Toolbox, settings: Settings, nick: str
) -> Answer:
    """Answer a question with the model's words, or else with the best search hits for it."""
    talk = await prompt_for(question, toolbox, settings, nick)
    try:
        words = await _ToolLoop(question, llm, toolbox, settings, talk).words()
    except ModelUnavailable as error:
        return await _without_model(question, toolbox, settings, error.in_channel)
    except TalkTooLong:
        why = "The talk is too long for the model."
        return await _without_model(question, toolbox, settings, why)
    said = await offload(
        lambda: clean_answer(
            words,
            nick=nick,
            asker=question.asker,
            mark=settings.llm_mark,
            question=question.text,
            defused=question.unaddressed.defused,
        )
    )
    if not said:
        return await _without_model(question, toolbox, settings, "The model gave no answer.")
    return Answer(said, by_model=True)


async def best_lines(
    question: Question,
    toolbox: Toolbox,
    settings: Settings,
    *,
    most: int = BEST_LINES,
    viewer_url: str = "",
) -> list[str]:
    """The best hits for the question's own words, dated; none while the MCP server is away.

    They have permalinks if there is a `viewer_url`.
    """
    arguments = {"query": question.text, "limit": most, "format": "json"}
    try:
        found = await toolbox.call("search_irc_history", arguments, question.view)
    except ToolboxAway:
        return []
    options = RenderOptions(
        zone=settings.zone,
        budget=HARD_LIMIT,
        rooms_named=not question.channel,
        viewer_url=viewer_url,
    )
    return [dated_line(message, options) for message in messages_of(found)]


async def _without_model(
    question: Question, toolbox: Toolbox, settings: Settings, why: str
) -> Answer:
    lines = await best_lines(question, toolbox, settings, viewer_url=settings.viewer_url)
    found = ["The best lines I found myself:", *lines] if lines else ["I found no line about it."]
    lines = [question.unaddressed.defused(line) for line in found]
    return Answer([why, *lines], by_model=False)


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments of a tool call.

    Raises:
        _BadArguments: they are not a JSON object.
    """
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise _BadArguments(
            f"The arguments of {call.name} are not JSON ({error}). Write one JSON object."
        ) from None
    if not isinstance(arguments, dict):
        raise _BadArguments(f"The arguments of {call.name} must be one JSON object.")
    return arguments


def _key(call: ToolCall) -> tuple[str, str]:
    """Equal for two calls with the same name and arguments, however the JSON is formatted."""
    try:
        return call.name, json.dumps(_arguments(call), sort_keys=True)
    except (_BadArguments, RecursionError):
        return call.name, harmless(call.arguments)
