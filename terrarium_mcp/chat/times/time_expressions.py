"""Times mentioned in a plain English question: `yesterday`, `in May`, `the summer of 2021`.

In a ranked search lines of that time rank higher, since people talk about an event before and after
it. A search sorted by time is narrowed to it (tools/plain_questions.py).
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from terrarium_mcp.chat.english.calendar_words import COUNT_WORD, PERIODS, Period
from terrarium_mcp.chat.times.clock_times import (
    OTHER_DAY,
    may_name_an_hour,
    moment_after,
    time_of_day,
    times_without_a_day,
)
from terrarium_mcp.chat.times.iso_moments import IsoMoment, iso_moments
from terrarium_mcp.chat.times.joined_times import Joint, joints
from terrarium_mcp.chat.times.named_days import (
    OF_WAKING_HOURS,
    RELATION,
    matches,
    may_name_days,
)
from terrarium_mcp.chat.times.nested_days import NamedDays, nested
from terrarium_mcp.chat.times.parts_of_day import FIRST_HOUR, hours_of, part_named
from terrarium_mcp.chat.times.patterns import in_ascii_letters
from terrarium_mcp.chat.times.recent_hours import RecentTime, recent_times
from terrarium_mcp.chat.times.relative_days import (
    how_long,
    so_long_after,
    so_long_before,
    weekend_after,
    weekend_before,
)
from terrarium_mcp.chat.times.seasons import Days
from terrarium_mcp.chat.times.times_alone import is_meant
from terrarium_mcp.chat.times.timestamps import local, midnight

_EARLIEST = date(1900, 1, 1)
"""The first day of what was before a time."""

_LATELY, _AS_LONG = timedelta(14), 4
"""How much of the time before something counts as near it: so many days, or so many times its own
length if that is longer."""

_AROUND = timedelta(3)
"""How far a time around a day reaches."""

_HOW_MANY = (
    r"(?:(?:on|over|at)\s+)?(?P<the>the\s+(?:(?:first|last)\s+)?)?"
    rf"(?:(?:a\s+)?(?P<count>(?!an?\b)(?:[1-9]\d{{0,3}}|{COUNT_WORD}))(?:\s+of)?\s+)?"
)
_RELATED = re.compile(
    rf"{_HOW_MANY}(?:(?P<unit>day|weekend|week|month|year)s?\s+)?(?P<relation>{RELATION})\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"\b(?<!\d[.,]){_HOW_MANY}(?:day|week|month|year)s?\s+(?:before|prior\s+to|after)\b",
    re.IGNORECASE,
)
"""Not `5 weeks` in `2.5 weeks`."""
_COUNT_LENGTH = 30
"""More characters than such a count has, with one blank between any two words."""
_OPENING = re.compile(r"\b(?:since|before|prior to|after|until|till|up to|by)\s\Z", re.IGNORECASE)
_OPENING_LENGTH = 10
"""What opens a time that is before or after days, and how long it is: `since` the day after May."""

_BY_ONE_WORD = re.compile(r"(?:by|from)\s+([^\W\d_]+)\.?", re.IGNORECASE)


_Ends = tuple[datetime, datetime]
"""From when to when (exclusive), in UTC."""


class TimeExpression(NamedTuple):
    """A time from `since` to `until` (exclusive), and the words `said`, which begin at `at`.

    With since or after it extends to today; with before or until it begins in 1900, and only its
    last days (`lately`) rank higher. Words that may name two times, such as `winter 2008`, make two
    expressions. `From yesterday until 3 May` ends before it begins: no line is of such a time.
    """

    said: str
    since: datetime
    until: datetime
    at: int = 0
    lately: timedelta = timedelta.max

    @property
    def span(self) -> tuple[int, int]:
        """From where to where in the text its words are."""
        return self.at, self.at + len(self.said)

    @property
    def nearer(self) -> datetime:
        """When the part that ranks higher begins."""
        return max(self.since, self.until - min(self.lately, self.until - self.since))

    @property
    def author(self) -> str:
        """The word after `by` or `from`, such as `june`: a nick where somebody is called so.

        Empty if there is more than that word.
        """
        found = _BY_ONE_WORD.fullmatch(self.said)
        return found[1] if found else ""

    @property
    def has_beginning(self) -> bool:
        """Whether it begins at a time that is named, unlike `before May`."""
        return self.since.year > _EARLIEST.year


def may_express_times(text: str) -> bool:
    """Whether `text` holds what is in all such times: told in a fiftieth of the time of reading."""
    return may_name_days(text) or may_name_an_hour(text)


@lru_cache(maxsize=16)  # several parts of one search ask, and it takes half a millisecond
def time_expressions(text: str, now: datetime, zone: tzinfo) -> tuple[TimeExpression, ...]:
    """The times that `text` names, the most certain first, read at `now` in the reader's `zone`."""
    if not may_express_times(text):
        return ()
    text = in_ascii_letters(text)
    times = _single_times(text, now, zone)
    joined = [
        one
        for joint in joints(text, [one.span for one in times])
        for one in _joined(joint, text, now, zone)
    ]
    spans = [one.span for one in joined]
    return *joined, *(one for one in times if not _overlaps(one.span, spans))


