"""Times that a question names."""

import re
from datetime import UTC, datetime, timedelta
from time import process_time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.times.named_days import READERS, matches, may_name_days
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from tests.chat.times.scene import NOW, days
from tests.conftest import EXAMPLES


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what broke on 2026-05-01?", "2026-05-01", "2026-05-02"),
        ("who left on 5 March 2025", "2025-03-05", "2025-03-06"),
        ("on the 5th of March, 2025", "2025-03-05", "2025-03-06"),
        ("March 5th, 2025", "2025-03-05", "2025-03-06"),
        ("on 13 May", "2026-05-13", "2026-05-14"),
        ("on May 15", "2025-05-15", "2025-05-16"),
        ("in early March 2025", "2025-03-01", "2025-03-11"),
        ("in May", "2026-05-01", "2026-06-01"),
        ("during december", "2025-12-01", "2026-01-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("today", "2026-05-14", "2026-05-15"),
        ("yesterday", "2026-05-13", "2026-05-14"),
        ("the day before yesterday", "2026-05-12", "2026-05-13"),
        ("until the day after 5 may", "1900-01-01", "2026-05-07"),
        ("since the day before yesterday", "2026-05-12", "2026-05-15"),
        ("3 days ago", "2026-05-11", "2026-05-12"),
        ("two weeks ago", "2026-04-27", "2026-05-04"),
        ("a few months ago", "2025-10-31", "2026-03-31"),
        ("last week", "2026-05-04", "2026-05-11"),
        ("this week", "2026-05-11", "2026-05-15"),
        ("this month", "2026-05-01", "2026-05-15"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("the past week", "2026-05-07", "2026-05-15"),
        ("on Monday", "2026-05-11", "2026-05-12"),
        ("last Thursday", "2026-05-07", "2026-05-08"),
        ("who works saturday?", "2026-05-09", "2026-05-10"),
        ("monday's outage", "2026-05-11", "2026-05-12"),
        ("what came out of last tuesday\u2019s talk", "2026-05-12", "2026-05-13"),
        ("a fortnight ago", "2026-04-23", "2026-05-08"),
        ("in the last fortnight", "2026-04-30", "2026-05-15"),
        ("on 3.11.", "2025-11-03", "2025-11-04"),
        ("what was said on the 03.05.?", "2026-05-03", "2026-05-04"),
        ("in Q1", "2026-01-01", "2026-04-01"),
        ("in Q3", "2025-07-01", "2025-10-01"),
        ("Q3 of last year", "2025-07-01", "2025-10-01"),
        ("since Q2", "2026-04-01", "2026-07-01"),
    ],
)
def test_a_time_is_understood_in_any_case(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]
    assert days(text.title()) == days(text.upper()) == [(since, until)]


@pytest.mark.parametrize(
    "text",
    [
        "saturday",
        "any news saturday",
        "does it run next saturday?",
        "every monday's tea",
        "open from monday to friday?",
        "is the shop open monday-friday",
        "the saturday-sunday course",
        "every sunday or monday?",
        "cats or monday?",
        "black friday?",
        "when is patch tuesday?",
        "who sings blue monday?",
        "is it ever a monday?",
        "who wrote monday's child?",
        "on 3.11",
        "3.11.",
        "on 3.13.",
        "on 3.11.2",
        "no sound on 10.04.",
        "how do i install java on 10.04.",
        "wifi does not work on 10.04. any idea?",
        "does it run on 3.11.?",
        "i am on 10.04.",
        "anyone on 10.04.?",
        "upgrade on 2.4. kernel",
        "Q3",
        "the Q3 results",
        "who was in q3 arena?",
        "a hum in q1 filter",
        "does it run on sun?",
        "on mon amour",
        "the week before last release",
        "logs/2026/05/06/a.txt",
        "noise since q2 of the amplifier",
    ],
)
def test_a_weekday_a_version_or_a_quarter_is_no_time_without_a_sign_of_one(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize("now", [NOW, datetime.max.replace(tzinfo=UTC)])
@pytest.mark.parametrize(
    "text", ["on 0001-01-01", "on 9999-12-31", "since 9999-12-31", "since yesterday", "today"]
)
@pytest.mark.parametrize("zone", ["Asia/Kolkata", "America/New_York"])
def test_a_time_at_the_ends_of_the_calendar_breaks_nothing(
    text: str, zone: str, now: datetime
) -> None:
    for one in time_expressions(text, now, ZoneInfo(zone)):
        assert one.since < one.until


@pytest.mark.parametrize(
    "text",
    [
        "may I ask",
        "jan-mar",
        "6-7",
        "2011-2013",
        "at 10:30",
        "31 june",
        "version 2026.5",
        "the mayor",
        "99999 years ago",
    ],
)
def test_what_names_no_time_is_none(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("in the \u017fpring", "in the spring"),
        ("in \u017fep", "in sep"),
        ("la\u017ft week", "last week"),
        ("f\u0131ve days ago", "five days ago"),
        ("SIX DAYS AGO AT CHR\u0130STMAS", "six days ago at christmas"),
        ("\u017f\u0130x m\u0131nutes ago", "six minutes ago"),
        ("on fr\u0131day", "on friday"),
    ],
)
def test_letters_that_differ_by_more_than_case_break_nothing(text: str, plain: str) -> None:
    named, meant = (time_expressions(one, NOW, UTC) for one in (text, plain))
    assert [(one.since, one.until) for one in named] == [(one.since, one.until) for one in meant]
    assert without_times(named, text).strip() == ""


