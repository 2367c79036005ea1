"""Hours beside the day that a question names."""

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times
from tests.chat.times.scene import NOW


def hours(text: str) -> list[str]:
    """Each time that `text` names, from the first minute to that after the last."""
    return [
        f"{one.since:%m-%d %H:%M} to {one.until:%m-%d %H:%M}"
        for one in time_expressions(text, NOW, UTC)
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("at 20:30 on 5 May", "05-05 20:00 to 05-05 21:00"),
        ("on 5 May at 8pm", "05-05 19:30 to 05-05 20:30"),
        ("8 p.m. on 5 May", "05-05 19:30 to 05-05 20:30"),
        ("around 20:45 on 5 May", "05-05 19:45 to 05-05 21:45"),
        ("5 May, about 20:45", "05-05 19:45 to 05-05 21:45"),
        ("at noon yesterday", "05-13 11:30 to 05-13 12:30"),
        ("at 12am today", "05-13 23:30 to 05-14 00:30"),
        ("before noon on 5 May", "05-05 00:00 to 05-05 12:00"),
        ("yesterday until 8:15 am", "05-13 00:00 to 05-13 08:15"),
        ("after 12:30 pm on 5 May", "05-05 12:30 to 05-06 00:00"),
        ("since 9:00 today", "05-14 09:00 to 05-15 00:00"),
        ("on 5 May between 20:30 and 20:40", "05-05 20:30 to 05-05 20:41"),
        ("from 9am to 5pm on Monday", "05-11 09:00 to 05-11 17:01"),
        ("between midnight and 3am on 7 May", "05-07 00:00 to 05-07 03:01"),
        ("from midnight to 1am on 7 May", "05-07 00:00 to 05-07 01:01"),
        ("after midnight on 7 May", "05-07 00:00 to 05-08 00:00"),
        ("before midnight on 6 May", "05-06 00:00 to 05-07 00:00"),
        ("between 9pm and midnight on 6 May", "05-06 21:00 to 05-07 00:01"),
        ("between 22:00 and 02:00 on 6 May", "05-06 22:00 to 05-07 02:01"),
        ("between 20:40 and 20:30 on 5 May", "05-05 20:40 to 05-06 20:31"),
        ("between 8 and 10pm on 5 May", "05-05 20:00 to 05-05 22:01"),
        ("from 9 to 5pm yesterday", "05-13 09:00 to 05-13 17:01"),
        ("yesterday between 10 and noon", "05-13 10:00 to 05-13 12:01"),
        ("from 11 to 1am on 5 May", "05-05 23:00 to 05-06 01:01"),
        ("between 0 and 3am on 5 May", "05-05 00:00 to 05-05 03:01"),
        ("between 8 and 10:30 on 5 May", "05-05 08:00 to 05-05 10:31"),
        ("yesterday between 14 and 16", "05-13 14:00 to 05-13 16:01"),
        ("between 9 and 16 on 5 May", "05-05 09:00 to 05-05 16:01"),
        ("from 13 to 17, yesterday", "05-13 13:00 to 05-13 17:01"),
        ("8-10pm on 5 May", "05-05 20:00 to 05-05 22:01"),
        ("20:30-20:40 on 5 May", "05-05 20:30 to 05-05 20:41"),
        ("on 5 May, 20:30 \u2013 20:40", "05-05 20:30 to 05-05 20:41"),
        ("between 5 May 20:30 and 20:40", "05-05 20:30 to 05-05 20:41"),
        ("from yesterday 9pm until 1am", "05-13 21:00 to 05-14 01:01"),
        ("on 5 May 20:30 to 20:40", "05-05 20:30 to 05-05 20:41"),
        ("8pm to 10pm on 5 May", "05-05 20:00 to 05-05 22:01"),
        ("the day after 4 May at 8pm", "05-05 19:30 to 05-05 20:30"),
        ("before 5 May at 8pm", "01-01 00:00 to 05-05 20:00"),
        ("until yesterday, 20:30", "01-01 00:00 to 05-13 20:30"),
        ("after yesterday at noon", "05-13 12:00 to 05-15 00:00"),
        ("since yesterday at 9am", "05-13 09:00 to 05-15 00:00"),
        ("since Monday 9:00 UTC", "05-11 09:00 to 05-15 00:00"),
        ("since 8pm on 5 May", "05-05 20:00 to 05-15 00:00"),
        ("since 7am this morning", "05-14 07:00 to 05-15 00:00"),
        ("since this morning at 9", "05-14 09:00 to 05-15 00:00"),
        ("since last night at 11pm", "05-13 23:00 to 05-15 00:00"),
        ("this morning at 9", "05-14 08:30 to 05-14 09:30"),
        ("last night around 2", "05-14 01:00 to 05-14 03:00"),
        ("last night at 11", "05-13 22:30 to 05-13 23:30"),
        ("yesterday evening at 8", "05-13 19:30 to 05-13 20:30"),
        ("around 2am last night", "05-14 01:00 to 05-14 03:00"),
        ("since 9am", "05-14 09:00 to 05-15 00:00"),
        ("since 9am until noon", "05-14 09:00 to 05-14 12:01"),
        ("since 10am until noon", "05-13 10:00 to 05-13 12:01"),
        ("since 10:30", "05-13 10:30 to 05-15 00:00"),
        ("since noon UTC", "05-13 12:00 to 05-15 00:00"),
    ],
)
def test_hours_beside_a_day_are_of_it(text: str, named: str) -> None:
    asked = f"what broke {text}?"
    assert hours(asked) == [named]
    assert without_times(time_expressions(asked, NOW, UTC), asked).split() == ["what", "broke", "?"]


