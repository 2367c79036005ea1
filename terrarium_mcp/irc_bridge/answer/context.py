"""The context of a question: the first request, and why each line is in it. Pure."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.transcript import dated_line
from terrarium_mcp.irc_bridge.answer.briefing import Briefing
from terrarium_mcp.irc_bridge.answer.budget import (
    ALLOTMENTS,
    SOFT_LIMIT,
    Part,
    first_request,
    tokens_of,
)
from terrarium_mcp.irc_bridge.answer.gathering import GatheredLines
from terrarium_mcp.irc_bridge.answer.log_lines import collapsed_lines
from terrarium_mcp.irc_bridge.answer.model_request import (
    ModelRequest,
    quoted_newest,
    quoted_older,
)
from terrarium_mcp.irc_bridge.answer.past_turns import past_turn, unrepeated
from terrarium_mcp.irc_bridge.answer.persona import system_text
from terrarium_mcp.irc_bridge.answer.question import Question
from terrarium_mcp.irc_bridge.answer.question_tag import question_tag
from terrarium_mcp.irc_bridge.answer.quotes import quote_options
from terrarium_mcp.wording import quantity

OLDER_LINES = 3
"""Hits for the question shown beside the newest lines; a model without tools is shown all."""


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """The first request of a question, and a breakdown of it for the operator.

    Args:
        request: what the model is asked.
        breakdown: one line for each part: its tokens and share, what is in it and why.
        shown: the ids of all messages that the model is shown, and of those that the turns before
            rest on, which also a summary or a turn in the middle may repeat.
    """

    request: ModelRequest
    breakdown: tuple[str, ...]
    shown: frozenset[int]


def question_context(briefing: Briefing, *, takes_tools: bool = True) -> QuestionContext:
    """The request for a question within SOFT_LIMIT.

    What we said ourselves is in it once: in the turns, or else in the newest lines.

    Args:
        briefing: what the question is answered from.
        takes_tools: whether the model may look things up; another is shown more hits.
    """
    question, dialogue, lines = briefing.question, briefing.dialogue, briefing.lines
    settings = briefing.settings
    key = secrets.token_hex(4)
    options = quote_options(question.channel, settings, linked=False)  # ids are enough
    older = older_lines(lines, takes_tools=takes_tools)
    whole = ModelRequest(
        system=system_text(question.persona, harmless(briefing.nick), _where(question)),
        question=question_tag(question.asker, question.typed),
        older=quoted_older(key, [dated_line(message, options) for message in older]),
        newest=quoted_newest(key, collapsed_lines(lines.newest, options)),
        summary=dialogue.summary.text if dialogue.summary else "",
        turns=tuple(past_turn(turn, settings.zone) for turn in dialogue.turns),
    )
    quoted = first_request(whole).turns
    numbers = {turn.number for turn in quoted}
    turns = [turn for turn in dialogue.turns if turn.number in numbers]
    newest = unrepeated(lines.newest, turns, settings.llm_mark)
    logs = quoted_newest(key, collapsed_lines(newest, options))
    request = first_request(replace(whole, turns=quoted, newest=logs))
    shown = frozenset(message.id for message in (*newest, *older))
    breakdown = _breakdown(whole, request, older, newest)
    return QuestionContext(request, breakdown, shown | dialogue.rests_on)


def older_lines(lines: GatheredLines, *, takes_tools: bool) -> Sequence[Message]:
    """The hits worth showing: those that are not among the newest lines, best first.

    A model that can search is shown few, and none of a search that found little.
    """
    newest = {message.id for message in lines.newest}
    hits = [message for message in lines.hits if message.id not in newest]
    if not takes_tools:
        return hits
    return [] if lines.is_weak else hits[:OLDER_LINES]


def _breakdown(
    whole: ModelRequest,
    request: ModelRequest,
    older: Sequence[Message],
    newest: Sequence[Message],
) -> tuple[str, ...]:
    """What is in each part and why, without a word of the chat."""
    ids = ", ".join(str(message.id) for message in older)
    why = {
        Part.SYSTEM: "always",
        Part.QUESTION: "always",
        Part.SUMMARY: "the turns before those that are quoted",
        Part.TURNS: f"the newest {len(request.turns)} of {quantity(len(whole.turns), 'turn')}",
        Part.NEWEST: f"the end of {quantity(len(newest), 'line')} that no turn repeats",
        Part.OLDER: f"found for the question: {ids}" if older else "nothing found for the question",
    }
    return (
        *(
            f"{one.part}: {tokens_of(request, one.part)} of"
            f" {quantity(tokens_of(whole, one.part), 'token')}, share {one.share}; {why[one.part]}"
            for one in ALLOTMENTS
        ),
        f"together: {request.size} of {SOFT_LIMIT} tokens",
    )


def _where(question: Question) -> str:
    channel = harmless(question.channel)
    return f"the IRC channel {channel}" if channel else "a private chat on IRC"
