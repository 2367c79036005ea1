"""Reads through MCP what a question needs of the log: the newest lines, and hits for its words."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import anyio

from terrarium_mcp.chat.question import has_telling_words
from terrarium_mcp.chat.records import SPEECH, Message
from terrarium_mcp.chat.transcript import from_json
from terrarium_mcp.irc_bridge.answer.budget import SOFT_LIMIT
from terrarium_mcp.irc_bridge.answer.question import Question
from terrarium_mcp.irc_bridge.toolbox import McpServerUnavailable, ToolAnswer, ToolsAtHand, ViewMeta
from terrarium_mcp.settings import Settings

SEARCHED_WITHIN = 5.0
"""Seconds for the search; a history that is slow or locked must not keep the question waiting."""

MOST_HITS = 10
"""Hits for a question's own words that are read; context.py chooses those that are shown."""

_EXTRA_FOR_EVENTS = 20
"""Extra lines to request, since joins and parts take places among the spoken lines."""


@dataclass(frozen=True, slots=True)
class GatheredLines:
    """Lines of the log for one question.

    Args:
        newest: the newest lines of the channel, oldest first; none in a private chat.
        hits: what a search for the question's words found, best first.
        is_weak: even the best hit is about little of the question.
    """

    newest: Sequence[Message] = ()
    hits: Sequence[Message] = ()
    is_weak: bool = False


async def gathered_lines(
    question: Question,
    tools: ToolsAtHand,
    settings: Settings,
    settled: Callable[[], Awaitable[ViewMeta]],
) -> GatheredLines:
    """The lines for a question; none while the MCP server is away.

    The search does not wait for the view up to the question, which `settled` returns once the
    question is on disk: the question itself, a command, is never a hit, and one that had to wait
    for its turn has its cutoff already. A search with a cutoff takes 1.5 times as long.
    """
    newest: list[Message] = []

    async def read_newest() -> None:
        ready = replace(question, view=await settled())
        newest.extend(await _newest_lines(ready, tools, settings.max_context_messages))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read_newest)
        found = await _found_for(question, tools)
    return GatheredLines(newest, messages_of(found), bool(found.facts.get("weak")))


async def hits_on_disk(question: Question, tools: ToolsAtHand) -> Sequence[Message]:
    """Hits for a question that is on disk, best first; none while the MCP server is away.

    Among them is what was said right before it, which `gathered_lines` may have searched too early.
    """
    return messages_of(await _found_for(question, tools))


def messages_of(answer: ToolAnswer) -> list[Message]:
    """The messages of a `format=json` answer; none if the server's format differs."""
    found: Sequence[Mapping[str, Any]] = answer.facts.get("messages", ())
    try:
        return [from_json(facts) for facts in found]
    except (KeyError, ValueError, TypeError, AttributeError):
        return []


async def _newest_lines(question: Question, tools: ToolsAtHand, limit: int) -> Sequence[Message]:
    if not question.channel or not limit:
        return []

    async def recent(count: int, *, events: bool) -> list[Message]:
        arguments = {"limit": count, "include_events": events, "format": "json"}
        answer = await _answer_of(tools, "get_recent_irc_messages", arguments, question)
        return messages_of(answer)

    messages = await recent(limit + _EXTRA_FOR_EVENTS, events=True)
    if len(_speech(messages)) < limit and len(messages) > len(_speech(messages)):
        messages = _merged(await recent(limit, events=False), messages)
    return _newest(limit, messages)


async def _found_for(question: Question, tools: ToolsAtHand) -> ToolAnswer:
    """What a search for a question's words finds within SEARCHED_WITHIN.

    The lines that share nothing but stop words with `when was that?` would mislead the model.
    """
    if not has_telling_words(question.text):
        return ToolAnswer("")
    arguments = {"query": question.text, "limit": MOST_HITS, "format": "json"}
    with anyio.move_on_after(SEARCHED_WITHIN):
        return await _answer_of(tools, "search_irc_history", arguments, question)
    return ToolAnswer("")


async def _answer_of(
    tools: ToolsAtHand, tool: str, arguments: Mapping[str, object], question: Question
) -> ToolAnswer:
    try:
        with question.watch.call(tool):
            view = {**question.view_now, "max_tokens": SOFT_LIMIT}
            return await tools.call(tool, arguments, view)
    except McpServerUnavailable:
        return ToolAnswer("", failed=True)


def _merged(*several: Sequence[Message]) -> list[Message]:
    by_id = {message.id: message for messages in several for message in messages}
    return sorted(by_id.values(), key=lambda message: message.position)


def _newest(limit: int, messages: Sequence[Message]) -> Sequence[Message]:
    """The last `limit` spoken lines, with the events between and after them."""
    speech = _speech(messages)
    return messages if len(speech) <= limit else messages[messages.index(speech[-limit]) :]


def _speech(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.kind in SPEECH]