def without_times(times: tuple[TimeExpression, ...], text: str) -> str:
    """`text` without the words that name these times."""
    for at, said in sorted({(one.at, one.said) for one in times}, reverse=True):
        text = f"{text[:at]} {text[at + len(said) :]}"
    return text


def _joined(joint: Joint, text: str, now: datetime, zone: tzinfo) -> list[TimeExpression]:
    """The readings of a time that is made of others; none if one of these is no time.

    Nor is there one between two of which the later is named first: they remain two.
    """
    begins, ends = (
        [one for one in _single_times(words, now, zone) if one.said == words]
        for words in (joint.since, joint.until)
    )
    said = text[joint.begin : joint.end]
    return [
        one._replace(said=said, until=ends[0].until, at=joint.begin)
        for one in begins
        if ends and (one.since < ends[0].until or not said.lower().startswith("between"))
    ]


def _single_times(text: str, now: datetime, zone: tzinfo) -> list[TimeExpression]:
    """The times that `text` names by themselves, whatever the words between them make of two."""
    today = local(now, zone).date()
    times = _to_the_minute(text, now, zone)
    taken = [one.span for one in times]
    named: list[NamedDays] = []
    for match, read in matches(text):
        span = _begin(match), match.end()
        if _overlaps(span, taken):
            continue
        try:
            day = local(now - FIRST_HOUR, zone).date() if read in OF_WAKING_HOURS else today
            days = NamedDays(match, read, read(match, day), *span, *_relations(match, span))
            _expressions(days, today, zone)
        except (ValueError, OverflowError):  # the 31st of June, the year 10,000
            continue
        taken.append(span)
        named.append(days)
    for days in nested(named, today):
        found = _expressions(days, today, zone)
        others = [span for span in taken if not _overlaps(span, [found[0].span])]
        at_its_time = _at_its_time(days, found, others, text, today, zone)
        taken.append(at_its_time[0].span)
        times += at_its_time
    if not times:  # else an hour may be one of the day that is named
        times += [
            TimeExpression(match[0], since, until, match.start())
            for match, since, until in times_without_a_day(text, now, zone)
            if is_meant(match)
        ]
    return times


def _to_the_minute(text: str, now: datetime, zone: tzinfo) -> list[TimeExpression]:
    """The times that are moments, or are counted in hours, minutes or seconds from `now`."""
    named: list[IsoMoment | RecentTime] = [*iso_moments(text, zone), *recent_times(text)]
    times: list[TimeExpression] = []
    for one in named:
        if _overlaps(one.found.span(), [other.span for other in times]):
            continue
        try:
            times.append(_of_its_bounds(one, now, zone))
        except (ValueError, OverflowError):  # it ended before 1900, or tomorrow is in year 10,000
            continue
    return times


