"""Earlier turns of a dialogue: as the model gets them again, and what the log need not repeat."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from functools import lru_cache
from itertools import groupby

from terrarium_mcp.chat.irctext import OFF_RECORD, harmless
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.times.timestamps import minute
from terrarium_mcp.irc_bridge.answer.budget import truncated
from terrarium_mcp.irc_bridge.answer.model_request import PastTurn, short_arguments, size
from terrarium_mcp.irc_bridge.answer.question_tag import question_tag
from terrarium_mcp.irc_bridge.answer.reply import CONTINUATIONS, REST_NOTE
from terrarium_mcp.irc_bridge.model.chat_types import (
    AssistantToolCalls,
    ChatMessage,
    ModelMessage,
    TalkMessage,
    ToolCall,
    ToolResult,
)
from terrarium_mcp.store import DialogueTurn, ToolStep

LONGEST_PAST_ANSWER = 300
"""Estimated tokens of an earlier answer that are sent again: nearly three full lines of IRC. What
was said of it beyond them in a channel is among the newest lines."""

MOST_STEPS = 6
"""The last calls of a turn that are sent again."""

_FENCE = re.compile(r"^\[irc \w+:.*\]$")
_QUOTED = 2
"""Lines of a tool's transcript that the short form of its result keeps."""

_LONGEST_LINE = 200
"""Characters of each line in the short form."""


def past_turn(turn: DialogueTurn, zone: tzinfo) -> PastTurn:
    """A turn as messages: the question, each round of calls with its results, the answer."""
    messages: list[TalkMessage] = [ChatMessage("user", past_question(turn, zone))]
    for number, steps in groupby(turn.steps[-MOST_STEPS:], key=lambda step: step.round):
        messages += _round(f"turn{turn.number}_{number}", list(steps))
    said = ChatMessage("assistant", _sent_again(turn))
    quoted = (*messages, said)
    return PastTurn(turn.number, quoted, size(quoted))


def past_question(turn: DialogueTurn, zone: tzinfo) -> str:
    """The question of a turn in its tag, with when it was asked."""
    asked_at = minute(turn.asked_at, zone)
    return question_tag(turn.asker.nick, turn.question, at=asked_at)


def short_result(text: str) -> str:
    """A tool's result as later turns see it: its first line, and of a transcript the first lines.

    A fence that is opened is closed.
    """
    lines = text.splitlines() or [""]
    kept = lines[:1]
    opened = next((at for at, line in enumerate(lines) if _FENCE.match(line)), None)
    if opened is not None:
        kept = [lines[0], *lines[opened : opened + 1 + _QUOTED]]
        tag = lines[opened].split(":")[0].removeprefix("[irc ")
        if (closing := f"[/irc {tag}]") not in kept:
            kept.append(closing)
    short = "\n".join(line[:_LONGEST_LINE] for line in kept)
    return short if len(kept) == len(lines) else f"{short}\n(shortened)"


def unrepeated(
    newest: Sequence[Message], turns: Sequence[DialogueTurn], mark: str
) -> list[Message]:
    """The newest lines without what the turns say already: their questions, and our answers.

    Of a long answer a turn says the beginning only, so the lines beyond it stay.

    `mark` is the mark of model answers in the channel.
    """
    asked = {turn.message_id for turn in turns}
    answers = [(_start(turn.asker.nick, mark), _squeezed(_sent_again(turn))) for turn in turns]

    def is_repeated(message: Message) -> bool:
        if message.id in asked or not message.own:
            return message.id in asked
        said = REST_NOTE.sub("", _squeezed(harmless(message.text)))
        return any(start.sub("", said) in answer for start, answer in answers)

    return [message for message in newest if not is_repeated(message)]


def _sent_again(turn: DialogueTurn) -> str:
    """The beginning of an answer, without the joiners that were put into names for the channel.

    A model that copied one into a search would find nobody.
    """
    return truncated("\n".join(map(harmless, turn.answer.splitlines())), LONGEST_PAST_ANSWER)


def _round(name: str, steps: Sequence[ToolStep]) -> list[TalkMessage]:
    calls = tuple(
        ToolCall(f"{name}_{place}", step.tool, short_arguments(step.arguments))
        for place, step in enumerate(steps)
    )
    results = [
        ToolResult(call.id, call.name, step.result) for call, step in zip(calls, steps, strict=True)
    ]
    return [AssistantToolCalls(ModelMessage("", calls)), *results]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=64)  # as many askers as turns: to join the words of the pattern takes as long
def _start(asker: str, mark: str) -> re.Pattern[str]:
    """How a line of ours begins before the words of the answer: `ada: [LLM] `, `| [LLM] `."""
    parts = (OFF_RECORD, f"{asker}:", mark, *(one.strip() for one in CONTINUATIONS))
    return re.compile(rf"^(?:(?:{'|'.join(map(re.escape, filter(None, parts)))}) ?)*")
