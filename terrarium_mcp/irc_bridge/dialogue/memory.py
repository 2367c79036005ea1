"""The dialogues of one network: a turn is opened by a question and ends when its answer was said.

The store has the truth; what could not be written yet is laid over what is read. A turn whose
process dies stays open in the store: the next start marks it, and it is never replayed.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

import anyio

from terrarium_mcp.backoff import until_it_succeeds
from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.dialogue.unwritten import UnwrittenState
from terrarium_mcp.store import (
    DialoguePlace,
    DialogueSummary,
    DialogueTurn,
    Store,
    StoredDialogue,
    ToolStep,
    TurnState,
)
from terrarium_mcp.wording import quantity

READ_WITHIN = 1.0
"""Seconds for reading a dialogue; a slow disk must not delay an answer."""

MOST_PLACES = 1_000
"""Dialogues of which it is known how far they have come, also while the disk cannot be read."""

MOST_SOURCES = 3_000
"""Messages that a talk may rest on. As each turn rests on all that the turns before it rest on,
they grow with every turn, and each turn is stored with them."""

OPENED_AFTER = 0.05
"""Seconds after which an open turn is written: the request to the model leaves first, which would
share the interpreter's lock with that. An answer that comes sooner is written in its place."""

_UNKNOWN = StoredDialogue(window=0)
"""A dialogue that could not be read yet: any number of a turn may be taken already."""

log = logging.getLogger(__name__)


class DialogueUnreadable(TerrariumError):
    """It is not known how far a dialogue has come."""


@dataclass(frozen=True, slots=True)
class _TalkWindow:
    """The window that a dialogue is in, and its summary."""

    number: int
    summary: DialogueSummary | None


@dataclass(slots=True)
class OpenTurn:
    """A turn in work."""

    turn: DialogueTurn

    def answer(self, text: str, steps: tuple[ToolStep, ...], shown: frozenset[int]) -> None:
        """There is an answer, which was made from these steps and messages."""
        self.turn = replace(self.turn, answer=text, steps=steps, sources=shown)

    def said(self) -> None:
        """The answer was said, or as much of it as is said at once."""
        self.turn = replace(self.turn, state=TurnState.DONE)

    def cut_short(self, said: str) -> None:
        """Only this beginning of the answer was said."""
        self.turn = replace(self.turn, answer=said, state=TurnState.DONE)


