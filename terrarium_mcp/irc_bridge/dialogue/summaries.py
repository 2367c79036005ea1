"""Summarises older turns: after an answer, when nobody asks, one dialogue at a time.

A failure changes nothing: the turns stay, and it is tried again after the next answer. After more
failures in a row it is tried after the second answer, then the fourth, then every eighth.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.errors import surviving
from terrarium_mcp.irc_bridge.answer.budget import AGENT_HISTORY, SOFT_LIMIT, raised_answer_limit
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summary_prompt import (
    SUMMARY_TOKENS,
    SummaryRequest,
    is_due,
    summary_request,
    summary_text,
)
from terrarium_mcp.irc_bridge.model.client import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import DialoguePlace, DialogueSummary, StoredDialogue

SUMMARISED_WITHIN = 120.0
"""Seconds for one summary, with a second try of up to 2,500 tokens."""

MOST_SKIPPED = 8
"""Answers in a row after which no summary is tried at most, however often it failed before."""

_REMEMBERED_PLACES = 1_000
"""Places of which failures are remembered: anybody's private talk is one."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Wish:
    """A summary that a person waits for."""

    done: anyio.Event
    summary: DialogueSummary | None = None


@dataclass(frozen=True, slots=True)
class _Failures:
    """How often the summary of a place failed in a row, and how many answers pass it by now."""

    count: int = 0
    to_skip: int = 0

    def another(self) -> "_Failures":
        """One more: a try costs as much as an answer, and the next may fail just so."""
        return _Failures(self.count + 1, min(2**self.count, MOST_SKIPPED) - 1)


class Summarizer:
    """Makes the summaries of one network's dialogues."""

    def __init__(
        self, dialogues: DialogueMemory, llm: LLM, settings: Callable[[], Settings]
    ) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._dialogues = dialogues
        self._llm = llm
        self._settings = settings
        self._places: dict[DialoguePlace, list[_Wish]] = {}
        self._failures = BoundedDict[DialoguePlace, _Failures](_REMEMBERED_PLACES)
        self._bell = Bell()

    def consider(self, place: DialoguePlace, dialogue: StoredDialogue) -> None:
        """An answer was said here: summarise what is older, if there is too much of it.

        `dialogue` is what there is with that answer. It is read again only for a summary: that
        takes as long as to read it for a question.
        """
        if (failures := self._failures.get(place, _Failures())).to_skip:
            self._failures[place] = replace(failures, to_skip=failures.to_skip - 1)
        elif is_due(dialogue, self._settings().zone):
            self._places.setdefault(place, [])
            self._bell.ring()

    async def compact(self, place: DialoguePlace) -> DialogueSummary | None:
        """Summarise the older turns of a place now; None if that failed."""
        wish = _Wish(anyio.Event())
        self._places.setdefault(place, []).append(wish)
        self._bell.ring()
        await wish.done.wait()
        return wish.summary

    async def run(self) -> None:
        """Summarise until cancelled."""
        while True:
            while self._places:
                place = next(iter(self._places))
                wishes = self._places.pop(place)
                try:
                    with surviving("summarising a dialogue", log):
                        summary = await self._summarise(place, wished=bool(wishes))
                        for wish in wishes:
                            wish.summary = summary
                finally:
                    for wish in wishes:
                        wish.done.set()
            await self._bell.wait()

    async def _summarise(self, place: DialoguePlace, *, wished: bool) -> DialogueSummary | None:
        """Summarise as long as there is too much; returns the last summary made.

        What was said meanwhile is for `consider`, which its answer calls.
        """
        made: DialogueSummary | None = None
        dialogue = await self._dialogues.current(place)
        while wished or is_due(dialogue, self._settings().zone):
            if not (summary := await self._made(place, dialogue)):
                return made
            made = summary
            self._dialogues.summarised(place, dialogue.window, summary)
            if not (wished or is_due(_after(dialogue, summary), self._settings().zone)):
                return made
            dialogue = await self._dialogues.current(place)
        return made

    async def _made(self, place: DialoguePlace, dialogue: StoredDialogue) -> DialogueSummary | None:
        """A summary of the dialogue's older turns; None if there are none, or it failed.

        None is tried while the model gets no requests.
        """
        request = summary_request(dialogue, self._settings().zone)
        if not request or self._llm.is_paused:
            return None
        text = ""

        async def ask() -> None:
            nonlocal text
            text = summary_text(await self._words(request))

        try:
            if not await self._llm.queue.in_spare_time(ask, SUMMARISED_WITHIN):
                log.info("gave up a summary for now: it took too long, or a question came in")
                return None
        except ModelUnavailable as error:  # logged already, and once: EndpointCondition
            log.debug("a summary failed and will be tried again: %s", error)
        except TalkTooLong as error:
            log.info("a summary failed and will be tried again: %s", error)
        if not text:
            self._failures[place] = self._failures.get(place, _Failures()).another()
            return None
        self._failures.pop(place, None)
        return DialogueSummary(
            text,
            request.first,
            request.last,
            datetime.now(UTC),
            request.omitted,
            request.rests_on,
        )

    async def _words(self, request: SummaryRequest) -> str:
        """The model's words; if it only reasoned, it is asked once more with a larger limit."""
        said = await self._llm.next_message(request.talk, (), max_tokens=SUMMARY_TOKENS)
        if said.text.strip() or not said.only_reasoned:
            return said.text
        larger = raised_answer_limit(max(SUMMARY_TOKENS, self._settings().agent_max_tokens))
        if self._llm.may_cut_history:
            larger = min(larger, AGENT_HISTORY - SOFT_LIMIT)  # the request may have SOFT_LIMIT
        again = await self._llm.next_message(request.talk, (), max_tokens=larger)
        return again.text


def _after(dialogue: StoredDialogue, summary: DialogueSummary) -> StoredDialogue:
    """The dialogue with a summary in the place of the turns that it rests on."""
    told = summary.turns
    turns = tuple(turn for turn in dialogue.turns if turn.number not in told)
    return replace(dialogue, summary=summary, turns=turns)
