"""The recorder: accepts every message at once, in the network's order, and writes it to the store.

`record()` never waits. `run()` saves in batches, so that a message is durable within 100 ms. While
the store cannot write (full disk, lock), messages queue in memory, up to `MOST_WAITING`. Beyond
that, the spans of all channels end, so that the coverage shows a gap, and the messages lost are
counted and logged; recording begins again once half of the queue is on disk.
"""

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.irc_bridge.record.outage import Outage
from terrarium_mcp.irc_bridge.record.server_contact import ServerContact
from terrarium_mcp.store import (
    HEARTBEAT,
    BacklogFailed,
    BridgeReport,
    StillOpening,
    Store,
    StoreFailed,
    TookTooLong,
)
from terrarium_mcp.wording import quantity

BATCH = 1_000
"""Most messages saved in one transaction."""

TRY_AGAIN = 1.0
"""Seconds before a failed transaction is retried."""

MOST_WAITING = 1_000_000
"""Most messages queued. They take 0.64 kB each (measured), and need weeks on a busy network."""

SETTLING = 1.0
"""Seconds in which several changes of the bridge's state become one heartbeat."""

AT_THE_END = 60.0
"""Seconds of retrying after a stop was requested: shutdown must end even on a full disk."""

STUCK = 60.0
"""Seconds in which a batch is saved, or fails, unless something hangs; a lock takes 5 of them."""

IN_A_HURRY = 1.0
"""Seconds of retrying after a stop at once was requested."""

STOPPED = "the recorder was stopped"
"""Why a span ended: at the end of the program."""

CLOCK_SET = "the clock of this machine was set"
OTHER_FILE = "the database was replaced"
"""Why a span ended, and the one after it began."""

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class PendingMessage:
    """A message on its way to the disk.

    `message_id` is 0 until it is saved, and remains 0 for one that is left out.
    """

    message: NewMessage
    message_id: int = 0


@dataclass(frozen=True, slots=True)
class _PendingAction:
    """A store action queued between messages, so that it happens in their order.

    All before it are on disk then, and none behind it: so a span ends, or an opt-out begins,
    between two lines.
    """

    act: Callable[[], Awaitable[None]]