def test_a_day_is_the_readers() -> None:
    late = datetime(2026, 5, 14, 23, 30, tzinfo=UTC)
    (day,) = time_expressions("yesterday", late, ZoneInfo("Asia/Tokyo"))
    assert (day.since, day.until) == (
        datetime(2026, 5, 13, 15, tzinfo=UTC),
        datetime(2026, 5, 14, 15, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "text",
    ["was it sunday or monday?", "sunday AND monday ?", "on sunday or on monday?"],
)
def test_of_two_weekdays_at_the_end_of_a_question_both_are_meant(text: str) -> None:
    assert days(text) == [("2026-05-10", "2026-05-12")]
    words = without_times(time_expressions(text, NOW, UTC), text).split()
    assert not {"sunday", "monday", "or"} & {word.lower() for word in words}


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what broke on sunday and monday", "2026-05-10", "2026-05-12"),
        ("on sunday or monday in the kitchen", "2026-05-10", "2026-05-12"),
        ("last friday, saturday and sunday it broke", "2026-05-08", "2026-05-11"),
        ("on sunday and monday last week", "2026-05-04", "2026-05-11"),
        ("on monday or tuesday of last week", "2026-05-04", "2026-05-06"),
    ],
)
def test_of_several_weekdays_behind_on_or_last_all_are_meant(
    text: str, since: str, until: str
) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("all bo said on wednesday and thursday", "2026-05-13", "2026-05-15"),
        ("on tuesday, wednesday or thursday", "2026-05-12", "2026-05-15"),
        ("this wednesday and thursday", "2026-05-13", "2026-05-15"),
        ("this monday and tuesday", "2026-05-11", "2026-05-13"),
        ("was it wednesday or thursday?", "2026-05-13", "2026-05-15"),
        ("on thursday and friday", "2026-05-07", "2026-05-09"),
        ("on wednesday and thursday of last week", "2026-05-06", "2026-05-08"),
    ],
)
def test_the_last_of_several_weekdays_may_be_today(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


def test_on_a_monday_sunday_and_monday_are_yesterday_and_today() -> None:
    monday = datetime(2026, 5, 11, 9, tzinfo=UTC)
    assert days("what broke on sunday and monday", monday) == [("2026-05-10", "2026-05-12")]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("on sunday and saturday", "2026-05-09", "2026-05-11"),
        ("on saturday and saturday", "2026-05-09", "2026-05-10"),
        ("on friday and saturday", "2026-05-15", "2026-05-17"),
        ("on thursday, friday and saturday", "2026-05-14", "2026-05-17"),
        ("on tuesday and saturday", "2026-05-09", "2026-05-13"),
        ("this tuesday and saturday", "2026-05-12", "2026-05-17"),
        ("on tuesday and saturday of this week", "2026-05-12", "2026-05-17"),
    ],
)
def test_the_last_of_several_weekdays_is_today_or_a_week_ago_whichever_is_closer_to_the_others(
    text: str, since: str, until: str
) -> None:
    saturday = datetime(2026, 5, 16, 18, tzinfo=UTC)
    assert days(f"what broke {text}", saturday) == [(since, until)]


def test_the_words_of_a_time_are_taken_out() -> None:
    text = "what broke yesterday and in May?"
    assert without_times(time_expressions(text, NOW, UTC), text) == "what broke   and  ?"


WORDS = """between and from to until up the day week of before after since by around in on early mid
    late end first second half quarter q1 last past this few Two a 3 31 29 2016 0 99 may Feb june
    monday weekend winter christmas yesterday today night ago days Weeks month YEARS an Hour minutes
    2026-05-01 2026-W06 3/4/2016 ,"""


@given(st.text() | st.lists(st.sampled_from(WORDS.split()), min_size=2, max_size=9).map(" ".join))
def test_any_text_is_read(text: str) -> None:
    assert all(one.since < one.until for one in time_expressions(text, NOW, UTC))
    parse_query(f'on:"{text}" after:{text}', now=NOW)


