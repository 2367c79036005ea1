"""Days that words of a plain English question name: `yesterday`, `in May`, `the summer of 2021`."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache

from terrarium_mcp.chat.question import asks_what_was_said, is_put_as_a_question
from terrarium_mcp.chat.times.calendar_words import (
    BY_NUMBER_ALONE,
    COUNTS,
    MONTH,
    ORDINALS,
    PERIODS,
    WEEKDAYS,
    YEAR,
    latest_day,
    latest_year_with,
    month_number,
    roughly,
)
from terrarium_mcp.chat.times.day_ranges import (
    DASHED,
    LISTED,
    RANGE,
    days_between,
    days_dashed,
    days_listed,
)
from terrarium_mcp.chat.times.feasts import FEAST, feast, feasts_between, latest_feast
from terrarium_mcp.chat.times.parts_of_day import PART
from terrarium_mcp.chat.times.seasons import (
    SEASONS,
    Days,
    latest_season,
    part_of_month,
    part_of_year,
    past_season,
    season,
    seasons_called,
)

_MONTHS_OF_A_YEAR = 12
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
"""About how many days each unit has: `two months ago` is not exact either."""

_MONTH = rf"(?P<month>{MONTH})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = rf"(?P<year>{YEAR})"
_ON = rf"(?:on\s+)?(?:(?:{'|'.join(WEEKDAYS)}),?\s+)?(?:the\s+)?"
_ISO_DAY = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
_YEAR_FIRST = r"(?<!/)(?P<year>\d{4})/(?P<month>\d\d?)/(?P<day>\d\d?)(?!/)"
_DAY_MONTH = rf"{_DAY}\s+(?:of\s+)?{_MONTH}"
_ORDINAL = rf"(?P<ordinal>{'|'.join(reversed(ORDINALS))})"
_IN_DIGITS = r"(?P<day>\d{1,2})(?:st|nd|rd|th)"
_NTH_DAY = rf"(?:{_IN_DIGITS}|{_ORDINAL})"
_WEEKDAY_NTH = (
    rf"(?P<weekday>{'|'.join(WEEKDAYS)}),?\s+(?:(?:the\s+)?{_IN_DIGITS}|the\s+{_ORDINAL})"
)
_MONTH_DAY = rf"{_MONTH}\s+{_DAY}"
_WEEK = rf"(?:in\s+|during\s+)?(?:the\s+)?week\s+(?P<from>of|from|beginning|starting)\s+{_ON}"
_WEEKEND = rf"(?:on\s+|over\s+)?(?:the\s+)?(?P<weekend>weekend)\s+of\s+{_ON}"
_SEASON = rf"(?P<season>{'|'.join(SEASONS)})"
_FEAST = rf"(?P<feast>{FEAST})"
_PART = r"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+"
_COUNTED = rf"(?:\d{{1,4}}|{'|'.join(COUNTS)})(?:\s+of)?\s+"
_COUNT = rf"(?P<count>\d{{1,4}}|{'|'.join(COUNTS)})(?:\s+of)?\s+"
RELATION = r"(?:since|before|prior\s+to|after|until|till|up\s+to|by|around)"
"""Words in front of days that say which time is meant by them."""
_RELATED = rf"(?:(?:the\s+)?(?<!\bthis\s)(?<!\blast\s)(?:day|week|month|year)\s+)?{RELATION}"
"""These, perhaps with how long that time is: `the week before`. In `this week before Friday` the
week is another time."""
_PART_OF = rf"(?:(?:on|in|during)\s+)?(?:the\s+)?{PART}\s+of"
_AT = rf"(?:on|at|over|during|last|this|{_PART_OF}|{_RELATED})\s+"
_IN = rf"(?:in|during|this|of|from|{_RELATED})\s+(?:the\s+)?"
_LAST = r"(?P<last>last)\s+"
# Bounded, because strangers write it.
_DURING = rf"(?:(?:in|during|over|early|late|mid|{_RELATED})[\s-]+|the\s+){{0,3}}"
_WITHIN = r"(?:in|during|over|within|for|from|of)"
_WITHIN_THE = r"(?:in|during|over|within|for)\s+the"
"""In front of `last month` these make it the month up to now, rather than that of the calendar."""
_LATELY = rf"(?:{_WITHIN}\s+)?(?:the\s+)?"
_ANY_NTH = r"(?P<nth>first|second|third|fourth|last)"
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_DAY_PART = rf"(?:\s+{PART})?"
_NO_OTHER_DAY = "".join(
    rf"(?<!\b{word}\s)"
    for word in (
        "next", "coming", "each", "every", "any", "good", "black", "easter", "this", "to",
        "and", "or", "a", "blue", "cyber", "manic", "patch", "ruby", "super",
    )
)  # fmt: skip
"""Not in front of a weekday that alone names one that is past: `patch tuesday` has no date."""
_ENDS_A_QUESTION = r"(?=\s*\?\s*$)"
_ANY_WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)})"
_SHORT_WEEKDAYS = r"(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
_WEEKDAYS = (
    rf"(?P<weekdays>{_ANY_WEEKDAY}(?:,\s*{_ANY_WEEKDAY}){{0,5}}"
    rf",?\s+(?:and|or)\s+(?:on\s+)?{_ANY_WEEKDAY})"
)
"""Several, such as `sunday and monday`."""
_SAID_OR_DONE = re.compile(r"(?i)\b(?:said|say|happen(?:s|ed)?|discussed|talked|news)\b")
"""Something of this is in a question that can only mean a day by `on 3.11.`."""
_BEFORE_LAST = rf"\s+before\s+last{BY_NUMBER_ALONE}"
_BEGINNING = r"(?P<part>beginning|start)"
_OF_A_YEAR = r"(?=,?\s+(?:(?:of|in)\s+)?(?:last|this)\s+year\b)"
_NO_RANGE = r"(?<!\bto\s)(?<!\band\s)"
_OF_A_WEEK = (
    rf"(?=,?\s+(?:(?:of|in)\s+)?(?:(?:last|this)\s+week\b|(?:a\s+)?{_COUNTED}weeks?\s+ago\b))"
)
"""What follows a month or a weekday that nothing else shows to be one: `july last year`."""
_SHORT_WEEKDAY = (
    rf"(?P<weekday>{_SHORT_WEEKDAYS})\.?"
    rf"(?=\s+{PART}\b|{BY_NUMBER_ALONE}|{_OF_A_WEEK}|\s+(?:about|on|with|to)\b)"
)


def _on(found: re.Match[str], today: date) -> list[Days]:
    return [_day(_date(found, today))]


def _on_day_dot_month(found: re.Match[str], today: date) -> list[Days]:
    """A day in digits where only what was said on it is asked, or nothing.

    Else it may be a version that ends a sentence: `no sound on 10.04.`, `anyone on 10.04.?`
    """
    if not _is_all_that_is_asked(found):
        raise ValueError(found[0])
    return _on(found, today)


def _is_all_that_is_asked(found: re.Match[str]) -> bool:
    """Whether nothing is asked but what was said or done at a time, or nothing at all."""
    rest = f"{found.string[: found.start()]} {found.string[found.end() :]}"
    asks_for_a_time = asks_what_was_said(rest) and _SAID_OR_DONE.search(rest)
    return bool(asks_for_a_time or not rest.strip(" ?!.,"))


def is_meant(found: re.Match[str]) -> bool:
    """Whether words for hours without a day name a time: `since 9am` does in every question.

    `After 5pm` does only where nothing else is asked: a shop may be open then.
    """
    is_in_question = found[0].lower().startswith("since") and is_put_as_a_question(found.string)
    return is_in_question or _is_all_that_is_asked(found)


def _on_nth(found: re.Match[str], today: date) -> list[Days]:
    """The latest day of that number; with a weekday in front, the latest that is one."""
    weekday = found.groupdict().get("weekday", "").lower()
    return [_day(latest_day(_nth(found), today, weekday))]


def _nth_of_month(found: re.Match[str], today: date) -> list[Days]:
    """A day of a month by its number, also in words, of this month or the last one, or by name."""
    fields = found.groupdict()
    if name := fields.get("month"):
        month, day = month_number(name), _nth(found)
        year = int(fields.get("year") or 0) or latest_year_with(month, day, today)
        return [_day(date(year, month, day))]
    ((first, _),) = _this_or_last(found, today)
    return [_day(first.replace(day=_nth(found)))]


def _nth(found: re.Match[str]) -> int:
    fields = found.groupdict()
    return int(fields.get("day") or 0) or ORDINALS.index(fields["ordinal"].lower()) + 1


def _part_of_this_or_last(found: re.Match[str], today: date) -> list[Days]:
    """The early, middle or late part of this or the last month or year."""
    ((first, _),) = _this_or_last(found, today)
    return [_part_of_period(found, first)]


def _part_of_period(found: re.Match[str], first: date) -> Days:
    """The early, middle or late part of the month or year with this first day."""
    part = found["part"].split()[0].lower()
    is_month = found["unit"].lower() == "month"
    return part_of_month(part, first) if is_month else part_of_year(part, first.year)


def _half_ago(found: re.Match[str], today: date) -> list[Days]:
    """Half a unit ago, plus and minus a quarter of it."""
    unit = _UNIT_DAYS[found["unit"].lower()]
    middle, around = today - timedelta(unit // 2), timedelta(unit // 4)
    return [(middle - around, middle + around + timedelta(1))]


def _in_month(found: re.Match[str], today: date) -> list[Days]:
    """A month, or a third of it; without a year, the latest one that has begun.

    The `last` one of that name is over, as is the last weekday of a name.
    """
    fields = found.groupdict()
    month = month_number(fields["month"])
    newest = PERIODS["month"].first_day(today) - timedelta(1) if fields.get("last") else today
    year = int(fields.get("year") or 0) or latest_year_with(month, 1, newest)
    if part := fields.get("part"):
        return [part_of_month(part.split()[0].lower(), date(year, month, 1))]
    return [_whole("month", date(year, month, 1))]


def _in_numbers(found: re.Match[str], _: date) -> list[Days]:
    """A date in numbers, the day first, unless that is no month."""
    day, month, year = (int(found[name]) for name in ("day", "month", "year"))
    return [_day(date(year, month, day) if month <= _MONTHS_OF_A_YEAR else date(year, day, month))]


def _week_of_month(found: re.Match[str], today: date) -> list[Days]:
    """Seven days of a month: `the first week of May` begins on the 1st."""
    ((first, after),) = _in_month(found, today)
    if found["nth"].lower() == "last":
        return [(after - timedelta(7), after)]
    begins = first + timedelta(7 * (_NTH[found["nth"].lower()] - 1))
    return [(begins, begins + timedelta(7))]


def _week_of_year(found: re.Match[str], _: date) -> list[Days]:
    return [_whole("week", date.fromisocalendar(int(found["year"]), int(found["week"]), 1))]


def _end_week_of_year(found: re.Match[str], _: date) -> list[Days]:
    """The first or the last seven days of a year."""
    year, week = int(found["year"]), timedelta(7)
    if found["end"].lower() == "first":
        return [(date(year, 1, 1), date(year, 1, 1) + week)]
    return [(date(year + 1, 1, 1) - week, date(year + 1, 1, 1))]


def _half(found: re.Match[str], _: date) -> list[Days]:
    year = int(found["year"])
    middle = date(year, 7, 1)
    if found["nth"].lower() == "first":
        return [(date(year, 1, 1), middle)]
    return [(middle, date(year + 1, 1, 1))]


def _quarter(found: re.Match[str], today: date) -> list[Days]:
    """A quarter; without a year, the latest of that number that has begun."""
    nth = found["nth"].lower()
    month = 3 * (int(nth) if nth.isdigit() else _NTH.get(nth, 4)) - 2
    year = int(found.groupdict().get("year") or 0) or latest_year_with(month, 1, today)
    return [_whole("quarter", date(year, month, 1))]


def _in_year(found: re.Match[str], _: date) -> list[Days]:
    return [_whole("year", date(int(found["year"]), 1, 1))]


def _day_before_yesterday(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today - timedelta(2))]


def _yesterday(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today - timedelta(1))]


def _today(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today)]


def _this_part(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today)]


def _tonight(found: re.Match[str], today: date) -> list[Days]:
    """Today, in a question; among other words it may be one of them: `the tonight show`."""
    if not is_put_as_a_question(found.string):
        raise ValueError(found[0])
    return [_day(today)]


def _last_night(_: re.Match[str], today: date) -> list[Days]:
    return [_day(today - timedelta(1))]


def _last_day(_: re.Match[str], today: date) -> list[Days]:
    """The day up to now, which began yesterday; `their last day` is another."""
    return [(today - timedelta(1), today + timedelta(1))]


def _weekend(found: re.Match[str], today: date) -> list[Days]:
    """The latest weekend that has begun, or that before this week."""
    monday = PERIODS["week"].first_day(today)
    is_this = found["which"].lower() != "last" and today >= monday + timedelta(5)
    first = monday + timedelta(5 if is_this else -2)
    return [(first, first + timedelta(2))]


def _weekend_before_last(_: re.Match[str], today: date) -> list[Days]:
    """The one before the latest weekend that is over."""
    first = PERIODS["week"].first_day(today) - timedelta(9)
    return [(first, first + timedelta(2))]


def _ago(found: re.Match[str], today: date) -> list[Days]:
    """That long ago, plus and minus half of the unit; a few are between two and six."""
    least, most = roughly(found["count"])
    _, unit = _count_and_days(found)
    first, last = today - timedelta(most * unit), today - timedelta(least * unit)
    return [(first - timedelta(unit // 2), last + timedelta(unit // 2 + 1))]


def _ago_today(found: re.Match[str], today: date) -> list[Days]:
    """The day of that date so many years ago, or so many days or weeks ago."""
    number, unit = _count_and_days(found)
    if found["unit"].lower() == "year":
        return [_day(today.replace(year=today.year - number))]
    return [_day(today - timedelta(number * unit))]


def _this_or_last(found: re.Match[str], today: date) -> list[Days]:
    """The calendar week, month or year, up to today if it is this one."""
    unit = found["unit"].lower()
    first = PERIODS[unit].first_day(today)
    if found["which"].lower() == "this":
        return [(first, today + timedelta(1))]
    return [(PERIODS[unit].first_day(first - timedelta(1)), first)]


def _period_before_last(found: re.Match[str], today: date) -> list[Days]:
    """The calendar week, month or year before the last one."""
    period = PERIODS[found["unit"].lower()]
    last = period.first_day(period.first_day(today) - timedelta(1))
    return [(period.first_day(last - timedelta(1)), last)]


def _beginning_of_this(found: re.Match[str], today: date) -> list[Days]:
    """The early part of this month or year, or the first day of this week."""
    unit = found["unit"].lower()
    first = PERIODS[unit].first_day(today)
    return [_day(first) if unit == "week" else _part_of_period(found, first)]


def _last_few(found: re.Match[str], today: date) -> list[Days]:
    """So many days up to today, or about as many as a week, month or year has, or several do."""
    number, unit = _count_and_days(found)
    return [(today - timedelta(number * unit), today + timedelta(1))]


def _count_and_days(found: re.Match[str]) -> tuple[int, int]:
    """How many of a unit, one if that is not said, and about how many days the unit has."""
    return _counted(found), _UNIT_DAYS[found["unit"].lower()]


def _counted(found: re.Match[str]) -> int:
    count = found.groupdict().get("count", "one").lower()
    return int(count) if count.isdigit() else COUNTS[count]


def _weekday(found: re.Match[str], today: date) -> list[Days]:
    """The last such weekday before today, which itself may be `this` one."""
    begins = found["weekday"][:3].lower()
    weekday = next(n for n, name in enumerate(WEEKDAYS) if name.startswith(begins))
    back = (today.weekday() - weekday) % 7
    if not back and not found.groupdict().get("this"):
        back = 7
    return [_day(today - timedelta(back))]


def _short_weekday(found: re.Match[str], today: date) -> list[Days]:
    """A weekday by its first letters; `on sun` is also a machine, unless nothing else is asked."""
    rest = f"{found.string[: found.start()]} {found.string[found.end() :]}"
    is_machine = found["weekday"].lower() == "sun" and found["sign"].lower() != "last"
    if is_machine and not asks_what_was_said(rest):
        raise ValueError(found[0])
    return _weekday(found, today)


def _weekdays_ago(found: re.Match[str], today: date) -> list[Days]:
    """Such a weekday so many weeks back: of `two Fridays ago` one Friday is between."""
    ((first, _),) = _weekday(found, today)
    number = _counted(found)
    return [_day(first - timedelta(7 * (number - 1)))]


def _weekday_before_last(found: re.Match[str], today: date) -> list[Days]:
    ((first, _),) = _weekday(found, today)
    return [_day(first - timedelta(7))]


def _weekdays_between(found: re.Match[str], today: date) -> list[Days]:
    """From one weekday to another, of which the second may be today."""
    first, last = (WEEKDAYS.index(found[end].lower()) for end in ("first", "last"))
    ends = today - timedelta((today.weekday() - last) % 7)
    return [(ends - timedelta((last - first) % 7), ends + timedelta(1))]


def _weekdays(found: re.Match[str], today: date) -> list[Days]:
    """From the first to the last of several such weekdays that were last before today."""
    named = re.findall("|".join(WEEKDAYS), found["weekdays"].lower())
    back = [(today.weekday() - WEEKDAYS.index(name) - 1) % 7 + 1 for name in named]
    return [(today - timedelta(max(back)), today - timedelta(min(back) - 1))]


def _week_of(found: re.Match[str], today: date) -> list[Days]:
    """The week or weekend of a day, or the seven days that begin with it."""
    day = _date(found, today)
    monday = PERIODS["week"].first_day(day)
    if found.groupdict().get("weekend"):
        return [(monday + timedelta(5), monday + timedelta(7))]
    if found["from"].lower() == "of":
        return [_whole("week", monday)]
    return [(day, day + timedelta(7))]


def _seasons_of(found: re.Match[str], _: date) -> list[Days]:
    return seasons_called(found["season"].lower(), int(found["year"]))


def _season_between(found: re.Match[str], _: date) -> list[Days]:
    """A season named by two years, such as `winter 2008/09`."""
    return [season(found["season"].lower(), int(found["year"]))]


def _this_or_last_season(found: re.Match[str], today: date) -> list[Days]:
    read = past_season if found["which"].lower() == "last" else latest_season
    return [read(found["season"].lower(), today)]


def _latest_season(found: re.Match[str], today: date) -> list[Days]:
    return [latest_season(found["season"].lower(), today)]


def _feast_of(found: re.Match[str], _: date) -> list[Days]:
    return [feast(found["feast"], int(found["year"]))]


def _feasts_between(found: re.Match[str], today: date) -> list[Days]:
    return [feasts_between(found["feast"], found["to"], today, int(found["year"] or 0))]


def _latest_feast(found: re.Match[str], today: date) -> list[Days]:
    return [latest_feast(found["feast"], today)]


def _part_of_year(found: re.Match[str], _: date) -> list[Days]:
    return [part_of_year(found["part"].split()[0].lower(), int(found["year"]))]


Reader = Callable[[re.Match[str], date], list[Days]]
"""Reads a match on a day that is today. Raises ValueError for days that do not exist."""

READERS: tuple[tuple[str, Reader], ...] = (
    (RANGE, days_between),
    (DASHED, days_dashed),
    (
        rf"(?:between|from)\s+{_FEAST}\s+(?:and|to|until|till)\s+(?P<to>{FEAST})(?:\s+{_YEAR})?",
        _feasts_between,
    ),
    (LISTED, days_listed),
    *(
        (rf"{week}{day}", _week_of)
        for week in (_WEEK, _WEEKEND)
        for day in (
            _ISO_DAY,
            rf"{_DAY_MONTH},?\s+{_YEAR}",
            rf"{_MONTH_DAY},?\s+{_YEAR}",
            _DAY_MONTH,
            _MONTH_DAY,
        )
    ),
    (_ON + _ISO_DAY, _on),
    (_ON + _YEAR_FIRST, _on),
    (rf"{_ON}(?P<day>\d\d?)(?P<sign>[./])(?P<month>\d\d?)(?P=sign){_YEAR}", _in_numbers),
    (r"on\s+(?:the\s+)?(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?!\d)", _on_day_dot_month),
    (rf"{_ON}{_DAY_MONTH},?\s+{_YEAR}", _on),
    (rf"{_ON}{_MONTH_DAY},?\s+{_YEAR}", _on),
    (rf"{_ON}{_ORDINAL}\s+of\s+{_MONTH}(?:,?\s+{_YEAR})?", _nth_of_month),
    (rf"{_ON}{_NTH_DAY}\s+of\s+(?P<which>last|this)\s+(?P<unit>month)", _nth_of_month),
    (_ON + _DAY_MONTH, _on),
    (rf"{_ON}{_MONTH_DAY}(?!\s*:)", _on),
    (r"(?:in\s+)?(?P<year>\d{4})-(?P<month>\d\d)(?!-)", _in_month),
    (r"(?:in\s+)?(?P<year>\d{4})-?W(?P<week>\d\d)", _week_of_year),
    (
        rf"(?:in\s+|during\s+)?(?:calendar\s+)?week\s+(?P<week>\d\d?)(?:\s+(?:of|in)|,)?\s+{_YEAR}",
        _week_of_year,
    ),
    (
        rf"(?:in\s+|during\s+)?(?:the\s+)?(?P<end>first|last)\s+week\s+(?:of|in)\s+{_YEAR}",
        _end_week_of_year,
    ),
    (
        rf"(?:in\s+)?(?:the\s+)?{_ANY_NTH}\s+week\s+(?:of|in)\s+{_MONTH}(?:,?\s+{_YEAR})?",
        _week_of_month,
    ),
    (rf"(?:in\s+)?(?:the\s+)?(?P<nth>first|second)\s+half\s+of\s+{_YEAR}", _half),
    (rf"(?:in\s+)?(?:the\s+)?{_ANY_NTH}\s+quarter\s+of\s+{_YEAR}", _quarter),
    (rf"(?:in\s+)?Q(?P<nth>[1-4])\s*[/-]?\s*{_YEAR}", _quarter),
    (rf"(?:in\s+)?{_YEAR}[\s-]*Q(?P<nth>[1-4])", _quarter),
    (
        rf"(?:in|during|{_RELATED})\s+Q(?P<nth>[1-4])(?:{BY_NUMBER_ALONE}|{_OF_A_YEAR})",
        _quarter,
    ),
    (rf"Q(?P<nth>[1-4]){_OF_A_YEAR}", _quarter),
    (rf"(?:in\s+)?(?:the\s+)?{_ANY_NTH}\s+quarter{_OF_A_YEAR}", _quarter),
    (rf"(?:{_IN})?(?:{_LAST})?(?:{_PART})?{_MONTH},?\s+{_YEAR}", _in_month),
    (rf"{_DURING}{_SEASON}\s+(?:of\s+)?{_YEAR}\s*[/-]\s*(?:\d\d)?\d\d", _season_between),
    (rf"{_DURING}{_SEASON}\s+(?:of\s+)?{_YEAR}", _seasons_of),
    (rf"{_DURING}{_PART}{_YEAR}", _part_of_year),
    (rf"(?:{_AT})?{_FEAST}\s+(?:of\s+|in\s+)?{_YEAR}", _feast_of),
    (_AT + _FEAST, _latest_feast),
    (rf"(?:in\s+|during\s+)?(?P<which>last|this)\s+{_SEASON}", _this_or_last_season),
    (rf"(?:in|during|over|{_RELATED})\s+the\s+(?:early\s+|late\s+)?{_SEASON}", _latest_season),
    # Where more follows, it may be the word of something else, such as a framework.
    (rf"(?:in|during|over|{_RELATED})\s+{_SEASON}(?=\s*(?:[?.,!;]|$))", _latest_season),
    (rf"(?:{_IN})?(?:the\s+)?(?:{_LAST})?{_PART}{_MONTH}", _in_month),
    (rf"(?:{_IN})?(?:the\s+)?{_PART}{_LAST}{_MONTH}", _in_month),
    (rf"(?:{_IN})?{_LAST}{_MONTH}", _in_month),
    (rf"{_IN}{_MONTH}", _in_month),
    (rf"(?:in|during|of|from|year|{_RELATED})\s+(?:the\s+year\s+)?{_YEAR}", _in_year),
    (rf"{_MONTH}{_OF_A_YEAR}", _in_month),
    (rf"{_DURING}{_SEASON}{_OF_A_YEAR}", _latest_season),
    (rf"(?:{_AT})?{_FEAST}{_OF_A_YEAR}", _latest_feast),
    (rf"(?:last|on)\s+{_WEEKDAYS}", _weekdays),
    (
        rf"between\s+(?P<first>{_ANY_WEEKDAY})\s+and\s+(?P<last>{_ANY_WEEKDAY})",
        _weekdays_between,
    ),
    (rf"(?:on\s+)?{_NO_RANGE}(?P<weekday>{'|'.join(WEEKDAYS)}){_OF_A_WEEK}", _weekday),
    (rf"(?:a\s+)?{_COUNT}(?P<unit>day|week|year)s?\s+ago\s+today", _ago_today),
    (rf"(?:on\s+)?{_WEEKDAY_NTH}{BY_NUMBER_ALONE}", _on_nth),
    (rf"on\s+(?:the\s+)?{_IN_DIGITS}{BY_NUMBER_ALONE}", _on_nth),
    (
        rf"{_DURING}{_PART}(?P<which>last|this)\s+(?P<unit>month|year)",
        _part_of_this_or_last,
    ),
    (r"half\s+an?\s+(?P<unit>week|month|year)\s+ago", _half_ago),
    # Elsewhere the words in front of `yesterday` say it.
    (rf"{RELATION}\s+(?:the\s+)?day\s+before\s+yesterday", _day_before_yesterday),
    (r"yesterday", _yesterday),
    (r"today", _today),
    (rf"this\s+{PART}", _this_part),
    (r"tonight", _tonight),
    (r"last\s+night", _last_night),
    (rf"(?:on\s+|over\s+|at\s+)?(?:the\s+)?weekend{_BEFORE_LAST}", _weekend_before_last),
    (r"(?:on\s+|over\s+|at\s+)?(?P<which>the|last|this|past)\s+weekend", _weekend),
    (rf"(?:a\s+)?{_COUNT}(?P<unit>day|week|fortnight|month|year)s?\s+ago", _ago),
    (rf"(?:on\s+)?{_COUNT}(?P<weekday>{_ANY_WEEKDAY})s\s+ago", _weekdays_ago),
    (
        rf"{_LATELY}(?:last|past)\s+{_COUNT}(?P<unit>day|week|month|year)s?",
        _last_few,
    ),
    (rf"(?:{_WITHIN}\s+(?:the\s+)?(?:last|past)|(?:the\s+)?past)\s+day(?!\s+of\b)", _last_day),
    (rf"(?:{_LATELY}past|{_WITHIN_THE}\s+last)\s+(?P<unit>week|month|year)", _last_few),
    (rf"{_LATELY}(?:last|past)\s+(?P<unit>fortnight)", _last_few),
    (rf"{_LATELY}(?P<which>last|this)\s+(?P<unit>week|month|quarter|year)", _this_or_last),
    (rf"{_DURING}{_BEGINNING}\s+of\s+the\s+(?P<unit>week|month|year)", _beginning_of_this),
    (rf"{_NO_OTHER_DAY}{_WEEKDAYS}{_ENDS_A_QUESTION}", _weekdays),
    (
        rf"(?:last|on|(?P<this>this)|{_PART_OF}|{_RELATED})\s+(?P<weekday>{'|'.join(WEEKDAYS)})",
        _weekday,
    ),
    (rf"(?P<sign>last|on|(?P<this>this)|{_RELATED})\s+{_SHORT_WEEKDAY}", _short_weekday),
    (
        rf"(?:on\s+)?(?:the\s+)?(?P<weekday>{_ANY_WEEKDAY}){_BEFORE_LAST}",
        _weekday_before_last,
    ),
    (rf"{RELATION}\s+(?:the\s+)?(?P<unit>week|month|year){_BEFORE_LAST}", _period_before_last),
    # The words in front of `last` say that the one before it is meant.
    (
        rf"(?:the\s+)?(?P<unit>week|month|year)\s+before\s+(?P<which>last){BY_NUMBER_ALONE}",
        _this_or_last,
    ),
    # Without a word in front it is one in the genitive, and at the end of a question.
    (
        rf"{_NO_OTHER_DAY}(?P<weekday>{'|'.join(WEEKDAYS)})(?:['\u2019]s(?!\s+child\b)|{_ENDS_A_QUESTION})",
        _weekday,
    ),
)
"""The expressions that name days, the most certain first, and what reads each."""


@cache
def _compiled() -> list[tuple[re.Pattern[str], Reader]]:
    """The readers with their patterns, compiled at the first use: a hundredth of a start."""
    related = rf"(?:(?:the\s+)?{_RELATED}\s+(?:the\s+)?)?"
    return [
        (re.compile(rf"\b{related}{words}{_DAY_PART}(?!\w)", re.IGNORECASE), read)
        for words, read in READERS
    ]


OF_WAKING_HOURS: tuple[Reader, ...] = (_this_part, _tonight)
"""What reads days that last until people sleep: at one o'clock, `tonight` began yesterday."""