class Recorder:
    """Saves the messages of one network.

    Attributes:
        waiting: the number of messages not yet on disk.
        lost: the number that were not queued since the start, as too many were waiting.
        newest: the live message queued last; None before the first.
        outage: the outage that goes on; None while writing works.
        on_outage: called when an outage begins or ends.
    """

    def __init__(
        self,
        store: Store,
        network: str,
        home: str = "",
        *,
        report: Callable[[], BridgeReport] | None = None,
        contact: ServerContact | None = None,
    ) -> None:
        """Record `network`. Rows stored without a network are of `home`: unset, of this one.

        `report` returns the bridge's state for the heartbeat, if it has one; `contact` has the
        clocks, unset: those of this machine.
        """
        self.store = store
        self.network = network
        self.waiting = 0
        self.lost = 0
        self.newest: NewMessage | None = None
        self.outage: Outage | None = None
        self.on_outage: Callable[[], None] = lambda: None
        self._report = report
        self._contact = contact or ServerContact()
        self._beats_soon = Bell()
        self._beats_soon.ring()  # the first one says that we have begun
        self._beat_queued = False
        self._full = False
        self._tried = 0.0
        self._casemapping = DEFAULT_CASEMAPPING
        self._recorded: dict[str, str] = {}
        """The channels that are recorded, as they are spelled, by their folded names."""
        self._open: set[str] = set()
        """Those with an open span in the file: what waits to be written may end it, or begin it."""
        self._to_save: deque[PendingMessage | _PendingAction] = deque()
        self._bell = Bell()
        self._finished = False
        self._patience = AT_THE_END
        self._opening = 0
        self._written_until = self._contact.now()
        """Which opening of the history is written to, and until when all that came is written."""
        self._running = anyio.CancelScope(shield=True)
        self._home = home or network
        # Before the first message, after which there are two networks.
        self._enqueue_action(self._name_networks)

    def note_contact(self) -> None:
        """The server said something, whatever it was: what it said until now was recorded.

        Called for each line, before anything of it is recorded.
        """
        self._look_at_clocks()
        self._contact.hear()

    def record(self, message: NewMessage) -> PendingMessage:
        """Queue a message. Never waits, so callers keep the network's order."""
        pending = PendingMessage(message)
        if self._full or self.waiting >= MOST_WAITING:
            self._lose()
            return pending
        if message.origin is Origin.LIVE:
            self.newest = message
        self.waiting += 1
        self._enqueue(pending)
        return pending

    def set_casemapping(self, casemapping: str) -> None:
        """Tell rooms apart by this CASEMAPPING from here on, before anything that follows."""
        self._casemapping = casemapping
        self._recorded = {self._folded(channel): channel for channel in self._recorded.values()}
        recorded = [*self._recorded.values()]
        compare = partial(self.store.rooms.set_casemapping, self.network, casemapping, recorded)
        self._enqueue_action(compare)

    def is_recorded(self, channel: str) -> bool:
        """Whether a channel is recorded now."""
        return self._folded(channel) in self._recorded

    def begin(self, channel: str, why: str) -> None:
        """Open a span: from here on the channel is recorded."""
        self._recorded[self._folded(channel)] = channel
        if not self._full:
            self._begin_span(channel, why)

    def end(self, channel: str, why: str) -> None:
        """Close the span where the server was last heard: what came after may be missing.

        Of a channel that is not recorded, nothing is noted.
        """
        recorded = self._recorded.pop(self._folded(channel), None)
        if recorded and not self._full:
            self._end_span(recorded, why)

    def end_all(self, why: str) -> None:
        """Close every open span, as when the connection is lost."""
        for channel in sorted(self._recorded.values()):
            self.end(channel, why)

    def afterwards(self, act: Callable[[], Awaitable[None]]) -> None:
        """Run `act` once everything recorded so far is on disk, and before what comes later.

        A backfill is given so: it reads what is on disk, and has to see the lines before it. `act`
        is repeated while the store cannot write.
        """
        self._enqueue_action(act)

    def redact(self, channel: str, msgid: str, asked_by: str) -> None:
        """Remove the text of a line, also of one that still waits to be saved."""
        at = datetime.now(UTC)

        async def redact() -> None:
            try:
                await self.store.removal.redact(
                    self.network, channel, msgid, asked_by=asked_by, at=at
                )
            except BacklogFailed as error:
                log.warning("a redacted line may still be quoted in the backlog: %s", error)

        self._enqueue_action(redact)

    def beat_soon(self) -> None:
        """Write a heartbeat in a moment, since the bridge's state has changed."""
        self._beats_soon.ring()

    async def flush(self) -> None:
        """Return once everything recorded so far is on disk."""
        reached = anyio.Event()

        async def arrive() -> None:
            reached.set()

        self._enqueue_action(arrive)
        await reached.wait()

    async def run(self) -> None:
        """Save messages until `finish()` is called and everything queued is on disk.

        Cancelling does not stop it: that would lose queued messages.

        Raises:
            TerrariumError: the history cannot be opened, and a retry would not help.
        """
        with self._running:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._keep_alive)
                while await self._has_work():
                    came_by = self._contact.now()
                    batch = self._next_batch()
                    holds_all = not self._to_save
                    await self._save(batch)
                    if holds_all:
                        self._written_until = came_by
                    if self._full and self.waiting <= MOST_WAITING // 2:
                        self._begin_again()
                tasks.cancel_scope.cancel()
        if self.waiting:
            lines = quantity(self.waiting, "line")
            log.error("%s: %s lost: the history could not be written", self.network, lines)

    def finish(self) -> None:
        """Say that nothing more will come; `run()` returns once everything is saved."""
        self.end_all(STOPPED)
        self._finished = True
        self._queue_beat()  # the last one
        self._bell.ring()
        self._running.deadline = anyio.current_time() + self._patience

    @property
    def is_stuck(self) -> bool:
        """Whether something waits that nothing has tried to save for `STUCK` seconds."""
        return bool(self._to_save) and anyio.current_time() > self._tried + STUCK

    def give_up_soon(self) -> None:
        """Give up what cannot be written within IN_A_HURRY, once it is to finish."""
        self._patience = IN_A_HURRY
        if self._finished:
            self._running.deadline = anyio.current_time() + self._patience

    def _look_at_clocks(self) -> None:
        """End all spans where the server was last heard if the clock was set, and begin others.

        One span over both would claim the time that the clock has skipped.
        """
        heard = self._contact.last_heard
        if not self._contact.look():
            return
        log.warning(
            "%s: the clock of this machine was set: its time was about %s",
            self.network,
            f"{heard:%Y-%m-%d %H:%M:%S} UTC",
        )
        for channel in () if self._full else sorted(self._recorded.values()):
            self._end_span(channel, CLOCK_SET, heard)
            self._begin_span(channel, CLOCK_SET)

    def _folded(self, channel: str) -> str:
        return fold(channel, self._casemapping)

    def _begin_span(self, channel: str, why: str) -> None:
        at = self._contact.now()

        async def begin() -> None:
            await self.store.spans.begin(self.network, channel, at, why)
            self._open.add(channel)

        self._enqueue_action(begin)

    def _end_span(self, channel: str, why: str, at: datetime | None = None) -> None:
        at = at or self._contact.last_heard

        async def end() -> None:
            await self.store.spans.end(self.network, channel, at, why)
            self._open.discard(channel)

        self._enqueue_action(end)

    def _lose(self) -> None:
        """Count a message that has no room in the queue; the first one ends all spans."""
        self.lost += 1
        if not self._full:
            self._full = True
            log.error(
                "%s: %d lines wait to be recorded: no more fit into memory, so what is said from"
                " now on is lost until the history can be written",
                self.network,
                self.waiting,
            )
            for channel in sorted(self._recorded.values()):
                self._end_span(channel, "too many lines were waiting to be written")

    def _begin_again(self) -> None:
        """Record again after the queue was full."""
        self._full = False
        lost = quantity(self.lost, "line")
        log.error("%s: recording again; %s lost since the start", self.network, lost)
        for channel in sorted(self._recorded.values()):
            self._begin_span(channel, "lines were lost")

    def _enqueue_action(self, act: Callable[[], Awaitable[None]]) -> None:
        self._enqueue(_PendingAction(act))

    def _enqueue(self, item: PendingMessage | _PendingAction) -> None:
        self._to_save.append(item)
        self._bell.ring()

    async def _has_work(self) -> bool:
        """Wait for something to save; False once there will be nothing more."""
        while not (self._to_save or self._finished):
            await self._bell.wait()
        return bool(self._to_save)

    def _next_batch(self) -> list[PendingMessage | _PendingAction]:
        """The queued items, at most one transaction's worth."""
        return [self._to_save.popleft() for _ in range(min(BATCH, len(self._to_save)))]

    async def _save(self, items: Sequence[PendingMessage | _PendingAction]) -> None:
        """Save a batch of messages, running the actions queued among them in their place."""
        batch: list[PendingMessage] = []
        for item in items:
            if isinstance(item, PendingMessage):
                batch.append(item)
                continue
            await self._append(batch)
            batch = []
            await self._until_it_succeeds(item.act)
        await self._append(batch)

    async def _append(self, batch: Sequence[PendingMessage]) -> None:
        if not batch:
            return

        async def append() -> None:
            ids = await self.store.messages.append([pending.message for pending in batch])
            for pending, message_id in zip(batch, ids, strict=True):
                pending.message_id = message_id

        await self._until_it_succeeds(append)
        self.waiting -= len(batch)

    async def _until_it_succeeds(self, act: Callable[[], Awaitable[None]]) -> None:
        """Retry `act` until the store can, and log how long that takes."""
        await self._opened()
        while True:
            self._tried = anyio.current_time()
            try:
                await self._go_on_in_other_file()
                await act()
            except (StoreFailed, StillOpening, TookTooLong) as error:  # opened again: path_watch.py
                self._failed(str(error))
                await anyio.sleep(TRY_AGAIN)
            else:
                return self._succeeded()

    async def _go_on_in_other_file(self) -> None:
        """Note in a file that took the place of another what was recorded, and since when.

        A backup that was put back has spans that the next heartbeat would extend over all that it
        lacks; a new file has none.
        """
        await self.store.opening.wait()
        opening = self.store.opening.times
        if self._opening not in (0, opening):
            await self._name_networks()
            recorded = sorted(self._open)
            await self.store.rooms.set_casemapping(self.network, self._casemapping, recorded)
            since = self._written_until
            for channel in recorded:
                await self.store.spans.begin(self.network, channel, since, OTHER_FILE)
        self._opening = opening

    async def _name_networks(self) -> None:
        """Give what is stored under no name, or under another spelling, the name it is to have."""
        await self.store.name_network(self._home)
        await self.store.respell_network(self.network)

    def _failed(self, why: str) -> None:
        begins = self.outage is None
        self.outage = self.outage or Outage(self.network)
        self.outage.failed(why, self.waiting)
        if begins:
            self.on_outage()

    def _succeeded(self) -> None:
        if self.outage:
            self.outage.ended(self.waiting)
            self.outage = None
            self.on_outage()
            self.beat_soon()

    async def _opened(self) -> None:
        """Wait for the history to open, however long its migration takes."""
        while True:
            self._tried = anyio.current_time()
            with suppress(StillOpening):
                return await self.store.opening.wait()

    async def _keep_alive(self) -> None:
        """Queue a heartbeat every `HEARTBEAT`, and soon after `beat_soon()`."""
        while True:
            with anyio.move_on_after(HEARTBEAT.total_seconds()):
                await self._beats_soon.wait()
                await anyio.sleep(SETTLING)
            self._look_at_clocks()
            # While nothing can be written, one is enough.
            if not (self._beat_queued or self._finished):
                self._queue_beat()

    def _queue_beat(self) -> None:
        """Queue the bridge's report, and the extension of the spans of recorded channels.

        The spans last until the server was last heard, not until now: the connection may be dead
        without our knowing. A heartbeat that fails is not repeated: the next one follows soon.
        """
        # Those recorded now: a span that begins later must not be extended before it begins.
        channels = [] if self._full else sorted(self._recorded.values())
        heard, at = self._contact.last_heard, self._contact.now()
        self._beat_queued = True

        async def beat() -> None:
            self._beat_queued = False
            report = self._state()
            if channels or report:
                with suppress(StoreFailed):
                    await self.store.heartbeats.beat(self.network, channels, heard, report, at=at)

        self._enqueue_action(beat)

    def _state(self) -> BridgeReport | None:
        """The bridge's report; None if it has none, or fails: that must not end the record."""
        try:
            report = self._report() if self._report else None
        except Exception:
            log.exception("%s: the bridge's report failed; what is said is recorded", self.network)
            return None
        return report.last() if report and self._finished else report
