"""Times that the words beside others make of them."""

from datetime import UTC
from time import process_time

import pytest

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.syntax import MOST_CHARACTERS
from terrarium_mcp.chat.questions.narrowing import narrowed_to
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from tests.chat.times.scene import NOW, days

TOMORROW = "05-15 00:00"


def stretches(text: str) -> list[tuple[str, str]]:
    """From when to when each time lasts that `text` names, in this year or since ever."""
    times = time_expressions(text, NOW, UTC)
    return [(f"{one.since:%m-%d %H:%M}", f"{one.until:%m-%d %H:%M}") for one in times]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("from 3 May until yesterday", "05-03 00:00", "05-14 00:00"),
        ("from 3 May to yesterday", "05-03 00:00", "05-14 00:00"),
        ("from May 3 till the day before yesterday", "05-03 00:00", "05-13 00:00"),
        ("from the 3rd of May through yesterday", "05-03 00:00", "05-14 00:00"),
        ("from 3 May up to last Friday", "05-03 00:00", "05-09 00:00"),
        ("from 3 May - yesterday", "05-03 00:00", "05-14 00:00"),
        ("between 3 May and yesterday", "05-03 00:00", "05-14 00:00"),
        ("from last week until yesterday", "05-04 00:00", "05-14 00:00"),
        ("from last week to Monday", "05-04 00:00", "05-12 00:00"),
        ("from January until yesterday at 9am", "01-01 00:00", "05-13 09:00"),
        ("from yesterday at 9am until today at noon", "05-13 09:00", "05-14 12:00"),
        ("from 5 hours ago to 2 hours ago", "05-14 04:30", "05-14 07:30"),
        ("between Monday and today", "05-11 00:00", TOMORROW),
        ("between January and today", "01-01 00:00", TOMORROW),
        ("from Monday to yesterday", "05-11 00:00", "05-14 00:00"),
    ],
)
def test_from_one_time_until_another_is_what_lies_between(
    text: str, since: str, until: str
) -> None:
    question = f"what did ada say {text} of tea?"
    assert stretches(f"what was said {text}?") == [(since, until)]
    assert stretches(text.upper()) == [(since, until)]
    rest = without_times(time_expressions(question, NOW, UTC), question)
    assert rest == "what did ada say   of tea?"


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("from March until now", "03-01 00:00"),
        ("from May 3 on", "05-03 00:00"),
        ("from May 3 onwards", "05-03 00:00"),
        ("from the 3rd of May onward", "05-03 00:00"),
        ("from yesterday noon to now", "05-13 12:00"),
        ("between May 3 and now", "05-03 00:00"),
        ("from last week to now", "05-04 00:00"),
        ("from last week to right now", "05-04 00:00"),
        ("from Monday on", "05-11 00:00"),
        ("from Monday onwards", "05-11 00:00"),
    ],
)
def test_from_a_time_to_now_or_onwards_is_since_then(text: str, since: str) -> None:
    question = f"what was said {text}?"
    assert stretches(question) == [(since, TOMORROW)]
    assert without_times(time_expressions(question, NOW, UTC), question) == "what was said  ?"


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("less than an hour ago", "05-14 08:30", TOMORROW),
        ("under an hour ago", "05-14 08:30", TOMORROW),
        ("less than 3 days ago", "05-11 00:00", TOMORROW),
        ("no more than 3 days ago", "05-11 00:00", TOMORROW),
        ("at most 2 days ago", "05-12 00:00", TOMORROW),
        ("more than a month ago", "01-01 00:00", "03-30 00:00"),
        ("over a month ago", "01-01 00:00", "03-30 00:00"),
        ("longer than a week ago", "01-01 00:00", "05-04 00:00"),
        ("at least 2 days ago", "01-01 00:00", "05-13 00:00"),
        ("over an hour ago", "01-01 00:00", "05-14 08:30"),
        ("more than 2-3 days ago", "01-01 00:00", "05-11 00:00"),
    ],
)
def test_more_than_so_long_ago_is_before_then_and_less_is_since_then(
    text: str, since: str, until: str
) -> None:
    assert stretches(f"what was said {text}?") == stretches(text.upper()) == [(since, until)]
    (one,) = time_expressions(text, NOW, UTC)
    assert one.has_beginning is (until == TOMORROW)
    assert one.nearer.year >= NOW.year - 1  # its last days
    assert one.said == text


def test_each_reading_of_a_beginning_is_one() -> None:
    assert days("what was said from winter 2022 until 1 May 2024?") == [
        ("2022-12-01", "2024-05-02"),
        ("2021-12-01", "2024-05-02"),
    ]


def test_what_ends_before_it_begins_is_no_time_and_never_all_of_history() -> None:
    for joint in ("until", "to"):
        times = time_expressions(f"from yesterday {joint} 3 May", NOW, UTC)
        query = narrowed_to(times, Query())
        assert query.since is not None
        assert query.until is not None
        assert query.since > query.until


@pytest.mark.parametrize(
    "text",
    [
        "from last week and yesterday",
        "between yesterday and 3 May",
        "between 3 May and 5 May and yesterday",
        "from 3 May, yesterday",
    ],
)
def test_times_that_nothing_joins_remain_two(text: str) -> None:
    assert len(days(text)) == len(days(text.upper())) == 2


@pytest.mark.parametrize(
    "text", ["from 3 May on the kettle", "from 3 May to the kettle", "from 3 May to 31 June"]
)
def test_a_time_that_no_other_closes_is_that_time(text: str) -> None:
    assert days(text) == [("2026-05-03", "2026-05-04")]


def test_as_many_times_as_a_query_may_have_are_joined_in_no_time() -> None:
    text = "from yesterday until today, " * (MOST_CHARACTERS // 28)
    began = process_time()
    assert len(days(text)) == 71
    assert process_time() - began < 2
