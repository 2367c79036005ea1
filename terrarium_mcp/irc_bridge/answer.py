"""The model looks things up, then it speaks: there is always an answer."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.transcript import Setting
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.budget import HARD, cut, fitted, limit_for, longer, share, size
from terrarium_mcp.irc_bridge.context import Question, dated, messages_of, talk_about
from terrarium_mcp.irc_bridge.earlier import in_todays_words
from terrarium_mcp.irc_bridge.llm import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.irc_bridge.quoting import quoting
from terrarium_mcp.irc_bridge.reply import clean_answer
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ToolboxAway
from terrarium_mcp.irc_bridge.turns import (
    Called,
    TalkMessage,
    ToolCall,
    ToolResult,
    ToolSchema,
    Turn,
)
from terrarium_mcp.settings import Settings

ROUNDS = 8
"""How often the model may look things up for one question."""

SAME_CALL = 3
"""The same call in so many rounds ends the looking up; the second is served from memory."""

BEST_LINES = 3
"""Lines that stand in for an answer when the model gives none."""

BEFOREHAND = 10
"""Lines found for a model that cannot search."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What to tell the asker: the model's words, or what was found without it."""

    lines: Sequence[str]
    by_model: bool


class _BadArguments(TerrariumError):
    """The model's arguments are no JSON object."""


@dataclass(slots=True)
class _Answering:
    """One question on its way to an answer."""

    question: Question
    llm: LLM
    toolbox: Toolbox
    settings: Settings
    talk: list[TalkMessage]
    limit: int = HARD
    halved: bool = False
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    remembered: dict[tuple[str, str], str] = field(default_factory=dict)

    async def words(self) -> str:
        """Let the model look things up for some rounds, then let it speak."""
        if not self.llm.takes_tools:
            await self._look_beforehand()
        for _ in range(ROUNDS):
            turn = await self._next_turn(self.toolbox.menu)
            if not turn.calls:
                return await self._spoken(turn)
            if self._repeats(turn.calls):
                break
            await self._look_up(turn)
        return await self._spoken(await self._next_turn(()))

    async def _next_turn(self, tools: Sequence[ToolSchema], max_tokens: int | None = None) -> Turn:
        """Ask the model; if it turns out to take no tools, look up for it and ask again."""
        took_tools = self.llm.takes_tools
        turn = await self._asked(tools, max_tokens)
        if took_tools and not self.llm.takes_tools and await self._look_beforehand():
            return await self._asked((), max_tokens)
        return turn

    async def _asked(self, tools: Sequence[ToolSchema], max_tokens: int | None) -> Turn:
        """Ask the model; where its context is too small, once more with half the talk."""
        answer_tokens = max_tokens or self.settings.agent_max_tokens
        self.talk = fitted(self.talk, min(self.limit, limit_for(answer_tokens)))
        try:
            return await self.llm.next_turn(self.talk, tools, max_tokens=max_tokens)
        except TalkTooLong:
            if self.halved:
                raise
            self.limit, self.halved = size(self.talk) // 2, True
            self.talk = fitted(self.talk, self.limit)
            return await self.llm.next_turn(self.talk, tools, max_tokens=max_tokens)

    async def _spoken(self, turn: Turn) -> str:
        """The words of a turn; if it only reasoned, once more with room to come to the point."""
        if turn.text.strip() or not turn.only_reasoned:
            return turn.text
        again = await self._next_turn((), max_tokens=longer(self.settings.agent_max_tokens))
        return again.text

    def _repeats(self, calls: Sequence[ToolCall]) -> bool:
        keys = {_key(call) for call in calls}
        self.seen.update(keys)
        return any(self.seen[key] >= SAME_CALL for key in keys)

    async def _look_up(self, turn: Turn) -> None:
        """Run the calls of one round side by side; their results stand in the order asked."""
        self.talk.append(Called(turn))
        room = share(self.talk, len(turn.calls), self.limit)
        calls = {_key(call): call for call in turn.calls}  # the same call twice is one
        results: dict[tuple[str, str], str] = {}

        async def run(key: tuple[str, str]) -> None:
            results[key] = await self._result(calls[key], room)

        async with anyio.create_task_group() as tasks:
            for key in calls:
                tasks.start_soon(run, key)
        self.talk += [ToolResult(call.id, call.name, results[_key(call)]) for call in turn.calls]

    async def _result(self, call: ToolCall, room: int) -> str:
        """What a call gives the model: a result, or what went wrong and the way out."""
        if (key := _key(call)) in self.remembered:
            return cut(f"(asked before: the answer is the same)\n{self.remembered[key]}", room)
        try:
            name, arguments = in_todays_words(call.name, _arguments(call))
            if not self.toolbox.offers(name):
                return cut(self.toolbox.unknown(name), room)
            view = {**self.question.view, "max_tokens": room}
            found = await self.toolbox.call(name, arguments, view)
        except (ToolboxAway, _BadArguments) as why:
            return cut(str(why), room)
        self.remembered[key] = text = cut(found.text, room)
        return text

    async def _look_beforehand(self) -> bool:
        """Search with the question's words for a model that cannot search."""
        lines = await best_lines(self.question, self.toolbox, self.settings, most=BEFOREHAND)
        if lines:
            self.talk.append(quoting(lines[::-1], before="Found in the log, the best at the end:"))
        return bool(lines)


async def answer(
    question: Question, llm: LLM, toolbox: Toolbox, settings: Settings, nick: str
) -> Answer:
    """Answer a question with the model's words, else with the best lines found for it."""
    talk = await talk_about(question, toolbox, settings, nick)
    try:
        words = await _Answering(question, llm, toolbox, settings, talk).words()
    except (ModelUnavailable, TalkTooLong) as why:
        return await _without_model(question, toolbox, settings, str(why))
    said = clean_answer(words, nick=nick, asker=question.command.asker, mark=settings.llm_mark)
    if not said:
        return await _without_model(question, toolbox, settings, "The model came to no answer.")
    return Answer(said, by_model=True)


async def best_lines(
    question: Question, toolbox: Toolbox, settings: Settings, most: int = BEST_LINES
) -> list[str]:
    """The best lines that a search with the question's own words finds; none without a server."""
    arguments = {"query": question.text, "limit": most, "format": "json"}
    try:
        found = await toolbox.call("search_irc_history", arguments, question.view)
    except ToolboxAway:
        return []
    setting = Setting(zone=settings.zone, budget=HARD, rooms_named=not question.command.channel)
    return [dated(message, setting) for message in messages_of(found)]


async def _without_model(
    question: Question, toolbox: Toolbox, settings: Settings, why: str
) -> Answer:
    lines = await best_lines(question, toolbox, settings)
    found = ["The best lines I find by myself:", *lines] if lines else ["I find no line about it."]
    return Answer([why, *found], by_model=False)


def _arguments(call: ToolCall) -> dict[str, Any]:
    """What the model wrote as arguments.

    Raises:
        _BadArguments: it is no JSON object.
    """
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as why:
        raise _BadArguments(
            f"The arguments of {call.name} are not JSON ({why}). Write one JSON object."
        ) from None
    if not isinstance(arguments, dict):
        raise _BadArguments(f"The arguments of {call.name} must be one JSON object.")
    return arguments


def _key(call: ToolCall) -> tuple[str, str]:
    """By what two calls are the same, however their JSON is written."""
    try:
        return call.name, json.dumps(_arguments(call), sort_keys=True)
    except (_BadArguments, RecursionError):
        return call.name, harmless(call.arguments)