def test_the_leap_day_is_the_latest_that_has_come() -> None:
    assert days("on 29 feb") == [("2024-02-29", "2024-03-01")]


MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august"]
MONTHS += ["september", "october", "november", "december"]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


@pytest.mark.parametrize(("number", "name"), list(enumerate(MONTHS, 1)))
@pytest.mark.parametrize("spelt", ["{}", "{:.3}", "{:.3}."])
def test_every_month_is_known_by_name_and_short(number: int, name: str, spelt: str) -> None:
    year = 2026 if number <= 5 else 2025
    following = (year + 1, 1) if number == 12 else (year, number + 1)
    assert days(f"in {spelt.format(name.title())}") == [
        (f"{year}-{number:02}-01", "{}-{:02}-01".format(*following))
    ]


def test_september_has_two_short_forms() -> None:
    assert days("in sept") == days("in sep") == [("2025-09-01", "2025-10-01")]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("last may", "2025-05-01", "2025-06-01"),  # this one is not over
        ("in last May 2024", "2024-05-01", "2024-06-01"),
        ("in early last may", "2025-05-01", "2025-05-11"),
        ("last late may", "2025-05-21", "2025-06-01"),
        ("at the end of last april", "2026-04-21", "2026-05-01"),
        ("last april", "2026-04-01", "2026-05-01"),
        ("last june", "2025-06-01", "2025-07-01"),
        ("since last may", "2025-05-01", "2026-05-15"),
        ("this may", "2026-05-01", "2026-06-01"),
    ],
)
def test_the_last_month_of_a_name_is_over(text: str, since: str, until: str) -> None:
    assert days(f"what did ada say {text}?") == days(text.upper()) == [(since, until)]


@pytest.mark.parametrize(
    ("unit", "long", "calendar"),
    [
        ("week", "2026-05-07", ("2026-05-04", "2026-05-11")),
        ("month", "2026-04-14", ("2026-04-01", "2026-05-01")),
        ("year", "2025-05-14", ("2025-01-01", "2026-01-01")),
    ],
)
def test_in_the_last_month_is_up_to_now_and_last_month_is_that_of_the_calendar(
    unit: str, long: str, calendar: tuple[str, str]
) -> None:
    for word in ("in", "within", "over", "during", "for"):
        text = f"what did ada say {word} the last {unit}?"
        assert days(text) == days(f"past {unit}") == [(long, "2026-05-15")]
        assert without_times(time_expressions(text, NOW, UTC), text).split() == [
            *("what", "did", "ada", "say", "?")
        ]
    for words in ("last", "the last", "of last", "from last", "during last"):
        assert days(f"links {words} {unit}") == [calendar]


@pytest.mark.parametrize("words", ["in this week", "over the past month", "for the last 3 days"])
def test_the_word_in_front_of_a_time_up_to_now_belongs_to_it(words: str) -> None:
    text = f"did ada speak {words} at last?"
    assert without_times(time_expressions(text, NOW, UTC), text) == "did ada speak   at last?"


@pytest.mark.parametrize(("back", "name"), list(enumerate(["thursday", *WEEKDAYS[2::-1]])))
def test_a_weekday_is_the_last_one_before_today(back: int, name: str) -> None:
    first = 14 - (back or 7)
    assert (
        days(f"on {name}")
        == days(f"last {name.title()}")
        == [(f"2026-05-{first:02}", f"2026-05-{first + 1:02}")]
    )


def test_this_weekday_may_be_today() -> None:
    assert days("this thursday") == [("2026-05-14", "2026-05-15")]
    assert days("this friday") == [("2026-05-08", "2026-05-09")]


