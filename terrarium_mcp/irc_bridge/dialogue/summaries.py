"""Summarises older turns: after an answer, when nobody asks, one dialogue at a time.

A failure changes nothing: the turns stay, and after the next answer it is tried again.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summary_prompt import (
    SUMMARY_TOKENS,
    is_due,
    summary_request,
    summary_text,
)
from terrarium_mcp.irc_bridge.model.client import LLM, ModelUnavailable, TalkTooLong
from terrarium_mcp.irc_bridge.model.model_queue import ModelQueue
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import DialoguePlace, DialogueSummary, StoredDialogue

SUMMARISED_WITHIN = 60.0
"""Seconds for one summary."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Wish:
    """A summary that somebody waits for."""

    done: anyio.Event
    summary: DialogueSummary | None = None


class Summarizer:
    """Makes the summaries of one network's dialogues."""

    def __init__(
        self,
        dialogues: DialogueMemory,
        llm: LLM,
        model: ModelQueue,
        settings: Callable[[], Settings],
    ) -> None:
        """`settings` returns those in use, which may be reloaded."""
        self._dialogues = dialogues
        self._llm = llm
        self._model = model
        self._settings = settings
        self._places: dict[DialoguePlace, list[_Wish]] = {}
        self._bell = Bell()

    def consider(self, place: DialoguePlace) -> None:
        """An answer was said here: summarise what is older, if there is too much of it."""
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
                    summary = await self._summarise(place, wished=bool(wishes))
                    for wish in wishes:
                        wish.summary = summary
                finally:
                    for wish in wishes:
                        wish.done.set()
            await self._bell.wait()

    async def _summarise(self, place: DialoguePlace, *, wished: bool) -> DialogueSummary | None:
        """Summarise as long as there is too much; returns the last summary made."""
        made: DialogueSummary | None = None
        dialogue = await self._dialogues.current(place)
        while wished or is_due(dialogue, self._settings().zone):
            if not (summary := await self._made(dialogue)):
                return made
            made = summary
            self._dialogues.summarised(place, dialogue.window, summary)
            dialogue = await self._dialogues.current(place)
        return made

    async def _made(self, dialogue: StoredDialogue) -> DialogueSummary | None:
        """A summary of the dialogue's older turns; None if there are none, or it failed."""
        request = summary_request(dialogue, self._settings().zone)
        if not request:
            return None
        text = ""

        async def ask() -> None:
            nonlocal text
            said = await self._llm.next_message(request.talk, (), max_tokens=SUMMARY_TOKENS)
            text = summary_text(said.text)

        try:
            if not await self._model.in_spare_time(ask, SUMMARISED_WITHIN):
                log.info("a summary was given up for now: it took too long, or a question came")
        except (ModelUnavailable, TalkTooLong) as error:
            log.info("a summary failed and will be tried again: %s", error)
        if not text:
            return None
        return DialogueSummary(
            text, request.first, request.last, datetime.now(UTC), request.omitted
        )
