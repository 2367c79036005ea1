"""Playback: what a bouncer sent a second time, into a log that has it already. Pure.

A bouncer that keeps its buffer (ZNC with AutoClearChanBuffer=false) sends it at every attach, and a
client that knows when each line was said writes it down again, below the first copy. A line is
*played back* if

1. it is behind a line with a later stamp: the stamps went back, and did not catch up yet.
2. an earlier line of the log is of the same kind and nick, with the same text and the same stamp.
   Each of them is played back once in such a stretch, so who said "ok" twice said it twice.
3. the stretch shows that it is a playback: either such a line has a stamp from before its log was
   opened, and nobody talked since; or `ENOUGH` lines of talk in a row are lines of the log, in its
   order, with words that it has nowhere else. They are of two people, or of more time than
   `LONGEST_STEP`.

Where a clock is set back, people say other things than they did at that time before. What a bot
says every hour is said elsewhere too, and what only one says within an hour is no evidence.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile

from terrarium_mcp.chat.records import SPEECH, NewMessage

REMEMBERED = 10_000
"""Lines of a log. A bouncer keeps 50 of a channel (ZNC's ChanBufferSize) up to some thousand, and
a log has comings and goings between them."""

ENOUGH = 3
"""Lines of talk. A playback of fewer is not recognised where the log does not say when it was
opened."""

COARSEST = timedelta(minutes=1)
"""By which a stamp may be earlier than the moment that it names: some logs show minutes only."""

LONGEST_STEP = timedelta(hours=1)
"""By which zones set clocks back. A bot that tells the time says the same in both these hours."""

MOST_WAITING = 200
"""Messages of a stretch that shows nothing: behind them the clock counts as set back."""

LOOKS = 5
"""Earlier lines that are looked at, on average, for each line at most. A log whose stamps go back
all the time takes a third longer."""

_EARLIEST = datetime.min.replace(tzinfo=UTC)

_Words = tuple[str, str]
"""A nick and what it said."""


class PlaybackFilter:
    """Takes the messages of one log in its order, and gives back those that are first copies.

    Attributes:
        repeated: how many were played back so far.
    """

    def __init__(self) -> None:
        self.repeated = 0
        self._newest = self._opened = _EARLIEST
        """The latest stamp, and when the log was opened, until somebody talks."""
        self._lines = deque[tuple[datetime, NewMessage]](maxlen=REMEMBERED)
        """The last first copies, each with the latest stamp up to it."""
        self._looks = 0
        self._stretch: _Stretch | None = None
        """What came since the stamps went back, until they catch up."""

    def opened(self, at: datetime) -> Sequence[NewMessage]:
        """The log says that it was opened; returns the messages that waited."""
        waiting = self.rest()
        self._opened = max(at, _EARLIEST + COARSEST) - COARSEST
        self._newest = max(self._newest, self._opened)
        return waiting

    def first_copies(self, message: NewMessage) -> Sequence[NewMessage]:
        """What this message shows to be a first copy: itself, or also those that waited."""
        at = message.said_at
        self._looks += LOOKS
        if self._stretch is None:
            if at >= self._newest:  # nearly all are
                self._newest = at
                if self._opened is not _EARLIEST and message.kind in SPEECH:
                    self._opened = _EARLIEST
                self._lines.append((at, message))
                return (message,)
            self._stretch = _Stretch(self._earlier(at), self._opened)
        elif not self._stretch.last <= at <= self._newest:
            return [*self.rest(), *self.first_copies(message)]
        kept = self._passed_on(self._stretch, message)
        if len(self._stretch.waiting) < MOST_WAITING:
            return kept
        self._newest, self._opened = at, _EARLIEST
        return self.rest()

    def rest(self) -> Sequence[NewMessage]:
        """The messages that wait, when nothing is left that could show what they are."""
        waiting = [one for one, _ in self._stretch.waiting] if self._stretch else []
        self._stretch = None
        self._remember(waiting)
        return waiting

    def _passed_on(self, stretch: "_Stretch", message: NewMessage) -> Sequence[NewMessage]:
        waited = len(stretch.waiting)
        kept = stretch.add(message, self._times_said)
        self.repeated += 1 + waited - len(stretch.waiting) - len(kept)
        self._remember(kept)
        return kept

    def _remember(self, messages: Sequence[NewMessage]) -> None:
        self._lines.extend((self._newest, one) for one in messages)

    def _earlier(self, began: datetime) -> Sequence[NewMessage]:
        """The earlier lines that may be played back from a moment on, in the order of the log."""
        since = takewhile(lambda one: one[0] >= began, reversed(self._lines))
        found = [line for _, (_, line) in zip(range(self._looks), since, strict=False)]
        self._looks = min(self._looks, 2 * REMEMBERED) - len(found)
        found.reverse()
        return found

    def _times_said(self) -> Mapping[_Words, int]:
        """How often each person said each thing, or did it, in what is remembered."""
        self._looks = 0
        return Counter(_words(line) for _, line in self._lines)


class _Stretch:
    """Messages behind stamps that went back, in their order.

    Attributes:
        last: the stamp of the last.
        waiting: those of which it is open whether they are played back, and whether an earlier line
            is the same. As soon as the stretch shows that it is a playback, none waits.
    """

    def __init__(self, earlier: Sequence[NewMessage], opened: datetime) -> None:
        self.last = _EARLIEST
        self.waiting: list[tuple[NewMessage, bool]] = []
        self._places = defaultdict[Hashable, deque[int]](deque)
        for place, line in enumerate(earlier):
            self._places[_copy(line)].append(place)
        self._run: list[tuple[int, NewMessage]] = []
        """Lines of talk, the last in a row that earlier ones are, with the places of those."""
        self._said: Mapping[_Words, int] = {}
        self._opened = opened
        self._is_playback = False

    def add(
        self, message: NewMessage, times_said: Callable[[], Mapping[_Words, int]]
    ) -> Sequence[NewMessage]:
        """Add the next message; returns those of which it is now known that they are no copies."""
        self.last = message.said_at
        places = self._places.get(_copy(message))
        place = places.popleft() if places else None
        if self._is_playback:
            return [message] if place is None else []
        self.waiting.append((message, place is not None))
        if message.kind in SPEECH:
            self._go_on(place, message)
        is_old = place is not None and message.said_at < self._opened
        if not (is_old or self._shows_playback(times_said)):
            return []
        self._is_playback = True
        kept = [one for one, is_copy in self.waiting if not is_copy]
        self.waiting = []
        return kept

    def _go_on(self, place: int | None, message: NewMessage) -> None:
        if place is None:
            self._run = []
        elif self._run and place < self._run[-1][0]:
            self._run = [(place, message)]
        else:
            self._run.append((place, message))

    def _shows_playback(self, times_said: Callable[[], Mapping[_Words, int]]) -> bool:
        if not _is_evidence([line for _, line in self._run]):
            return False
        self._said = self._said or times_said()
        return _is_evidence([line for _, line in self._run if self._said[_words(line)] == 1])


def _is_evidence(lines: Sequence[NewMessage]) -> bool:
    """Whether lines in a row that are played back are too many, and too different, for chance."""
    if len(lines) < ENOUGH:
        return False
    took = lines[-1].said_at - lines[0].said_at
    return took > LONGEST_STEP or len({line.nick for line in lines}) > 1


def _copy(line: NewMessage) -> Hashable:
    """What a line has in common with its copy in a playback."""
    return line.said_at, line.kind, line.nick, line.text


def _words(line: NewMessage) -> _Words:
    return line.nick, line.text