@pytest.mark.parametrize(
    ("count", "number"),
    [
        *[
            ("a", 1),
            ("an", 1),
            ("one", 1),
            ("two", 2),
            ("three", 3),
        ],
        *[
            ("four", 4),
            ("five", 5),
            ("six", 6),
            ("seven", 7),
            ("eight", 8),
            ("nine", 9),
            ("ten", 10),
        ],
        *[("Ten", 10), ("12", 12), ("0", 0)],
    ],
)
def test_counts_are_read_in_words_and_digits(count: str, number: int) -> None:
    middle = NOW - timedelta(days=number)
    assert days(f"{count} days ago") == [
        (f"{middle:%Y-%m-%d}", f"{middle + timedelta(days=1):%Y-%m-%d}")
    ]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("on the 5th", "2026-05-05", "2026-05-06"),
        ("on the 20th", "2026-04-20", "2026-04-21"),
        ("on the 31st", "2026-03-31", "2026-04-01"),
        ("before the 20th", "1900-01-01", "2026-04-20"),
        ("after the 5th", "2026-05-06", "2026-05-15"),
        ("since the 20th", "2026-04-20", "2026-05-15"),
        ("until the 5th", "1900-01-01", "2026-05-06"),
        ("the week before the 5th", "2026-04-28", "2026-05-05"),
        ("from the 5th onwards", "2026-05-05", "2026-05-15"),
        ("between the 5th and yesterday", "2026-05-05", "2026-05-14"),
        ("between the 5th and the 7th", "2026-05-05", "2026-05-08"),
        ("from the 10th to 20th", "2026-05-10", "2026-05-21"),
        ("from the 20th until the 3rd", "2026-04-20", "2026-05-04"),
        ("last month between the 5th and the 7th", "2026-04-05", "2026-04-08"),
        ("last 7d", "2026-05-07", "2026-05-15"),
        ("in the last 2 d", "2026-05-12", "2026-05-15"),
        ("over the past 2w", "2026-04-30", "2026-05-15"),
        ("2d ago", "2026-05-12", "2026-05-13"),
        ("more than 2w ago", "1900-01-01", "2026-04-27"),
        ("on May the 4th", "2026-05-04", "2026-05-05"),
        ("since May the 4th", "2026-05-04", "2026-05-15"),
        ("May the 4th, 2025", "2025-05-04", "2025-05-05"),
        ("in May '25", "2025-05-01", "2025-06-01"),
        ("since May \u201925", "2025-05-01", "2026-05-15"),
        ("on 5 May '25", "2025-05-05", "2025-05-06"),
        ("on May 5th, '98", "1998-05-05", "1998-05-06"),
        ("a year and a half ago", "2024-08-14", "2025-02-13"),  # 547 days, and 91 on each side
        ("two and a half weeks ago", "2026-04-26", "2026-04-29"),
        ("friday the 5th", "2025-12-05", "2025-12-06"),
        ("on Friday, the fifth", "2025-12-05", "2025-12-06"),
        ("on Thu, 5 Mar 2026", "2026-03-05", "2026-03-06"),
        ("before Thu, 5 Mar 2026", "1900-01-01", "2026-03-05"),
        ("on Tue, May 5, 2026", "2026-05-05", "2026-05-06"),
        ("from Tue. 5 May to Thu 7 May", "2026-05-05", "2026-05-08"),
        ("on 2026-05-05 Tue", "2026-05-05", "2026-05-06"),
        ("since 2026-05-05, tuesday", "2026-05-05", "2026-05-15"),
        ("tue the 5th", "2026-05-05", "2026-05-06"),
        ("the third of november", "2025-11-03", "2025-11-04"),
        ("on the twenty-first of may 2024", "2024-05-21", "2024-05-22"),
        ("on the 3rd of last month", "2026-04-03", "2026-04-04"),
        ("the first of this month", "2026-05-01", "2026-05-02"),
        ("at the end of last month", "2026-04-21", "2026-05-01"),
        ("early last year", "2025-01-01", "2025-05-01"),
        ("half a year ago", "2025-08-14", "2026-02-13"),  # 182 days, and 91 on each side
        ("in march and april", "2026-03-01", "2026-05-01"),
        ("in march or april 2024", "2024-03-01", "2024-05-01"),
    ],
)
def test_a_time_is_read_to_its_end(text: str, since: str, until: str) -> None:
    assert days(f"what happened {text}?") == days(text.upper()) == [(since, until)]


def test_behind_an_iso_day_only_its_own_weekday_belongs_to_it() -> None:
    text = "on 2026-05-05 sun crashed"
    assert days(text) == [("2026-05-05", "2026-05-06")]
    assert without_times(time_expressions(text, NOW, UTC), text).split() == ["sun", "crashed"]