@pytest.mark.parametrize(
    "text",
    [
        *["at 25:00 on 5 May", "at 13pm on 5 May", "12:30:15 5 May", "at 8 on 5 May"],
        *["between 8 and 25:00 on 5 May", "5 May 8 pmx", "between 8 and 11 on 5 May"],
        *["5 May between 14 and 16 people", "from 13 to 25 on 5 May"],
    ],
)
def test_what_is_no_time_of_a_day_is_left_beside_it(text: str) -> None:
    assert hours(text) == ["05-05 00:00 to 05-06 00:00"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what was said before noon?", ["05-14 00:00 to 05-14 12:00"]),
        ("until 8am", ["05-14 00:00 to 05-14 08:00"]),
        ("what was said after 5pm?", ["05-13 17:00 to 05-15 00:00"]),
        ("what was said before midnight?", []),
        ("what was said since 25:00?", []),
        ("which shops are open after 5pm?", []),
        ("what was said between 8:00 and 8:30?", ["05-14 08:00 to 05-14 08:31"]),
        ("what was said between 10 and 11pm?", ["05-13 22:00 to 05-13 23:01"]),
        ("what happened from 10pm to 2am?", ["05-13 22:00 to 05-14 02:01"]),
        ("after 9am till 9:15 UTC", ["05-14 09:00 to 05-14 09:16"]),
        ("which shops are open between 9am and 5pm?", []),
        ("what was said between 9am and 25:00?", []),
        ("what was said between 9am?", []),
        ("what failed since 8am until 9am?", ["05-14 08:00 to 05-14 09:01"]),
        ("server down since 9am", []),
        ("who was here yesterday, and away since 9am?", ["05-13 00:00 to 05-14 00:00"]),
        ("what happened this morning at 3?", ["05-14 05:00 to 05-14 12:00"]),
        ("what was said since this morning at 3?", ["05-14 05:00 to 05-15 00:00"]),
        ("what happened last night at 3 servers?", ["05-13 18:00 to 05-14 06:00"]),
        ("what was said around yesterday at 9am?", ["05-10 00:00 to 05-17 00:00"]),
        ("what music was loved in the nineties, or in the 90s, or in the 1990s?", []),
    ],
)
def test_an_hour_is_read_only_where_it_can_mean_one_time(text: str, named: list[str]) -> None:
    assert hours(text) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("in May at 8pm", "05-01 00:00 to 06-01 00:00"),
        ("last week at night", "05-04 00:00 to 05-11 00:00"),
    ],
)
def test_only_a_day_has_hours(text: str, named: str) -> None:
    assert hours(text) == [named]


