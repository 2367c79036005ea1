"""Coverage: the spans in which a channel was recorded, and the gaps between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from terrarium_mcp.chat.times.timestamps import lasting, local

NOTABLE_GAP = timedelta(minutes=2)
"""Shorter gaps are reconnects, and not worth mentioning."""

PLAYBACK = "playback"
"""The source of a span in which nothing was heard live, but all that was said was replayed later:
of joins, kicks and other events nothing is known."""

EVENT_PLAYBACK = "event playback"
"""The source of a span whose lines and events were all replayed later (IRCv3 event-playback)."""

JOINED = "joined"
"""Why a span began whose channel the bot had just entered."""

OPENED = "the log was opened"
"""Why a span began in which a log was open that says when it was opened: between two is a gap."""

BEGINS = "the log begins"
"""Why one began in which a log seems to have been open: from its first line to its last."""

_BEGINNING = attrgetter("began")


class Span(NamedTuple):
    """A time in which a room was recorded.

    `source` is "" if this program heard it live, PLAYBACK or EVENT_PLAYBACK if the network replayed
    it, else the name of the other program that recorded it. `why_began` and `why_ended` are its
    reasons, if known.
    """

    room: int
    began: datetime
    ended: datetime
    going_on: bool = False
    source: str = ""
    why_ended: str = ""
    why_began: str = ""

    @property
    def is_own(self) -> bool:
        """Whether this program recorded it, live or from playback."""
        return self.source in ("", PLAYBACK, EVENT_PLAYBACK)

    @property
    def is_session(self) -> bool:
        """Whether a log was open from its beginning to its end, as far as is known."""
        return self.why_began in (OPENED, BEGINS)


class Gap(NamedTuple):
    """A time in which nothing was recorded, or no events.

    `told_by` is the source whose logs tell it; "" for a gap in the recording of this program.
    """

    began: datetime
    ended: datetime
    told_by: str = ""

    @property
    def length(self) -> timedelta:
        """The duration of the gap."""
        return self.ended - self.began


@dataclass(frozen=True)
class Coverage:
    """What the record covers of some rooms.

    It keeps its gaps, and the sentence that it told: every answer has it, and of 400 channels it
    takes a third of what a call takes (measured over stdio).
    """

    spans: Sequence[Span] = ()
    _told: dict[tzinfo, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def gaps(self) -> Sequence[Gap]:
        """The notable gaps, oldest first.

        Those in the recording of this program, and outside of that those that logs tell of
        themselves, as far as nothing else may have been recorded then.
        """
        return self._gaps

    @cached_property
    def _gaps(self) -> Sequence[Gap]:
        of_rooms: dict[int, list[Span]] = {}
        for span in sorted(self.spans, key=_BEGINNING):
            of_rooms.setdefault(span.room, []).append(span)
        gaps = [gap for spans in of_rooms.values() for gap in _gaps_of_room(spans)]
        return sorted(gaps, key=_BEGINNING)

    def event_gaps(self) -> list[Gap]:
        """The notable times, oldest first, from which playback has what was said and no events.

        With what little lies between them and the records of events.
        """
        gaps = []
        for room in dict.fromkeys(span.room for span in self.spans):
            of_room = [span for span in self.spans if span.room == room]
            with_events = [span for span in of_room if span.source in ("", EVENT_PLAYBACK)]
            for span in of_room:
                if span.source == PLAYBACK:
                    gaps += _left_of(Gap(span.began, span.ended), with_events)
        return sorted((gap for gap in gaps if gap.length >= NOTABLE_GAP), key=_BEGINNING)

    def events_sentence(
        self, zone: tzinfo, since: datetime | None = None, until: datetime | None = None
    ) -> str:
        """What is not known of the events of a time; "" if nothing.

        `events of 2026-11-26 04:02 to 04:05 unknown: only lines were played back`
        """
        gaps = _outages(
            gap
            for gap in self.event_gaps()
            if (since is None or gap.ended > since) and (until is None or gap.began < until)
        )
        if not gaps:
            return ""
        latest = ", ".join(_from_to(gap, zone) for gap in gaps[-3:])
        times = latest if len(gaps) <= 3 else f"{len(gaps)} times (latest {latest})"
        return f"events of {times} unknown: only lines were played back"

    def before(self, moment: datetime) -> "Coverage":
        """The coverage as it was at `moment`."""
        return Coverage(
            [
                span._replace(
                    ended=min(span.ended, moment),
                    going_on=span.going_on or span.ended >= moment,
                )
                for span in self.spans
                if span.began < moment
            ]
        )

    def sentence(self, zone: tzinfo) -> str:
        """One line for the head of an answer: `recorded 2026-01-03 to now; 2 gaps (...)`."""
        if zone not in self._told:
            gaps = self.gaps()
            own = _own_part(self.spans, _outages(gap for gap in gaps if not gap.told_by), zone)
            parts = filter(None, [own, *_imported_parts(self.spans, gaps, zone)])
            self._told[zone] = "; ".join(parts) or "nothing recorded yet"
        return self._told[zone]


def _gaps_of_room(spans: Sequence[Span]) -> list[Gap]:
    """The notable gaps of one room, given its spans by their beginnings."""
    own = [span for span in spans if span.is_own]
    gaps = _gaps_between(own)
    told: dict[str, list[Span]] = {}
    for span in spans:
        if span.why_began == OPENED:
            told.setdefault(span.source, []).append(span)
    if not told:
        return gaps
    tellers = [*map(_whole, told.values())]
    recorder = [_whole(own)] if own else []
    covered = [span for span in spans if span.source not in told or span.is_session]
    for began, ended, _ in _gaps_between(covered):
        for teller in (*recorder, *tellers):
            if teller.began <= began and ended <= teller.ended:
                if not teller.is_own:
                    gaps.append(Gap(began, ended, teller.source))
                break
    return gaps


def _whole(spans: Sequence[Span]) -> Span:
    """One span from the beginning of the first to the end of the last."""
    return spans[0]._replace(ended=max(span.ended for span in spans))


def _gaps_between(spans: Sequence[Span]) -> list[Gap]:
    if not spans:
        return []
    gaps = []
    reached = spans[0].ended
    for span in spans[1:]:
        if span.began - reached >= NOTABLE_GAP:
            gaps.append(Gap(reached, span.began))
        reached = max(reached, span.ended)
    return gaps


def _outages(gaps: Iterable[Gap]) -> list[Gap]:
    """The gaps, oldest first; those that begin and end together, in several rooms, are one."""
    outages: list[Gap] = []
    for gap in gaps:
        if not _is_among(gap, outages):
            outages.append(gap)
    return outages


def _is_among(gap: Gap, outages: Sequence[Gap]) -> bool:
    """Whether a gap is one of the latest outages; rooms are left and joined one after the other."""
    for one in reversed(outages):
        if gap.began - one.began >= NOTABLE_GAP:
            return False
        if abs(gap.ended - one.ended) < NOTABLE_GAP:
            return True
    return False


def _own_part(spans: Iterable[Span], gaps: Sequence[Gap], zone: tzinfo) -> str:
    own = [span for span in spans if span.is_own]
    if not own:
        return ""
    first = min(span.began for span in own)
    last = max(span.ended for span in own)
    until = "now" if any(span.going_on for span in own) else _day(last, zone)
    return f"recorded {_day(first, zone)} to {until}" + (f"; {_told(gaps, zone)}" if gaps else "")


def _imported_parts(spans: Iterable[Span], gaps: Sequence[Gap], zone: tzinfo) -> list[str]:
    imported: dict[str, list[Span]] = {}
    for span in spans:
        if not span.is_own:
            imported.setdefault(span.source, []).append(span)
    return [
        f"from {source} {_day(min(span.began for span in its_spans), zone)} to"
        f" {_day(max(span.ended for span in its_spans), zone)}"
        + _gaps_part(its_spans, _outages(gap for gap in gaps if gap.told_by == source), zone)
        for source, its_spans in imported.items()
    ]


def _gaps_part(spans: Sequence[Span], gaps: Sequence[Gap], zone: tzinfo) -> str:
    """What is known of the gaps of a source: nothing if a room has no log that tells them."""
    parts = [_told(gaps, zone)] if gaps else []
    telling = {span.room for span in spans if span.why_began == OPENED}
    if any(span.room not in telling for span in spans):
        parts.append("gaps unknown")
    return "".join(f", {part}" for part in parts)


def _told(gaps: Sequence[Gap], zone: tzinfo) -> str:
    """`2 gaps (2026-11-02 5h12m, 2026-11-14 31m)`."""
    latest = ", ".join(f"{_day(gap.began, zone)} {lasting(gap.length)}" for gap in gaps[-3:])
    more = "" if len(gaps) <= 3 else "latest "
    noun = "gap" if len(gaps) == 1 else "gaps"
    return f"{len(gaps)} {noun} ({more}{latest})"


def _left_of(gap: Gap, spans: Iterable[Span]) -> list[Gap]:
    """What is left of a time without `spans`; it reaches to those that nearly touch it."""
    near = [
        span
        for span in sorted(spans, key=_BEGINNING)
        if span.ended > gap.began - NOTABLE_GAP and span.began < gap.ended + NOTABLE_GAP
    ]
    began = max((span.ended for span in near if span.began <= gap.began), default=gap.began)
    left = []
    for span in near:
        if span.began > gap.began:
            left.append(Gap(began, span.began))
            began = max(began, span.ended)
    return [*left, Gap(began, gap.ended)]


def _from_to(gap: Gap, zone: tzinfo) -> str:
    """`2026-11-26 04:02 to 04:05`."""
    began, ended = local(gap.began, zone), local(gap.ended, zone)
    day = "" if began.date() == ended.date() else "%Y-%m-%d "
    return f"{began:%Y-%m-%d %H:%M} to {ended:{day}%H:%M}"


def _day(moment: datetime, zone: tzinfo) -> str:
    return local(moment, zone).strftime("%Y-%m-%d")
