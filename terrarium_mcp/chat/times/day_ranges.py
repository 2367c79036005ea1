"""Days from one to another: `between 3 and 10 May`, `on 3 and 5 May`. Pure."""

import re
from datetime import date, timedelta

from terrarium_mcp.chat.english.calendar_words import (
    BY_NUMBER_ALONE,
    DAY_OF_MONTH,
    MONTH,
    PERIODS,
    YEAR,
    latest_day,
    latest_year_with,
    month_number,
)
from terrarium_mcp.chat.times.joined_times import UP_TO
from terrarium_mcp.chat.times.patterns import compiled
from terrarium_mcp.chat.times.seasons import Days

_END = (
    rf"(?:the\s+)?(?:\d{{4}}-\d\d(?:-\d\d)?|{DAY_OF_MONTH}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?"
    rf"|{MONTH}\s+(?:the\s+)?{DAY_OF_MONTH}(?!\d)(?:,?\s+{YEAR})?|{MONTH}(?:,?\s+{YEAR})?|{YEAR}|{DAY_OF_MONTH})"
)
RANGE = (
    rf"(?:between\s+(?P<from>{_END})\s+and\s+(?P<to>{_END})"
    rf"|from\s+(?P<since>{_END})\s+{UP_TO}\s+(?P<upto>{_END})"
    rf"|(?:in|during)\s+(?P<in>{MONTH})\s+(?:and|or)\s+(?P<and>{MONTH}(?:,?\s+{YEAR})?)"
    rf"|(?:in|during)\s+(?P<years>{YEAR}(?:,\s*{YEAR}){{0,5}},?\s+(?:and|or)\s+(?:in\s+)?{YEAR}))"
)
"""What names such days, as a regular expression. Its ends are read by `days_between`."""

DASH = r"\s*[-\u2013\u2014]\s*"
"""What may stand between two days, as a regular expression."""

_DASHED_END = (
    rf"(?:{DAY_OF_MONTH}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?"
    rf"|{MONTH}\s+(?:the\s+)?{DAY_OF_MONTH}(?!\d)(?:,?\s+{YEAR})?|{MONTH}(?:,?\s+{YEAR})?"
    rf"|{DAY_OF_MONTH}(?!\d)(?:,?\s+{YEAR})?)"
)
DASHED = (
    rf"(?:(?P<sign>on|in|during|over|from|between)\s+(?:the\s+)?)?(?<![\w.-])"
    rf"(?:(?P<begins>{_DASHED_END}){DASH}(?P<ends>{_DASHED_END})"
    rf"|(?P<year>{YEAR}){DASH}(?P<last_year>{YEAR}))(?!-)"
)
"""The same with a dash: `6-7 May`, `May - July 2026`. It is read by `days_dashed`."""

_DAY_AND_MONTH = (
    rf"\d{{4}}-\d\d-\d\d|{DAY_OF_MONTH}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?"
    rf"|{MONTH}\s+(?:the\s+)?{DAY_OF_MONTH}(?!\d)(?:,?\s+{YEAR})?"
)
_DAY = rf"(?:the\s+)?(?:{_DAY_AND_MONTH}|{DAY_OF_MONTH})"
_LAST_DAY = rf"(?:the\s+)?(?:{_DAY_AND_MONTH}|{DAY_OF_MONTH}{BY_NUMBER_ALONE})"
LISTED = rf"on\s+(?P<listed>{_DAY}(?:,\s*{_DAY}){{0,5}},?\s+(?:and|or)\s+(?:on\s+)?{_LAST_DAY})"
"""What names several days, as a regular expression. They are read by `days_listed`."""

_NUMBERED = r"(?:the\s+)?\d{1,2}(?:st|nd|rd|th)"
NUMBERED = (
    rf"(?:between\s+(?P<first>{_NUMBERED})\s+and"
    rf"|from\s+(?P<since>{_NUMBERED})\s+{UP_TO})\s+(?P<last>{_NUMBERED}){BY_NUMBER_ALONE}"
)
"""What names days of no month from one to another, as a regular expression. They are read by
`days_numbered`."""

_ACROSS_NEW_YEAR = 6
"""Months, at most, from the first to the second of two if the second is of the next year: `December
and January`."""

_FIELDS = (
    r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?",
    rf"(?P<year>{YEAR})",
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+(?:of\s+)?(?P<month>{MONTH}))?(?:,?\s+(?P<year>{YEAR}))?",
    rf"(?P<month>{MONTH})(?:\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?)?(?:,?\s+(?P<year>{YEAR}))?",
)


