"""Runs the tool calls of one question: side by side, bounded, each of them once."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.quoted_lines import quoted_messages
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.answer.budget import truncated
from terrarium_mcp.irc_bridge.answer.model_request import LONGEST_ARGUMENTS
from terrarium_mcp.irc_bridge.answer.past_turns import short_result
from terrarium_mcp.irc_bridge.answer.question import Question
from terrarium_mcp.irc_bridge.model.chat_types import (
    MAX_ARGUMENTS,
    ModelMessage,
    ToolCall,
    ToolResult,
    ToolSchema,
)
from terrarium_mcp.irc_bridge.model.legacy_tools import current_call
from terrarium_mcp.irc_bridge.talk_log.stopwatch import RunningPart
from terrarium_mcp.irc_bridge.toolbox import McpServerUnavailable, ToolsAtHand
from terrarium_mcp.store import ToolStep

SAME_CALL = 3
"""A call repeated in this many rounds ends the loop; the second time is served from memory."""

MESSAGE_READERS = frozenset(
    (
        *("search_irc_history", "get_recent_irc_messages", "get_message_context"),
        *("lookup_nick", "catch_up"),
    )
)
"""The tools that quote messages from the database (tests/tools/test_quotes.py)."""

BACKLOG_READER = "read_enhancement_request"
"""The tool that quotes them from a file, where they outlive retention, or nobody ever said them."""

_CallKey = tuple[str, str]
"""The name and arguments of a call, equal however the JSON is formatted."""


class _BadArguments(TerrariumError):
    """The arguments of a tool call are not a JSON object, or too long."""


@dataclass(slots=True)
class ToolCalls:
    """What the model calls for one question.

    `steps` are its calls so far in short forms; `shown` are the ids of the recorded messages in the
    results.
    """

    question: Question
    tools: ToolsAtHand
    steps: list[ToolStep] = field(default_factory=list)
    shown: set[int] = field(default_factory=set)
    _rounds_of: Counter[_CallKey] = field(default_factory=Counter)
    _remembered: dict[_CallKey, str] = field(default_factory=dict)
    _rounds: int = 0

    @property
    def menu(self) -> Sequence[ToolSchema]:
        """The tools for this question: none that writes, if it is off the record."""
        menu = self.tools.menu
        return [tool for tool in menu if tool.only_reads] if self.question.is_off_record() else menu

    def count(self, calls: Sequence[ToolCall]) -> None:
        """Count the calls of one message, each once."""
        self._rounds_of.update({_key(call) for call in calls})

    @property
    def is_repeating(self) -> bool:
        """Whether one call was counted in SAME_CALL messages."""
        return max(self._rounds_of.values(), default=0) >= SAME_CALL

    async def run(self, said: ModelMessage, tokens: int) -> tuple[ToolResult, ...]:
        """Run the calls of one message concurrently; the results are in the order of the calls.

        Each result is the answer of the tool, or what went wrong and the way out, in `tokens`.
        """
        calls = {_key(call): call for call in said.calls}  # the same call twice is one
        results: dict[_CallKey, str] = {}

        async def call_tool(key: _CallKey) -> None:
            with self.question.watch.call(self._logged_name(calls[key])) as measured:
                results[key] = await self._result(calls[key], tokens, measured)

        async with anyio.create_task_group() as tasks:
            for key in calls:
                tasks.start_soon(call_tool, key)
        self._rounds += 1
        self.steps += [
            ToolStep(self._rounds, call.name, _kept(call.arguments), short_result(results[key]))
            for key, call in calls.items()
        ]
        return tuple(ToolResult(call.id, call.name, results[_key(call)]) for call in said.calls)

    def _logged_name(self, call: ToolCall) -> str:
        """The tool of a call for the talk log, which does not repeat what a model made up."""
        name, _ = current_call(call.name, {})
        return name if self.tools.offers(name) else "unknown tool"

    async def _result(self, call: ToolCall, tokens: int, measured: RunningPart) -> str:
        if (key := _key(call)) in self._remembered:
            measured.outcome = "repeated"
            return truncated(
                f"(asked before; the answer is the same)\n{self._remembered[key]}", tokens
            )
        try:
            name, arguments = current_call(call.name, _arguments(call))
            if not self.tools.offers(name, only_reads=self.question.is_off_record()):
                measured.outcome = "not offered"
                return truncated(self._not_offered(name), tokens)
            view = {**self.question.view_now, "max_tokens": tokens}
            found = await self.tools.call(name, arguments, view)
        except (McpServerUnavailable, _BadArguments) as error:
            is_away = isinstance(error, McpServerUnavailable)
            measured.outcome = "away" if is_away else "bad arguments"
            return truncated(str(error), tokens)
        measured.outcome = "failed" if found.failed else "ok"
        self._remembered[key] = text = truncated(found.text, tokens)
        if not found.foreign:
            self.shown.update(await self._quoted_by(name, found.text))
        return text

    async def _quoted_by(self, tool: str, text: str) -> Collection[int]:
        """The messages that a result of ours quotes; `text` is all of it, also what is cut later.

        Once one of them is gone, the turn is forgotten. So what strangers wrote on the web names
        none, and the backlog only those that are still recorded: its files keep what retention
        removed. A purge reaches those files, and the turns that read in them.
        """
        if tool in MESSAGE_READERS:
            return quoted_messages(text)
        if tool == BACKLOG_READER and (numbers := quoted_messages(text)):
            return await self.question.recorded(numbers)
        return ()

    def _not_offered(self, name: str) -> str:
        """Why a tool cannot be called."""
        if self.tools.offers(name):
            return f"{name} keeps what it is given, and this question is off the record."
        return self.tools.unknown(name)


def _kept(arguments: str) -> str:
    """What is stored of a call's arguments, and read again with every later question.

    The last character only shows that there were more than LONGEST_ARGUMENTS.
    """
    return arguments[: LONGEST_ARGUMENTS + 1]


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments of a tool call.

    Raises:
        _BadArguments: they are not a JSON object, or too long.
    """
    if call.is_too_long:
        raise _BadArguments(
            f"The arguments of {call.name} have more than {MAX_ARGUMENTS:,} characters, so it was"
            " not called. Write shorter ones."
        )
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise _BadArguments(
            f"The arguments of {call.name} are not JSON ({error}). Write one JSON object."
        ) from None
    if not isinstance(arguments, dict):
        raise _BadArguments(f"The arguments of {call.name} must be one JSON object.")
    return arguments


def _key(call: ToolCall) -> _CallKey:
    try:
        return call.name, json.dumps(_arguments(call), sort_keys=True)
    except (_BadArguments, RecursionError):
        return call.name, harmless(call.arguments)