def _of_its_bounds(named: IsoMoment | RecentTime, now: datetime, zone: tzinfo) -> TimeExpression:
    """A time that has bounds; without an end it lasts through today, as `this week` does.

    Raises:
        ValueError: nothing is left of it.
    """
    tomorrow = midnight(local(now, zone).date() + timedelta(1), zone)
    since, until = named.bounds(now.astimezone(UTC), tomorrow)
    begins = since or midnight(_EARLIEST, zone)
    if begins >= until:
        raise ValueError(named.found[0])
    lately = timedelta.max if since else _LATELY
    return TimeExpression(named.found[0], begins, until, named.found.start(), lately)


def _begin(found: re.Match[str]) -> int:
    """Where words that name days begin, with those in front: `since two weeks before` May.

    These are a count, and what opens a time that is itself before or after the days.
    """
    begin, text = found.start(), found.string
    for counted in _COUNTED.finditer(text, max(0, begin - _COUNT_LENGTH), found.end()):
        if counted["count"] and counted.start() < begin < counted.end():
            begin = counted.start()
            break
    related = _RELATED.match(text, begin, found.end())
    if related and related["unit"]:
        opening = _OPENING.search(text, max(0, begin - _OPENING_LENGTH), begin)
        return opening.start() if opening else begin
    return begin


def _relations(
    found: re.Match[str], span: tuple[int, int]
) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """What is related to the days that were found, and how the time meant is related to that.

    Of `since two weeks before May` these are `two weeks before` and `since`. Words that the reader
    of the days looks at, as in `since the week before last`, are no relation.
    """
    outer = _RELATED.match(found.string, *span)
    if outer is None or outer["unit"]:
        return outer, None
    inner = _RELATED.match(found.string, outer.end() + 1, span[1])
    read = [found.start(name) for name, value in found.groupdict().items() if value]
    if inner is None or not inner["unit"] or inner.end() > min(read, default=found.end()):
        return outer, None
    return inner, outer