@pytest.mark.parametrize(
    "text",
    [
        *["on the 2nd floor", "on the 2nd of a list", "on the 32nd", "on the second or third try"],
        *["after the 2nd boot", "after the 2nd or 3rd boot", "since the 32nd", "before 5th grade"],
        *["from the 2nd to the 3rd floor", "between the 2nd and the 32nd", "from the 2nd to 4 of"],
        *["the last 3d game", "2d or 3d", "last 2D platformer", "7d"],
    ],
)
def test_a_number_of_something_else_is_no_day(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("a few days ago", "2026-05-08", "2026-05-13"),  # two to six days
        ("a couple of days ago", "2026-05-10", "2026-05-13"),
        ("a few weeks ago", "2026-03-30", "2026-05-04"),  # and half a week on each side
        ("three days ago", "2026-05-11", "2026-05-12"),
    ],
)
def test_a_few_are_two_to_twice_as_many(text: str, since: str, until: str) -> None:
    assert days(f"what did ada say {text}?") == [(since, until)]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("a week ago", "2026-05-04", "2026-05-11"),  # the 7th, and three days on each side
        ("a month ago", "2026-03-30", "2026-04-30"),  # 30 days, and half of it on each side
        ("a year ago", "2024-11-13", "2025-11-13"),
        ("past month", "2026-04-14", "2026-05-15"),
        ("past year", "2025-05-14", "2026-05-15"),
        ("this year", "2026-01-01", "2026-05-15"),
        ("This Week", "2026-05-11", "2026-05-15"),
        ("day before yesterday", "2026-05-12", "2026-05-13"),
        ("14 may", "2026-05-14", "2026-05-15"),
        ("15 may", "2025-05-15", "2025-05-16"),
        ("the 3rd of may 1999", "1999-05-03", "1999-05-04"),
        ("31 december", "2025-12-31", "2026-01-01"),
        ("late february, 2024", "2024-02-21", "2024-03-01"),
        ("since early may", "2026-05-01", "2026-05-15"),
        ("since friday", "2026-05-08", "2026-05-15"),
        ("what was said since yesterday?", "2026-05-13", "2026-05-15"),
        ("Since 3 March", "2026-03-03", "2026-05-15"),
        ("since last week", "2026-05-04", "2026-05-15"),
        ("since 2024", "2024-01-01", "2026-05-15"),
        ("what happened in the last 3 days", "2026-05-11", "2026-05-15"),
        ("over the last few days", "2026-05-11", "2026-05-15"),
        ("the past two weeks", "2026-04-30", "2026-05-15"),
        ("last couple of months", "2026-03-15", "2026-05-15"),
        ("year 2024", "2024-01-01", "2025-01-01"),
        ("from 1999", "1999-01-01", "2000-01-01"),
        ("on may 3", "2026-05-03", "2026-05-04"),
    ],
)
def test_more_times_are_understood(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    "text",
    [
        *["may 3:30", "0 may", "in 1899", "in 21000", "yesterdays", "holiday", "2026-13-01"],
        *["in the last 2 weeks of school", "in the last week of the course", "last quarter of it"],
    ],
)
def test_what_only_resembles_a_time_is_none(text: str) -> None:
    assert days(text) == []


def test_of_two_readings_the_more_certain_one_counts_and_both_times_of_a_question_do() -> None:
    assert days("on 5 March 2025") == [("2025-03-05", "2025-03-06")]
    assert days("yesterday or on 2026-05-01") == [
        ("2026-05-01", "2026-05-02"),
        ("2026-05-13", "2026-05-14"),
    ]
    assert days("31 june or yesterday") == [("2026-05-13", "2026-05-14")]
    assert days("in May, in March") == [("2026-05-01", "2026-06-01"), ("2026-03-01", "2026-04-01")]


def test_the_words_of_a_time_are_remembered_and_taken_out_once() -> None:
    text = "yesterday, yes, yesterday"
    first, second = time_expressions(text, NOW, UTC)
    assert first.said == second.said == "yesterday"
    assert without_times((first,), text) == " , yes, yesterday"
    assert first.since.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("the summer of 2021", "2021-06-01", "2021-09-01"),
        ("in summer 2021", "2021-06-01", "2021-09-01"),
        ("in late autumn 2021?", "2021-09-01", "2021-12-01"),
        ("in the fall of 2021", "2021-09-01", "2021-12-01"),
        ("winter 2020/21", "2020-12-01", "2021-03-01"),
        ("in the winter of 2020-2021", "2020-12-01", "2021-03-01"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("last spring", "2025-03-01", "2025-06-01"),  # this one is not over
        ("this spring", "2026-03-01", "2026-06-01"),
        ("in the summer", "2025-06-01", "2025-09-01"),
        ("what broke in summer?", "2025-06-01", "2025-09-01"),
        ("early 2022", "2022-01-01", "2022-05-01"),
        ("in mid-2022", "2022-05-01", "2022-09-01"),
        ("late 2022", "2022-09-01", "2023-01-01"),
        ("at the end of 2022", "2022-09-01", "2023-01-01"),
        ("the week of 3 May", "2026-04-27", "2026-05-04"),  # from Monday, the 27th
        ("in the week of May 3rd, 2021", "2021-05-03", "2021-05-10"),
        ("during the week of the 5th of May 2021", "2021-05-03", "2021-05-10"),
        ("the week of Wednesday, 5 May 2021", "2021-05-03", "2021-05-10"),
        ("the week from 5 May 2021", "2021-05-05", "2021-05-12"),
        ("week beginning 2021-05-05", "2021-05-05", "2021-05-12"),
        ("on Friday, 6 August 2021", "2021-08-06", "2021-08-07"),
        ("in 2021-08", "2021-08-01", "2021-09-01"),
    ],
)
def test_seasons_parts_of_a_year_and_weeks_are_understood(
    text: str, since: str, until: str
) -> None:
    assert days(text) == [(since, until)]


