"""The model looks things up, then it speaks: there is always an answer."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.transcript import Setting, line_of
from terrarium_mcp.irc_bridge.budget import HARD, cut, fitted, share
from terrarium_mcp.irc_bridge.context import Question, fenced_logs, messages_of, talk_about
from terrarium_mcp.irc_bridge.llm import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.irc_bridge.toolbox import Toolbox, ToolboxAway
from terrarium_mcp.irc_bridge.turns import (
    Called,
    Said,
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
"""The same call so many times ends the looking up; the second is served from memory."""

BEST_LINES = 3
"""Lines that stand in for an answer when the model gives none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What to tell the asker: the model's words, or, when it is away, the best lines found."""

    text: str = ""
    lines: Sequence[str] = ()


@dataclass(slots=True)
class _Answering:
    """One question on its way to an answer."""

    question: Question
    llm: LLM
    toolbox: Toolbox
    settings: Settings
    talk: list[TalkMessage]
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    remembered: dict[tuple[str, str], str] = field(default_factory=dict)

    async def words(self) -> str:
        """Let the model look things up for some rounds, then let it speak."""
        if not self.llm.takes_tools:
            self.talk += await self._found_beforehand()
        for _ in range(ROUNDS):
            turn = await self._next_turn(self.toolbox.menu)
            if not turn.calls:
                return await self._spoken(turn)
            if self._repeats(turn.calls):
                break
            self.talk += [Called(turn), *await self._results(turn.calls)]
        return await self._spoken(await self._next_turn(()))

    async def _next_turn(self, tools: Sequence[ToolSchema], max_tokens: int | None = None) -> Turn:
        """Ask the model; where its context is too small, once more with half the talk."""
        took_tools = self.llm.takes_tools
        self.talk = fitted(self.talk, HARD)
        try:
            turn = await self.llm.next_turn(self.talk, tools, max_tokens=max_tokens)
        except TalkTooLong:
            self.talk = fitted(self.talk, HARD // 2)
            turn = await self.llm.next_turn(self.talk, tools, max_tokens=max_tokens)
        if took_tools and not self.llm.takes_tools:  # learned just now: look up for it, ask again
            self.talk += await self._found_beforehand()
            return await self.llm.next_turn(self.talk, (), max_tokens=max_tokens)
        return turn

    async def _spoken(self, turn: Turn) -> str:
        """The words of a turn; if it only reasoned, once more with room to come to the point."""
        if turn.text.strip() or not turn.only_reasoned:
            return turn.text.strip()
        again = await self._next_turn((), max_tokens=4 * self.settings.agent_max_tokens)
        return again.text.strip()

    def _repeats(self, calls: Sequence[ToolCall]) -> bool:
        self.seen.update(_key(call) for call in calls)
        return any(self.seen[_key(call)] >= SAME_CALL for call in calls)

    async def _results(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        """Run the calls of one round side by side; their results stand in the order asked."""
        room = share(self.talk, len(calls))
        texts = [""] * len(calls)

        async def run(at: int, call: ToolCall) -> None:
            texts[at] = await self._result(call, room)

        async with anyio.create_task_group() as tasks:
            for at, call in enumerate(calls):
                tasks.start_soon(run, at, call)
        return [
            ToolResult(call.id, call.name, text) for call, text in zip(calls, texts, strict=True)
        ]

    async def _result(self, call: ToolCall, room: int) -> str:
        """What a call gives the model: a result, or what went wrong and the way out."""
        if (key := _key(call)) in self.remembered:
            return f"(the same call again; the answer is the same)\n{self.remembered[key]}"
        if call.name not in {tool.name for tool in self.toolbox.menu}:
            return self.toolbox.unknown(call.name)
        try:
            arguments = json.loads(call.arguments or "{}")
        except ValueError as why:
            return f"The arguments of {call.name} are not JSON ({why}). Write one JSON object."
        if not isinstance(arguments, dict):
            return f"The arguments of {call.name} must be one JSON object."
        try:
            found = await self.toolbox.call(
                call.name, arguments, {**self.question.view, "max_tokens": room}
            )
        except ToolboxAway as why:
            return str(why)
        self.remembered[key] = text = cut(found.text, room)
        return text

    async def _found_beforehand(self) -> list[TalkMessage]:
        """A search made from the question, for a model that cannot search."""
        lines = await best_lines(self.question, self.toolbox, self.settings, most=10)
        if not lines:
            return []
        return [Said("user", "\n".join(["Found in the log:", *fenced_logs(lines)]))]


async def answer(
    question: Question, llm: LLM, toolbox: Toolbox, settings: Settings, nick: str
) -> Answer:
    """Answer a question with the model's words, else with the best lines found for it."""
    talk = await talk_about(question, toolbox, settings, nick)
    try:
        words = await _Answering(question, llm, toolbox, settings, talk).words()
    except (ModelUnavailable, TalkTooLong) as why:
        lines = await best_lines(question, toolbox, settings)
        return Answer(lines=[str(why), *(["The best I find by myself:", *lines] if lines else [])])
    if words:
        return Answer(words)
    lines = await best_lines(question, toolbox, settings)
    found = ["The best lines I find:", *lines] if lines else ["I find nothing about it either."]
    return Answer(lines=["The model came to no answer.", *found])


async def best_lines(
    question: Question, toolbox: Toolbox, settings: Settings, most: int = BEST_LINES
) -> list[str]:
    """The best lines that a search with the question's own words finds; none without a server."""
    arguments = {"query": question.text, "limit": most, "format": "json"}
    try:
        found = await toolbox.call("search_irc_history", arguments, question.view)
    except ToolboxAway:
        return []
    setting = Setting(zone=settings.zone, budget=HARD)
    return [
        f"{message.said_at.astimezone(settings.zone):%Y-%m-%d} {line_of(message, setting)}"
        for message in messages_of(found)
    ]


def _key(call: ToolCall) -> tuple[str, str]:
    return call.name, harmless(call.arguments)
