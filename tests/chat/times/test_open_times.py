"""What lies between a time that is open forward and one that is open backward."""

from datetime import UTC

import pytest

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.questions.narrowing import narrowed_to
from terrarium_mcp.chat.times.open_times import with_both_ends
from terrarium_mcp.chat.times.time_expressions import TimeExpression, time_expressions
from tests.chat.times.scene import NOW


def bounded(text: str) -> tuple[TimeExpression, ...]:
    return with_both_ends(time_expressions(text, NOW, UTC))


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("since 8pm on 5 May until 9am on 6 May", "05-05 20:00", "05-06 09:00"),
        ("after 8pm on 5 May and before 9am on 7 May", "05-05 20:00", "05-07 09:00"),
        ("after 5 May 8pm and before 6 May 9am", "05-05 20:00", "05-06 09:00"),
        ("since yesterday at 9am until yesterday at 11am", "05-13 09:00", "05-13 11:00"),
        ("before noon on 6 May and since 3 May", "05-03 00:00", "05-06 12:00"),
        ("since 5 May until 6 May", "05-05 00:00", "05-07 00:00"),
        ("Since Monday up to Tuesday", "05-11 00:00", "05-13 00:00"),
        ("after February and prior to May", "03-01 00:00", "05-01 00:00"),
        ("since 2 hours ago until 1 hour ago", "05-14 07:30", "05-14 08:30"),
        ("since March by the end of April", "03-01 00:00", "05-01 00:00"),
    ],
)
def test_since_one_time_and_until_another_is_what_lies_between(
    text: str, after: str, before: str
) -> None:
    times = bounded(f"what was said {text}?")
    assert {(f"{one.nearer:%m-%d %H:%M}", f"{one.until:%m-%d %H:%M}") for one in times} == {
        (after, before)
    }
    assert [one.said for one in times] == [
        one.said for one in time_expressions(f"what was said {text}?", NOW, UTC)
    ]
    query = narrowed_to(times, Query())
    assert (query.since, query.until) == (times[0].since, times[0].until)


@pytest.mark.parametrize(
    "text",
    [
        "what was said since yesterday?",
        "what was said before May?",
        "what was said before March and since April?",
        "what was said after yesterday at 9am and before yesterday at 8am?",
        "what was said in March and since April?",
        "what was said the day before yesterday and since the day after Monday?",
        "what was said since 1 May until 3 May, and since 5 May until 7 May?",
    ],
)
def test_times_with_nothing_between_them_or_no_single_pair_are_as_they_were(text: str) -> None:
    assert bounded(text) == time_expressions(text, NOW, UTC)


def test_each_reading_of_a_time_has_both_ends_if_anything_lies_between() -> None:
    both = bounded("what was said since winter 2022 until March 2024?")
    assert {(f"{one.since:%Y-%m}", f"{one.until:%Y-%m}") for one in both} == {
        ("2022-12", "2024-04"),
        ("2021-12", "2024-04"),
    }
    question = "what was said since May 2022 until winter 2022?"
    since, later, earlier = bounded(question)
    assert (since.until, later.since) == (later.until, since.since)
    assert earlier == time_expressions(question, NOW, UTC)[2]