def _overlaps(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    return any(begin < span[1] and span[0] < end for begin, end in taken)


def _expressions(named: NamedDays, today: date, zone: tzinfo) -> list[TimeExpression]:
    """The times that the words in front of `named` days make of them.

    Raises:
        ValueError, OverflowError: nothing is left of them, or they are outside the calendar.
    """
    return [_expression(named, days, today, zone) for days in named.days]


def _expression(named: NamedDays, days: Days, today: date, zone: tzinfo) -> TimeExpression:
    related = named.related
    first, after = _related(days, related, today) if related else days
    if named.opening:
        first, after = _related((first, after), named.opening, today)
    if related and named.within:
        first, after = _common((first, after), named.within) or (first, after)
    if first >= after:
        raise ValueError(named.said)
    lately = max(_LATELY, _AS_LONG * (days[1] - days[0])) if first == _EARLIEST else timedelta.max
    ends = midnight(first, zone), midnight(after, zone)
    part = part_named(named.said)
    if part and days[1] - days[0] == timedelta(1) and not named.opening:
        ends = _ends_of_part(part, days[0], related, ends, zone)
    return TimeExpression(named.said, *ends, named.begin, lately)


def _ends_of_part(
    part: str, day: date, related: re.Match[str] | None, ends: _Ends, zone: tzinfo
) -> _Ends:
    """The `ends` of a time that is named by a part of a day, instead of by all of that day."""
    since, until = hours_of(part, day, zone)
    if related is None:
        return since, until
    match (related["unit"] or related["relation"]).lower().split()[0]:
        case "day":
            return hours_of(part, local(ends[0], zone).date(), zone)
        case "since":
            return since, max(until, ends[1])
        case "after":
            return until, max(until, ends[1])
        case "before" | "prior":
            return ends[0], since
        case "until" | "till" | "up" | "by":
            return ends[0], until
    return ends  # of weeks, or around the day


def _at_its_time(
    days: NamedDays,
    named: list[TimeExpression],
    taken: Sequence[tuple[int, int]],
    text: str,
    today: date,
    zone: tzinfo,
) -> list[TimeExpression]:
    """A day with the time of day beside it, unless that is `taken`; else what is `named`."""
    if len(named) > 1:
        return named
    [one] = named
    related = _RELATED.match(one.said)
    try:
        if related and not related["unit"]:
            relation = related["relation"].lower()
            day = days.days[0]
            if days.opening and days.related:
                day = _related(day, days.related, today)
            at_its_time = _at_its_moment(one, day, relation, text, zone)
        else:
            at_its_time = _of_its_day(one, _without_days(text, taken), today, zone)
    except (ValueError, OverflowError):  # 25:00
        return named
    return named if at_its_time is None or _overlaps(at_its_time.span, taken) else [at_its_time]


def _without_days(text: str, taken: Sequence[tuple[int, int]]) -> str:
    """A text as long, with a mark for each character of the days that are `taken`."""
    characters = list(text)
    for begin, end in taken:
        characters[begin:end] = OTHER_DAY * (end - begin)
    return "".join(characters)


def _of_its_day(
    named: TimeExpression, text: str, today: date, zone: tzinfo
) -> TimeExpression | None:
    """The time of day beside a day that is named; None if there is none.

    Raises:
        ValueError, OverflowError: the day has no such time.
    """
    first, after = (local(moment, zone).date() for moment in (named.since, named.until))
    part = part_named(named.said)
    if after - first > timedelta(1) or not (beside := time_of_day(text, *named.span, part)):
        return None
    since, until = beside.on(first, zone, part)
    if beside.goes_on:
        until = max(until, midnight(today + timedelta(1), zone))
    said = text[beside.begin : beside.end].rstrip()
    return TimeExpression(said, since, until, beside.begin)


def _at_its_moment(
    named: TimeExpression, days: Days, relation: str, text: str, zone: tzinfo
) -> TimeExpression | None:
    """A time since or up to a day, with the moment of it that follows; None if none does.

    Raises:
        ValueError, OverflowError: the day has no such moment, or nothing is left of the time.
    """
    if relation == "around" or days[1] - days[0] > timedelta(1):
        return None
    found = moment_after(text, named.span[1], days[0], zone, part_named(named.said))
    if found is None:
        return None
    moment, end = found
    if relation in ("since", "after"):
        since, until = moment, named.until
    else:
        since, until = named.since, moment
    if since >= until:
        raise ValueError(named.said)
    return named._replace(said=text[named.at : end], since=since, until=until)


def _related(days: Days, related: re.Match[str], today: date) -> Days:
    first, after = days
    if related["unit"] and related["count"]:
        return _so_long_from(days, related)
    if related["unit"] and related["unit"].lower() == "weekend":
        is_after = related["relation"].lower() == "after"
        return weekend_after(days) if is_after else weekend_before(days)
    unit = PERIODS[related["unit"].lower()] if related["unit"] else None
    match related["relation"].lower().split()[0]:
        case "since":
            return first, max(after, today + timedelta(1))
        case "before" | "prior":
            return (first - _length(unit, first - timedelta(1)) if unit else _EARLIEST), first
        case "after":
            return after, after + _length(unit, after) if unit else max(after, today) + timedelta(1)
        case "around" if after - first == timedelta(1):
            return first - _AROUND, after + _AROUND
        case "around":
            return days
    return _EARLIEST, after  # until, till, up to, by


def _so_long_from(days: Days, related: re.Match[str]) -> Days:
    """What is so long before or after some days, and none of them; with `the`, all until then."""
    first, after = days
    count, unit = related["count"], related["unit"]
    is_after = related["relation"].lower() == "after"
    if related["the"]:
        length = how_long(count, unit)
        return (after, after + length) if is_after else (first - length, first)
    if is_after:
        begins, ends = so_long_after(days, count, unit)
        return max(begins, after), ends
    begins, ends = so_long_before(days, count, unit)
    return begins, min(ends, first)


def _common(one: Days, other: Days) -> Days | None:
    """The days of both; None if there are none."""
    first, after = max(one[0], other[0]), min(one[1], other[1])
    return (first, after) if first < after else None


def _length(period: Period, day: date) -> timedelta:
    """How long the period is that contains a day."""
    first = period.first_day(day)
    return period.following(first) - first