INSIDE_OTHERS: tuple[Reader, ...] = (
    days_between,
    days_dashed,
    days_listed,
    _on,
    _on_day_dot_month,
    _on_nth,
    _nth_of_month,
    _in_month,
    _quarter,
    _week_of,
    _week_of_month,
    _latest_season,
    _latest_feast,
    _feasts_between,
    _weekday,
    _short_weekday,
    _weekdays,
    _weekdays_between,
)
"""What reads days of which there is one in every year, month or week."""


def to_its_end(found: re.Match[str], read: Reader, days: Days) -> Days:
    """The days, and of `this week`, `this month` or `this year` also those that are to come."""
    try:
        return _whole(found["unit"].lower(), days[0]) if read is _this_or_last else days
    except (ValueError, OverflowError):  # the year 9999
        return days


_IN_ALL = (
    rf"\d|\b(?:{MONTH}|{'|'.join(WEEKDAYS)}|{'|'.join(SEASONS)}|{FEAST}"
    rf"|{'|'.join(ORDINALS)}|{_SHORT_WEEKDAYS}"
    r"|yesterday|today|tonight|night|weekend|ago|last|past|this|(?:beginning|start)\s+of)\b"
)


def may_name_days(text: str) -> bool:
    """Whether `text` holds something that is in all words that name days."""
    return re.search(_IN_ALL, text, re.IGNORECASE) is not None


def matches(text: str) -> Iterator[tuple[re.Match[str], Reader]]:
    """What may name days in `text`, the most certain first, and what reads it.

    A match includes the words in front that say how the days are related to the time meant
    (`RELATION`), which its reader does not look at.
    """
    return ((match, read) for words, read in _compiled() for match in words.finditer(text))


def _date(found: re.Match[str], today: date) -> date:
    """The day of a month that was found; without a year, the latest that has come."""
    fields = found.groupdict()
    month, day = month_number(fields["month"]), int(fields["day"])
    year = int(fields.get("year") or 0) or latest_year_with(month, day, today)
    return date(year, month, day)


def _day(day: date) -> Days:
    return day, day + timedelta(1)


def _whole(period: str, first: date) -> Days:
    return first, PERIODS[period].following(first)
