"""One request to the model, by its parts: what the budget weighs and cuts. Pure."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from terrarium_mcp.chat.tokens import FRAME, estimated_tokens
from terrarium_mcp.irc_bridge.model.chat_request import mention
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
)

LONGEST_ARGUMENTS = 300
"""Characters of a call's arguments that are sent again where there is little room."""

_HEADING = "-- "  # starts a day heading; no log line starts so
_SUMMARY = "What you remember of the earlier talk here, in your own words:"
_OLDER = "Older lines that may matter, the best first:"
_NEWEST = "The newest lines here:"


@dataclass(frozen=True, slots=True)
class QuotedLines:
    """Log lines between tags that the channel cannot guess, under a sentence about them.

    `lines` may hold day headings, each before the lines of that day.
    """

    tag: str
    about: str
    lines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines as the model reads them; "" without lines."""
        if not self.lines:
            return ""
        return "\n".join((self.about, f"<{self.tag}>", *self.lines, f"</{self.tag}>"))

    def without_first(self) -> "QuotedLines":
        """These lines without the first, and without the heading of a day that is then empty."""
        heading = self.lines[:1] if self.lines[0].startswith(_HEADING) else ()
        rest = self.lines[len(heading) + 1 :]
        goes_on = rest and not rest[0].startswith(_HEADING)
        return replace(self, lines=(*heading, *rest) if goes_on else rest)

    def without_last(self) -> "QuotedLines":
        """These lines without the last."""
        return replace(self, lines=self.lines[:-1])


@dataclass(frozen=True, slots=True)
class PastTurn:
    """An earlier turn of the dialogue as the model gets it again: indivisible.

    `size` is that of its messages, counted once: a request is weighed after each bit it loses.
    """

    number: int
    messages: tuple[TalkMessage, ...]
    size: int


@dataclass(frozen=True, slots=True)
class ToolRound:
    """Tool calls of the model, and their results in the order of the calls."""

    calls: AssistantToolCalls
    results: tuple[ToolResult, ...] = ()

    @property
    def without_reasoning(self) -> "ToolRound":
        """This round without the reasoning that came with its calls."""
        return replace(self, calls=AssistantToolCalls(self.calls.said.without_reasoning))


def short_arguments(arguments: str) -> str:
    """`arguments`, or none where they are longer than LONGEST_ARGUMENTS: a part is no JSON."""
    return arguments if len(arguments) <= LONGEST_ARGUMENTS else "{}"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that one request consists of.

    Args:
        system: who the bot is, and its rules.
        summary: what it remembers of turns that are no longer quoted; "" if nothing.
        turns: the latest turns of the dialogue, oldest first.
        older: hits for the question from the log, best first.
        newest: the newest lines of the channel, oldest first.
        question: the question in its tag.
        rounds: what was looked up for it so far, oldest first.
    """

    system: str
    question: str
    older: QuotedLines
    newest: QuotedLines
    summary: str = ""
    turns: tuple[PastTurn, ...] = ()
    rounds: tuple[ToolRound, ...] = ()

    @property
    def system_message(self) -> ChatMessage:
        """The system message, which ends with the summary."""
        parts = (self.system, f"{_SUMMARY}\n{self.summary}" if self.summary else "")
        return ChatMessage("system", "\n\n".join(filter(None, parts)))

    @property
    def user_message(self) -> ChatMessage:
        """The last user message: the log lines, then the question."""
        parts = (self.older.text, self.newest.text, self.question)
        return ChatMessage("user", "\n".join(filter(None, parts)))

    @property
    def talk(self) -> list[TalkMessage]:
        """The messages in the order in which the model reads them."""
        return [
            self.system_message,
            *(message for turn in self.turns for message in turn.messages),
            self.user_message,
            *_messages_of(self.rounds),
        ]

    @property
    def size(self) -> int:
        """The estimated tokens of the whole request, tool schemas apart."""
        ours = (self.system_message, self.user_message, *_messages_of(self.rounds))
        return size(ours) + sum(turn.size for turn in self.turns)

    def with_round(self, one: ToolRound) -> "ModelRequest":
        """This request with another round, the newest."""
        return replace(self, rounds=(*self.rounds, one))

    def with_round_at(self, index: int, one: ToolRound) -> "ModelRequest":
        """This request with another round in the place of that one."""
        rounds = list(self.rounds)
        rounds[index] = one
        return replace(self, rounds=tuple(rounds))


def quoted_older(key: str, lines: Sequence[str]) -> QuotedLines:
    """Lines found for the question; `key` is what the channel cannot guess."""
    return QuotedLines(f"older_logs-{key}", _OLDER, tuple(lines))


def quoted_newest(key: str, lines: Sequence[str]) -> QuotedLines:
    """The newest lines."""
    return QuotedLines(f"irc_logs-{key}", _NEWEST, tuple(lines))


def cost(message: TalkMessage) -> int:
    """The estimated tokens of one message."""
    match message:
        case ChatMessage(text=text) | ToolResult(text=text):
            return FRAME + estimated_tokens(text)
        case AssistantToolCalls(said=said):
            calls = sum(map(_call_cost, said.calls))
            return FRAME + estimated_tokens(said.text) + calls + _reasoning_cost(said)


def _call_cost(call: ToolCall) -> int:
    """The estimated tokens of a call, which is sent whole, and mentioned in the content."""
    whole = estimated_tokens(call.name + call.arguments)
    return FRAME + whole + FRAME + estimated_tokens(mention(call))


def _reasoning_cost(said: ModelMessage) -> int:
    extras = [call.extra_content for call in said.calls if call.extra_content]
    sent = [json.dumps(one, ensure_ascii=False) for one in (said.reasoning, *extras) if one]
    return sum(map(estimated_tokens, sent))


def size(messages: Sequence[TalkMessage]) -> int:
    """The estimated tokens of some messages."""
    return sum(map(cost, messages))


def _messages_of(rounds: Sequence[ToolRound]) -> Iterator[TalkMessage]:
    for one in rounds:
        yield one.calls
        yield from one.results