def days_between(found: re.Match[str], today: date) -> list[Days]:
    """The days that a match of `RANGE` names, both ends included.

    What one end leaves out is that of the other: `3 and 10 May`, `February to April 2023`. Without
    a year, it is the latest such time that has begun. `May and March` are those of one year.

    Raises:
        ValueError: there is no such day, or no month.
    """
    if found["years"]:
        years = [int(year) for year in re.findall(r"\d+", found["years"])]
        return [(date(min(years), 1, 1), date(max(years) + 1, 1, 1))]
    first = _fields(found["from"] or found["since"] or found["in"])
    last = _fields(found["to"] or found["upto"] or found["and"])
    if found["in"] and (last["month"] - first["month"]) % 12 > _ACROSS_NEW_YEAR:
        first, last = last, first
    return _between(first, last, today, found[0])


def days_dashed(found: re.Match[str], today: date) -> list[Days]:
    """The days that a match of `DASHED` names, both ends included.

    Raises:
        ValueError: there is no such day, or nothing shows that these are days: `mar-may`, `6-7`.
    """
    first = _fields(found["begins"] or found["year"])
    last = _fields(found["ends"] or found["last_year"])
    is_sure = "day" in first or (found["begins"] and "year" in last)
    if not (found["sign"] or is_sure):
        raise ValueError(found[0])
    return _between(first, last, today, found[0])


def _between(first: dict[str, int], last: dict[str, int], today: date, said: str) -> list[Days]:
    """The days from the first to the last end; `said` is the text of both.

    Raises:
        ValueError: there is no such day, or no month.
    """
    if not (first.keys() & {"month", "year"} or last.keys() & {"month", "year"}):
        raise ValueError(said)
    is_of_days = "day" in first and "day" in last
    if is_of_days and "month" not in first:
        first = {**last, **first}
    if is_of_days and "month" not in last:
        last = {**first, **last}
    if any("day" in end and "month" not in end for end in (first, last)):
        raise ValueError(said)  # `from 3 to May`, `from 3 to 2016`
    first, last = _with_years(first, last, today)
    begins, ends = _days(first), _days(last)
    if begins[0] >= ends[1]:
        raise ValueError(said)
    return [(begins[0], ends[1])]


def days_listed(found: re.Match[str], today: date) -> list[Days]:
    """The days from the first to the last of those that a match of `LISTED` names.

    What one leaves out is that of the last that has it: `3 and 5 May`. Without a year, each is the
    latest that has come.

    Raises:
        ValueError: there is no such day, or these may be no days: `on 3 and 5`.
    """
    said = compiled(_DAY).findall(found["listed"])
    named = [_fields(one) for one in said]
    lent = {name: value for one in named for name, value in one.items() if name != "day"}
    if not (lent or all(one[-1].isalpha() for one in said)):
        raise ValueError(found[0])
    days = [_listed_day({**lent, **one}, today) for one in named]
    return [(min(days), max(days) + timedelta(1))]


def days_numbered(found: re.Match[str], today: date) -> list[Days]:
    """The days that a match of `NUMBERED` names: the latest that have begun.

    Raises:
        ValueError: there is no such day.
    """
    first = latest_day(_fields(found["first"] or found["since"])["day"], today)
    month, last = PERIODS["month"].first_day(first), _fields(found["last"])["day"]
    if last < first.day:
        month = PERIODS["month"].following(month)
    return [(first, month.replace(day=last) + timedelta(1))]


def _listed_day(fields: dict[str, int], today: date) -> date:
    """The day of these fields; the latest of that number, where they have no month."""
    day, month = fields["day"], fields.get("month")
    if month is None:
        return latest_day(day, today)
    return date(fields.get("year") or latest_year_with(month, day, today), month, day)


def _with_years(
    first: dict[str, int], last: dict[str, int], today: date
) -> tuple[dict[str, int], dict[str, int]]:
    """Both ends with a year: without one, the last is in the latest year in which it has begun."""
    if "year" not in last and "year" not in first:
        first = {**first, "year": latest_year_with(first["month"], first.get("day", 1), today)}
    crosses_new_year = first.get("month", 1) > last.get("month", 12)
    if "year" not in last:
        last = {**last, "year": first["year"] + (1 if crosses_new_year else 0)}
    if "year" not in first:
        first = {**first, "year": last["year"] - (1 if crosses_new_year else 0)}
    return first, last


def _days(fields: dict[str, int]) -> Days:
    """The day, the month or the year of these fields."""
    day = date(fields["year"], fields.get("month", 1), fields.get("day", 1))
    if "day" in fields:
        return day, day + timedelta(1)
    return day, PERIODS["month" if "month" in fields else "year"].following(day)


def _fields(end: str) -> dict[str, int]:
    """The year, month and day of one end, as far as it has them."""
    words = re.sub(r"(?i)^the\s+", "", end)
    for pattern in _FIELDS:
        if found := compiled(pattern).fullmatch(words):
            named = {name: value for name, value in found.groupdict().items() if value}
            return {
                name: month_number(value) if name == "month" else int(value)
                for name, value in named.items()
            }
    raise ValueError(end)