class DialogueMemory:
    """Reads and writes the dialogues of one network."""

    def __init__(self, store: Store, network: str, stale_after: Callable[[], timedelta]) -> None:
        self._store = store
        self._network = network
        self._stale_after = stale_after
        self._unwritten = UnwrittenState()
        self._reached = BoundedDict[DialoguePlace, StoredDialogue](MOST_PLACES)

    async def run(self) -> None:
        """Mark the turns that an earlier process left open, and write until `finish()`."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._mark_cut)
            await self._unwritten.run()
            tasks.cancel_scope.cancel()

    def finish(self) -> None:
        """No turn is held any more: let `run()` return once all are written."""
        self._unwritten.finish()

    @property
    def changes(self) -> int:
        """Rises whenever any dialogue may have changed: what was read before may be another now."""
        return self._unwritten.changes

    async def current(self, place: DialoguePlace) -> StoredDialogue:
        """The dialogue of a place as far as it is part of the talk; stale turns are not.

        Nor are those of a talk that rests on more than MOST_SOURCES messages. Without turns if it
        cannot be read.
        """
        try:
            with anyio.fail_after(READ_WITHIN):
                stored = await self._load(place)
        except (TerrariumError, TimeoutError) as error:
            log.warning("could not read a dialogue: %s", error)
            stored = self._reached.get(place, _UNKNOWN)
        else:
            self._reach(place, stored.window, stored.newest)
        return self._fresh(place, self._completed(place, stored), datetime.now(UTC))

    @contextmanager
    def turn(
        self,
        place: DialoguePlace,
        before: StoredDialogue,
        asker: Identity,
        question: str,
        *,
        message_id: int,
        is_off_record: Callable[[], bool],
    ) -> Iterator[OpenTurn]:
        """A turn that is open inside the block, and stopped after it unless its answer was said.

        It is not kept where it might overwrite another: `before` could not be read at all.

        Args:
            place: where it is held.
            before: the dialogue so far, from `current`.
            asker: who asks.
            question: what they ask.
            message_id: the line of the question; 0 if it is not recorded.
            is_off_record: whether it leaves nothing; if it becomes so meanwhile, no answer.
        """
        number, at = before.newest + 1, datetime.now(UTC)
        turn = DialogueTurn(number, before.window, at, asker, question, message_id)
        is_kept = before.window != _UNKNOWN.window and not is_off_record()
        opened = OpenTurn(turn)
        if is_kept:
            self._reach(place, before.window, number)
            self._put_turn(place, turn, after=OPENED_AFTER)
        try:
            yield opened
        finally:
            if is_kept:
                ended = turn if is_off_record() else opened.turn
                if ended.state is TurnState.OPEN:
                    ended = replace(ended, state=TurnState.STOPPED)
                self._put_turn(place, ended)

    async def clear(self, place: DialoguePlace) -> int:
        """Begin a new window; returns how many turns are no longer part of the talk.

        Raises:
            DialogueUnreadable: it is not known which window this is.
        """
        before = await self.current(place)
        if before.window == _UNKNOWN.window:
            raise DialogueUnreadable(
                "What we talked about cannot be read at the moment, so nothing is cleared."
                " Try again in a while."
            )
        self._put_window(place, before.window + 1, None)
        return before.length

    async def recorded(self, ids: Collection[int]) -> Collection[int]:
        """Those of some numbers that are ids of recorded messages; all if that cannot be read.

        Then a turn may be forgotten that rests on none, but none is kept that rests on one.
        """
        try:
            return await self._store.messages.recorded(ids)
        except TerrariumError as error:
            log.warning("could not read which messages are recorded: %s", error)
            return ids

    def summarised(self, place: DialoguePlace, window: int, summary: DialogueSummary) -> None:
        """A window has a summary from now on, unless it is over."""
        self._put_window(place, window, summary)

    def history_changed(self) -> None:
        """Lines were removed: what waits to be written is checked against that now."""
        self._unwritten.retry_now()

    async def _load(self, place: DialoguePlace) -> StoredDialogue:
        """What is stored, read while nothing was written."""
        while True:
            written = self._unwritten.written
            stored = await self._store.dialogues.load(place)
            if written == self._unwritten.written:
                return stored

    def _completed(self, place: DialoguePlace, stored: StoredDialogue) -> StoredDialogue:
        """What is stored, with what is not written yet laid over it."""
        window, summary = stored.window, stored.summary
        turns = {turn.number: turn for turn in stored.turns}
        newest = stored.newest
        for number, value in self._unwritten.waiting(place):
            match value:
                case _TalkWindow() if value.number >= window:
                    window, summary = value.number, value.summary
                case DialogueTurn():
                    turns[number] = value
                    newest = max(newest, number)
        covered = summary.turns if summary else frozenset()
        quoted = tuple(
            turn
            for number, turn in sorted(turns.items())
            if turn.window == window and turn.state is TurnState.DONE and number not in covered
        )
        return StoredDialogue(window, newest, summary, quoted)

    def _fresh(self, place: DialoguePlace, found: StoredDialogue, now: datetime) -> StoredDialogue:
        """The dialogue, or a new window: after a long silence, or if it rests on too much."""
        last = found.turns[-1].asked_at if found.turns else None
        last = last or (found.summary.made_at if found.summary else None)
        if last is None:
            return found
        if now - last <= self._stale_after() and len(found.rests_on) <= MOST_SOURCES:
            return found
        self._put_window(place, found.window + 1, None)
        return StoredDialogue(found.window + 1, found.newest)

    def _reach(self, place: DialoguePlace, window: int, newest: int) -> None:
        """Note how far a dialogue has come."""
        self._reached[place] = StoredDialogue(window, newest)

    def _put_turn(self, place: DialoguePlace, turn: DialogueTurn, *, after: float = 0.0) -> None:
        write = partial(self._store.dialogues.put_turn, place, turn)
        self._unwritten.put((place, turn.number), turn, write, after=after)

    def _put_window(
        self, place: DialoguePlace, number: int, summary: DialogueSummary | None
    ) -> None:
        """Write a window, unless a newer one waits: a summary may end after its window did."""
        for _, waiting in self._unwritten.waiting(place):
            if isinstance(waiting, _TalkWindow) and waiting.number > number:
                return
        write = partial(self._store.dialogues.put_window, place, number, summary)
        self._unwritten.put((place, 0), _TalkWindow(number, summary), write)

    async def _mark_cut(self) -> None:
        mark = partial(self._store.dialogues.mark_cut, self._network)
        marked = await until_it_succeeds(mark, "mark the turns that were cut off", log)
        if marked:
            log.info("cut off by the last shutdown: %s", quantity(marked, "question"))