def test_a_winter_may_be_either_of_the_two_in_a_year() -> None:
    text = "who fell in winter 2021 and rose?"
    assert days(text) == [("2021-12-01", "2022-03-01"), ("2020-12-01", "2021-03-01")]
    assert without_times(time_expressions(text, NOW, UTC), text) == "who fell   and rose?"


@pytest.mark.parametrize(
    "text",
    [
        *["in spring boot 3", "fall back", "the summer school", "springs 2021", "early 20221"],
        *["week of tea", "winter is coming", "a late reply"],
    ],
)
def test_a_season_that_may_be_another_word_is_none(text: str) -> None:
    assert days(text) == []


def test_a_long_row_of_little_words_is_read_in_no_time() -> None:
    began = process_time()
    assert days("in early late since " * 5_000) == []
    assert process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("before March 2022", "1900-01-01", "2022-03-01"),
        ("prior to may", "1900-01-01", "2026-05-01"),
        ("until the 5th of March, 2025", "1900-01-01", "2025-03-06"),
        ("up to 2005", "1900-01-01", "2006-01-01"),
        ("by last week", "1900-01-01", "2026-05-11"),
        ("after October 2022", "2022-11-01", "2026-05-15"),
        ("after today", "2026-05-15", "2026-05-16"),
        ("after friday", "2026-05-09", "2026-05-15"),
        ("the day after 6 February 2022", "2022-02-07", "2022-02-08"),
        ("the day before may 3", "2026-05-02", "2026-05-03"),
        ("the month before March 2024", "2024-02-01", "2024-03-01"),
        ("the week after 2026-05-01", "2026-05-02", "2026-05-09"),
        ("around 7 February", "2026-02-04", "2026-02-11"),
        ("around March 2024", "2024-03-01", "2024-04-01"),
        ("was ada around on 7 February", "2026-02-07", "2026-02-08"),
        ("yesterday evening", "2026-05-13", "2026-05-14"),
        ("the day after Christmas", "2025-12-27", "2025-12-28"),
        ("the week before Christmas", "2025-12-17", "2025-12-24"),
        ("week before easter", "2026-03-27", "2026-04-03"),
        ("the day after halloween", "2025-11-01", "2025-11-02"),
        ("month before May", "2026-04-01", "2026-05-01"),
        ("the year before 2016", "2015-01-01", "2016-01-01"),
        ("the day before friday", "2026-05-07", "2026-05-08"),
        ("the week before Q2", "2026-03-25", "2026-04-01"),
        ("two days before 5 May", "2026-05-03", "2026-05-04"),
        ("3 days after 6 February 2022", "2022-02-09", "2022-02-10"),
        ("two days before Christmas", "2025-12-22", "2025-12-24"),
        ("a couple of weeks after 1 March", "2026-03-12", "2026-04-02"),
        ("two weeks before 20 March", "2026-03-03", "2026-03-10"),
        ("3 years before 2016", "2013-01-01", "2014-01-02"),
        ("a few days before may", "2026-04-25", "2026-05-01"),
        ("three days before yesterday", "2026-05-10", "2026-05-11"),
        ("the two weeks before Christmas", "2025-12-10", "2025-12-24"),
        ("2.5 weeks before 5 March", "1900-01-01", "2026-03-05"),
        ("1,500 days after 5 March", "2026-03-06", "2026-05-15"),
        ("the last 3 days before may", "2026-04-28", "2026-05-01"),
        ("the first two weeks after 5 May 2025", "2025-05-06", "2025-05-20"),
        ("a week before 3 May", "2026-04-26", "2026-05-03"),
        ("since two days before christmas 2025", "2025-12-22", "2026-05-15"),
        ("until 3 days after 6 February 2022", "1900-01-01", "2022-02-10"),
        ("after two weeks after 1 march", "2026-03-19", "2026-05-15"),
        ("since the week before Christmas", "2025-12-17", "2026-05-15"),
        ("until the day after friday", "1900-01-01", "2026-05-10"),
        ("until the day after 5 may", "1900-01-01", "2026-05-07"),
        ("since the day before yesterday", "2026-05-12", "2026-05-15"),
        ("since two days before christmas last year", "2025-12-22", "2026-05-15"),
        ("on the third friday, 2 days before Christmas", "2025-12-22", "2025-12-24"),
        ("3 days until 5 March", "1900-01-01", "2026-03-06"),
        ("the week after the summer", "2025-09-01", "2025-09-08"),
        ("the month before last summer", "2025-05-01", "2025-06-01"),
        ("two Fridays ago", "2026-05-01", "2026-05-02"),
        ("on the friday before last", "2026-05-01", "2026-05-02"),
        ("the week before last", "2026-04-27", "2026-05-04"),
        ("the month before last", "2026-03-01", "2026-04-01"),
        ("since the week before last", "2026-04-27", "2026-05-15"),
        ("since the month before last", "2026-03-01", "2026-05-15"),
        ("until the year before last", "1900-01-01", "2025-01-01"),
        ("the weekend before last", "2026-05-02", "2026-05-04"),
        ("since the weekend before last", "2026-05-02", "2026-05-15"),
        ("on the weekend before last", "2026-05-02", "2026-05-04"),
        ("the weekend before Christmas", "2025-12-20", "2025-12-22"),
        ("the weekend before 9 May", "2026-05-02", "2026-05-04"),
        ("the weekend before 11 May", "2026-05-09", "2026-05-11"),
        ("the weekend prior to 9 May", "2026-05-02", "2026-05-04"),
        ("the weekend around 9 May", "2026-05-09", "2026-05-11"),
        ("the weekend after 2 May", "2026-05-09", "2026-05-11"),
        ("since the weekend after 24 April", "2026-04-25", "2026-05-15"),
        ("on the last weekend before Christmas", "2025-12-20", "2025-12-22"),
        ("the last week before Christmas", "2025-12-17", "2025-12-24"),
        ("over the first weekend after 2 May", "2026-05-09", "2026-05-11"),
        ("since the last weekend before Christmas 2024", "2024-12-21", "2026-05-15"),
        ("in the last week since Monday", "2026-05-11", "2026-05-15"),
        ("in the last week before Christmas", "2025-12-17", "2025-12-24"),
        ("this time last year", "2025-04-29", "2025-05-30"),
        ("at this time last month", "2026-04-11", "2026-04-18"),
        ("this time last week", "2026-05-07", "2026-05-08"),
        ("this day last year", "2025-05-14", "2025-05-15"),
        ("since the beginning of the week", "2026-05-11", "2026-05-15"),
        ("since the start of the month", "2026-05-01", "2026-05-15"),
        ("since the beginning of the year", "2026-01-01", "2026-05-15"),
        ("at the beginning of the year", "2026-01-01", "2026-05-01"),
        ("last quarter", "2026-01-01", "2026-04-01"),
        ("since last quarter", "2026-01-01", "2026-05-15"),
        ("this quarter", "2026-04-01", "2026-05-15"),
        ("between monday and wednesday", "2026-05-11", "2026-05-14"),
        ("between friday and monday", "2026-05-08", "2026-05-12"),
        ("between monday and thursday", "2026-05-11", "2026-05-15"),
        ("between monday and friday", "2026-05-04", "2026-05-09"),
        ("between monday and wednesday last week", "2026-05-04", "2026-05-07"),
        ("from Monday to Wednesday", "2026-05-11", "2026-05-14"),
        ("Monday through Wednesday", "2026-05-11", "2026-05-14"),
        ("Monday-Friday", "2026-05-04", "2026-05-09"),
        ("Friday \u2013 Monday", "2026-05-08", "2026-05-12"),
        ("from Tuesday until Friday", "2026-05-05", "2026-05-09"),
        ("from Monday up to Thursday", "2026-05-11", "2026-05-15"),
        ("from monday to wednesday last week", "2026-05-04", "2026-05-07"),
        ("3 to 5 days ago", "2026-05-09", "2026-05-12"),
        ("between 3 and 5 days ago", "2026-05-09", "2026-05-12"),
        ("2-3 weeks ago", "2026-04-20", "2026-05-04"),
        ("two or three days ago", "2026-05-11", "2026-05-13"),
        ("since 3 to 5 days ago", "2026-05-09", "2026-05-15"),
        ("last Fri", "2026-05-08", "2026-05-09"),
        ("on Mon", "2026-05-11", "2026-05-12"),
        ("this thurs", "2026-05-14", "2026-05-15"),
        ("since tues.", "2026-05-12", "2026-05-15"),
        ("on sun", "2026-05-10", "2026-05-11"),
        ("last sun", "2026-05-10", "2026-05-11"),
        ("on 2026/05/06", "2026-05-06", "2026-05-07"),
        ("from may", "2026-05-01", "2026-06-01"),
        ("over the weekend", "2026-05-09", "2026-05-11"),
        ("last weekend", "2026-05-09", "2026-05-11"),
        ("the weekend of 3 May 2025", "2025-05-03", "2025-05-05"),
        ("mid February 2022", "2022-02-11", "2022-02-21"),
        ("at the end of March", "2026-03-21", "2026-04-01"),
        ("first week of May 2024", "2024-05-01", "2024-05-08"),
        ("the last week of february", "2026-02-22", "2026-03-01"),
        ("on the last weekend of November 2025", "2025-11-29", "2025-12-01"),
        ("over the first weekend in August", "2025-08-02", "2025-08-04"),
        ("on the first Monday of March", "2026-03-02", "2026-03-03"),
        ("on the last Friday in November 2024", "2024-11-29", "2024-11-30"),
        ("on the last weekend of last month", "2026-04-25", "2026-04-27"),
        ("the second Monday of this month", "2026-05-11", "2026-05-12"),
        ("the third Tuesday of June last year", "2025-06-17", "2025-06-18"),
        ("second half of 2022", "2022-07-01", "2023-01-01"),
        ("Q3 2022", "2022-07-01", "2022-10-01"),
        ("in 2022-Q1", "2022-01-01", "2022-04-01"),
        ("the last quarter of 2022", "2022-10-01", "2023-01-01"),
        ("2022-W06", "2022-02-07", "2022-02-14"),
        ("in the last 2 weeks of April", "2026-04-17", "2026-05-01"),
        ("in the last 3 months of 2025", "2025-10-01", "2026-01-01"),
        ("the first 10 days of April", "2026-04-01", "2026-04-11"),
        ("in the first two weeks of April 2024", "2024-04-01", "2024-04-15"),
        ("on the last day of April", "2026-04-30", "2026-05-01"),
        ("in the first few days of 2025", "2025-01-01", "2025-01-04"),
        ("the last month of last year", "2025-12-01", "2026-01-01"),
        ("the last day of last week", "2026-05-10", "2026-05-11"),
        ("the first 3 days of this month", "2026-05-01", "2026-05-04"),
        ("in the first 2 weeks of april last year", "2025-04-01", "2025-04-15"),
        ("since the last 3 days of April", "2026-04-28", "2026-05-15"),
        ("the first week of 2016", "2016-01-01", "2016-01-08"),
        ("the last 3 months of last week", "2026-05-04", "2026-05-11"),  # which has none
        ("on 7.2.2022", "2022-02-07", "2022-02-08"),
        ("on 2/25/2022", "2022-02-25", "2022-02-26"),
    ],
)
def test_words_in_front_of_a_time_say_which_is_meant(text: str, since: str, until: str) -> None:
    assert days(f"what happened {text}?") == [(since, until)]