def test_each_of_two_days_has_its_own_hours() -> None:
    text = "from 20:30 to 20:40 on 5 May at 10:30 on 6 May"
    assert hours(text) == ["05-05 20:30 to 05-05 20:41", "05-06 10:00 to 05-06 11:00"]
    text = "what broke on 5 May at 20:30 on 6 May and then?"
    assert hours(text) == ["05-05 20:00 to 05-05 21:00", "05-06 00:00 to 05-07 00:00"]
    left = without_times(time_expressions(text, NOW, UTC), text)
    assert left.split() == ["what", "broke", "and", "then?"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "since 5 May 22:00 until 2:00 on 6 May",
            ["05-05 22:00 to 05-15 00:00", "05-06 00:00 to 05-06 02:00"],
        ),
        (
            "since Monday at 9pm until 1am today",
            ["05-14 00:00 to 05-14 01:00", "05-11 21:00 to 05-15 00:00"],
        ),
        (
            "yesterday, 9:00 and 10:00 today",
            ["05-13 08:30 to 05-13 09:30", "05-14 09:30 to 05-14 10:30"],
        ),
    ],
)
def test_hours_between_two_days_are_one_of_each(text: str, named: list[str]) -> None:
    assert hours(text) == named


def test_a_comma_behind_hours_keeps_them_from_the_next_day() -> None:
    assert hours("5 May 20:30 to 20:40, 6 May") == [
        "05-05 20:30 to 05-05 20:41",
        "05-06 00:00 to 05-07 00:00",
    ]


def test_hours_are_those_of_the_reader() -> None:
    (one,) = time_expressions("before 8am on 5 May", NOW, ZoneInfo("Asia/Tokyo"))
    assert (one.since, one.until) == (
        datetime(2026, 5, 4, 15, tzinfo=UTC),
        datetime(2026, 5, 4, 23, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("yesterday after 10:00 UTC", ("05-13 10:00", "05-13 22:00")),
        ("at 8pm GMT on 5 May", ("05-05 19:30", "05-05 20:30")),
        ("on 5 May between 20:30 and 20:40 utc", ("05-05 20:30", "05-05 20:41")),
        ("between 20:30 UTC and 20:40 on 5 May", ("05-05 20:30", "05-05 20:41")),
        ("from 20:30 GMT to 20:40 UTC on 5 May", ("05-05 20:30", "05-05 20:41")),
        ("at 8pm on 5 May", ("05-05 17:30", "05-05 18:30")),
    ],
)
def test_hours_of_utc_are_not_those_of_the_reader(text: str, named: tuple[str, str]) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    asked = f"what broke {text}?"
    times = time_expressions(asked, NOW, berlin)
    assert [(f"{one.since:%m-%d %H:%M}", f"{one.until:%m-%d %H:%M}") for one in times] == [named]
    assert without_times(times, asked).split() == ["what", "broke", "?"]


def test_an_hour_that_the_clock_skips_is_the_moment_at_which_it_does() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    (one,) = time_expressions("after 2:30 on 29 March 2026", NOW, berlin)
    assert one.since == datetime(2026, 3, 29, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["who is here tonight", "kettle tonight?", "any news tonight"])
def test_tonight_is_a_time_in_a_question(text: str) -> None:
    assert hours(text) == ["05-14 18:00 to 05-15 06:00"]


@pytest.mark.parametrize("text", ["tonight", "the tonight show", "kettle tonight", "good morning"])
def test_tonight_among_words_is_one(text: str) -> None:
    assert hours(text) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("in the last week of 2016", "12-25 00:00 to 01-01 00:00"),
        ("first week of 2016", "01-01 00:00 to 01-08 00:00"),
        ("in week 51 of 2016", "12-19 00:00 to 12-26 00:00"),
        ("calendar week 1, 2016", "01-04 00:00 to 01-11 00:00"),
        ("in week 60 of 2016", "01-01 00:00 to 01-01 00:00"),
    ],
)
def test_a_week_of_a_year_is_read(text: str, named: str) -> None:
    assert hours(text) == [named]


WORDS = """between from 20:30 8pm noon 12am 25:00 and to at around before after until on the evening
    of morning night in yesterday today 5 May 2016-12-19 , tonight this ?"""


@given(st.lists(st.sampled_from(WORDS.split()), min_size=2, max_size=12).map(" ".join))
def test_any_words_are_read_and_no_word_belongs_to_two_times(text: str) -> None:
    times = time_expressions(text, NOW, UTC)
    assert all(one.since < one.until for one in times)
    spans = sorted({one.span for one in times})
    assert all(one[1] <= following[0] for one, following in pairwise(spans))
    assert all(text[slice(*one.span)] == one.said for one in times)