def test_a_weekend_until_or_around_a_day_is_a_time_beside_that_day() -> None:
    for text in ("over the weekend until Monday", "the weekend around Christmas"):
        assert ("2026-05-09", "2026-05-11") in days(f"what happened {text}?")
    assert len(days("what happened the weekend around Christmas?")) == 2


@pytest.mark.parametrize(
    "text",
    ["the weekend before the meeting", "the weekend after the release", "the weekend of the party"],
)
def test_a_weekend_that_an_event_dates_is_no_time(text: str) -> None:
    assert days(f"what happened {text}?") == []


def test_this_weekend_is_the_last_one_until_it_begins() -> None:
    saturday = datetime(2026, 5, 16, 9, 30, tzinfo=UTC)
    (thursdays,) = time_expressions("this weekend", NOW, UTC)
    (its_own,) = time_expressions("this weekend", saturday, UTC)
    (before,) = time_expressions("last weekend", saturday, UTC)
    assert thursdays.since == before.since == datetime(2026, 5, 9, tzinfo=UTC)
    assert its_own.since == datetime(2026, 5, 16, tzinfo=UTC)


def test_what_is_before_every_time_is_none() -> None:
    assert days("before 1900") == []


def test_only_what_was_before_a_time_has_no_beginning() -> None:
    before, after = (
        time_expressions(f"{word} may", NOW, UTC)[0].has_beginning for word in ("before", "after")
    )
    assert (before, after) == (False, True)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("before 2 May", "2026-04-18"),
        ("by 2 May", "2026-04-19"),
        ("before March 2026", "2025-10-28"),
        ("in May", "2026-05-01"),
        ("since March", "2026-03-01"),
    ],
)
def test_of_what_was_before_a_time_its_last_days_are_near(text: str, since: str) -> None:
    (one,) = time_expressions(text, NOW, UTC)
    assert f"{one.nearer:%Y-%m-%d}" == since


@pytest.mark.parametrize("words", [words for words, _ in READERS])
@given(st.data())
@settings(
    max_examples=max(4, EXAMPLES // 10),  # of each of 84 patterns, 14 ms each
    suppress_health_check=[HealthCheck.filter_too_much],  # of what the patterns look behind
)
def test_no_words_that_name_days_are_passed_over(words: str, data: st.DataObject) -> None:
    with_what_follows = words.replace("(?=", "(?:")
    named = re.compile(with_what_follows, re.IGNORECASE | re.ASCII)
    text = data.draw(st.from_regex(named, fullmatch=True))
    assert may_name_days(text)
    assert any(matches(text))
