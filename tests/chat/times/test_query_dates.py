"""Times as people write them are read by a clock and a zone; what is no time is none."""

import time
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.times.query_dates import is_time, parse_moment, parse_period
from terrarium_mcp.chat.times.time_expressions import time_expressions

NOW = datetime(2026, 5, 6, 14, 23, 5, tzinfo=UTC)  # a Wednesday
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("2026", "2026-01-01", "2027-01-01"),
        ("2025-12", "2025-12-01", "2026-01-01"),
        ("2026-W18", "2026-04-27", "2026-05-04"),
        ("2026-W18-5", "2026-05-01", "2026-05-02"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("today", "2026-05-06", "2026-05-07"),
        ("Yesterday", "2026-05-05", "2026-05-06"),
        ("this week", "2026-05-04", "2026-05-07"),
        ("this month", "2026-05-01", "2026-05-07"),
        ("in the last month", "2026-04-06", "2026-05-07"),
        ("last  week", "2026-04-27", "2026-05-04"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("Q1 2026", "2026-01-01", "2026-04-01"),
        ("tuesday", "2026-05-05", "2026-05-06"),
        ("last friday", "2026-05-01", "2026-05-02"),
        ("5 may", "2026-05-05", "2026-05-06"),
        ("2026-05-01 Fri", "2026-05-01", "2026-05-02"),
        ("2026-05-01, Friday", "2026-05-01", "2026-05-02"),
        ("Fri, 1 May 2026", "2026-05-01", "2026-05-02"),
        ("Fri. 1 May", "2026-05-01", "2026-05-02"),
        ("7 may", "2025-05-07", "2025-05-08"),
        ("december", "2025-12-01", "2026-01-01"),
        ("may", "2026-05-01", "2026-06-01"),
        ("last may", "2025-05-01", "2025-06-01"),
        ("this monday", "2026-05-04", "2026-05-05"),
        ("this wednesday", "2026-05-06", "2026-05-07"),
        ("this thursday", "2026-04-30", "2026-05-01"),
        ("this Fri", "2026-05-01", "2026-05-02"),
        ("3 days ago", "2026-05-03", "2026-05-04"),
        ("last 3 days", "2026-05-03", "2026-05-07"),
        ("the past  week", "2026-04-29", "2026-05-07"),
        ("since friday", "2026-05-01", "2026-05-07"),
        ("since yesterday", "2026-05-05", "2026-05-07"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("early 2026", "2026-01-01", "2026-05-01"),
        ("the week of 3 march", "2026-03-02", "2026-03-09"),
        ("the last week of 2016", "2016-12-25", "2017-01-01"),
        ("week 51 of 2016", "2016-12-19", "2016-12-26"),
        ("the last 3 days of April", "2026-04-28", "2026-05-01"),
        ("last 2 weeks of 2025", "2025-12-18", "2026-01-01"),
        ("from 3 april to last friday", "2026-04-03", "2026-05-02"),
    ],
)
def test_a_time_is_a_stretch_and_begins_at_a_moment(text: str, begins: str, ends: str) -> None:
    stretch = parse_period(text, NOW, UTC)
    assert stretch is not None
    assert [f"{end:%Y-%m-%d %H:%M:%S}" for end in stretch] == [
        f"{begins} 00:00:00",
        f"{ends} 00:00:00",
    ]
    assert parse_moment(text, NOW, UTC) == stretch[0]


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("this morning", "05-06 05:00", "05-06 12:00"),
        ("this evening", "05-06 18:00", "05-07 00:00"),
        ("tonight", "05-06 18:00", "05-07 06:00"),
        ("last night", "05-05 18:00", "05-06 06:00"),
        ("yesterday evening", "05-05 18:00", "05-06 00:00"),
    ],
)
def test_a_part_of_a_day_is_its_hours(text: str, begins: str, ends: str) -> None:
    stretch = parse_period(text, NOW, UTC)
    assert stretch is not None
    assert [f"{end:%m-%d %H:%M}" for end in stretch] == [begins, ends]
    assert parse_moment(text, NOW, UTC) == stretch[0]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2h", "2026-05-06 12:23:05"),
        ("90M", "2026-05-06 12:53:05"),
        ("3d", "2026-05-03 14:23:05"),
        ("1w", "2026-04-29 14:23:05"),
        ("The last 24 hours", "2026-05-05 14:23:05"),
        ("past 1 minute", "2026-05-06 14:22:05"),
        ("10 minutes ago", "2026-05-06 14:13:05"),
        ("2 days", "2026-05-04 14:23:05"),
        ("1 week", "2026-04-29 14:23:05"),
        ("two weeks", "2026-04-22 14:23:05"),
        ("a couple of weeks", "2026-04-22 14:23:05"),
        ("a few days", "2026-05-03 14:23:05"),
        ("1.5 weeks", "2026-04-26 02:23:05"),
        ("1 month", "2026-04-06 14:23:05"),
        ("12 Months", "2025-05-06 14:23:05"),
        ("6mo", "2025-11-06 14:23:05"),
        ("the 1 year", "2025-05-06 14:23:05"),
        ("1 year 2 months", "2025-03-06 14:23:05"),
        ("yesterday 14:00", "2026-05-05 14:00:00"),
        ("monday at 8pm", "2026-05-04 20:00:00"),
        ("this tues 20:00:30", "2026-05-05 20:00:30"),
        ("3 days ago at noon", "2026-05-03 12:00:00"),
        ("24.12.2025 8:05 am", "2025-12-24 08:05:00"),
        ("8 p.m. on 5 may", "2026-05-05 20:00:00"),
        ("midnight, yesterday", "2026-05-05 00:00:00"),
        ("yesterday evening at 8pm", "2026-05-05 20:00:00"),
        ("2am last night", "2026-05-06 02:00:00"),
        ("2026-05-01 9:30", "2026-05-01 09:30:00"),
        ("2026-05-01 at 8pm", "2026-05-01 20:00:00"),
        ("2026-05-01 Fri 20:05", "2026-05-01 20:05:00"),
        ("Fri, 1 May 2026 14:00:00 +0200", "2026-05-01 12:00:00"),
        ("2026-05-01T14:00:00.123456Z", "2026-05-01 14:00:00"),
        ("2026-05-01T14:00+02:00", "2026-05-01 12:00:00"),
    ],
)
def test_a_moment_stands_for_its_day_where_a_stretch_is_asked_for(text: str, moment: str) -> None:
    read = parse_moment(text, NOW, UTC)
    assert read is not None
    assert f"{read:%Y-%m-%d %H:%M:%S}" == moment
    assert parse_period(text, NOW, UTC) == parse_period(moment[:10], NOW, UTC)


def test_days_are_those_of_the_zone_also_where_its_clock_changes() -> None:
    day = parse_period("2026-03-29", NOW, BERLIN)
    assert day == (datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC))
    late = datetime(2026, 5, 6, 23, tzinfo=UTC)
    assert parse_moment("today", late, BERLIN) == datetime(2026, 5, 6, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "begins", "period"),
    [
        ("2 weeks ago", "2026-04-22", ("2026-04-19", "2026-04-26")),
        ("a week ago", "2026-04-29", ("2026-04-26", "2026-05-03")),
        ("1 month ago", "2026-04-06", ("2026-03-22", "2026-04-22")),
        ("a couple of years ago", "2024-05-06", ("2021-11-06", "2024-11-05")),
        ("3mo ago", "2026-02-06", ("2026-02-01", "2026-03-01")),
    ],
)
def test_weeks_ago_begin_on_that_day_and_are_about_as_long_as_a_week(
    text: str, begins: str, period: tuple[str, str]
) -> None:
    assert parse_moment(text, NOW, UTC) == datetime.fromisoformat(begins).replace(tzinfo=UTC)
    assert day(text) == period


@pytest.mark.parametrize(
    "text",
    [
        *["this week", "this monday", "this wednesday", "this morning", "tonight", "last night"],
        *["last month", "last may", "on monday", "yesterday evening", "in the last year"],
        *["the weekend", "2 weeks ago", "since friday", "in may"],
    ],
)
def test_a_time_is_that_of_a_question(text: str) -> None:
    asked = time_expressions(f"what did ada say {text}?", NOW, BERLIN)[0]
    assert parse_period(text, NOW, BERLIN) == (asked.since, asked.until)


def test_a_month_before_a_day_that_it_lacks_begins_on_its_last() -> None:
    end_of_march = datetime(2026, 3, 31, 12, tzinfo=UTC)
    assert parse_moment("1 month", end_of_march, UTC) == datetime(2026, 2, 28, 12, tzinfo=UTC)


FORWARD = datetime(2026, 3, 29, 1, 10, tzinfo=UTC)  # ten minutes after 2:00 became 3:00 in Berlin
BACK = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)  # 2:30 in Berlin for the second time


@pytest.mark.parametrize("now", [FORWARD, BACK])
@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("90s", timedelta(seconds=90)),
        ("15m", timedelta(minutes=15)),
        ("2h", timedelta(hours=2)),
        ("last hour", timedelta(hours=1)),
        ("the last 3 hours", timedelta(hours=3)),
        ("10 minutes ago", timedelta(minutes=10)),
        ("2 hours ago", timedelta(hours=2)),
    ],
)
def test_an_hour_is_sixty_minutes_also_where_the_clock_changes(
    text: str, ago: timedelta, now: datetime
) -> None:
    assert parse_moment(text, now, BERLIN) == parse_moment(text, now.astimezone(BERLIN), BERLIN)
    assert parse_moment(text, now, BERLIN) == now - ago
    assert time_expressions("in the last hour", now.astimezone(BERLIN), BERLIN)[0].since == (
        now - timedelta(hours=1)
    )


def test_a_day_ago_is_the_same_time_of_day_also_where_the_clock_changes() -> None:
    assert parse_moment("1d", FORWARD, BERLIN) == datetime(2026, 3, 28, 2, 10, tzinfo=UTC)
    for week in ("1w", "1 week", "a week", "7 days"):
        assert parse_moment(week, FORWARD, BERLIN) == datetime(2026, 3, 22, 2, 10, tzinfo=UTC)
    assert parse_moment("1d", BACK, BERLIN) == datetime(2026, 10, 24, 0, 30, tzinfo=UTC)
    on_that_day = parse_period("30m", BACK, BERLIN)
    assert on_that_day == (
        datetime(2026, 10, 24, 22, tzinfo=UTC),
        datetime(2026, 10, 25, 23, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "text", ["2026-05-01 10:00 UTC", "10:00 utc on 2026-05-01", "2026-05-01 10:00:00 GMT"]
)
def test_a_time_of_utc_is_not_one_of_the_readers_zone(text: str) -> None:
    assert parse_moment(text, NOW, BERLIN) == datetime(2026, 5, 1, 10, tzinfo=UTC)


def test_the_zone_behind_a_time_in_a_query_is_no_word_of_it() -> None:
    query = parse_query("after:2026-05-01 10:00 UTC tea", now=NOW, zone=BERLIN)
    assert query == parse_query("tea after:2026-05-01T10:00Z")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("on:the last 3 days of April tea", "tea after:2026-04-28 before:2026-05-01"),
        ("on:may the 4th tea", "tea after:2026-05-04 before:2026-05-05"),
        ("on:2026-05-01 Fri tea", "tea after:2026-05-01 before:2026-05-02"),
        ("on:may '25 tea", "tea after:2025-05-01 before:2025-06-01"),
    ],
)
def test_a_time_of_several_words_is_read_without_quotes(text: str, plain: str) -> None:
    assert parse_query(text, now=NOW) == parse_query(plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\u017fun", "sun"),
        ("la\u017ft fr\u0131", "last fri"),
        ("\u017fix weeks", "six weeks"),
        ("n\u0130ne days ago", "nine days ago"),
        ("la\u017ft week", "last week"),
    ],
)
def test_letters_that_differ_by_more_than_case_are_read_as_those_of_ascii(
    text: str, plain: str
) -> None:
    assert is_time(text, NOW, UTC)
    assert parse_period(text, NOW, UTC) == parse_period(plain, NOW, UTC) is not None
    assert parse_moment(text, NOW, UTC) == parse_moment(plain, NOW, UTC) is not None


@pytest.mark.parametrize("text", ["2026-03-29T02:30", "2026-03-29 02:30:00", "29 march 2026 02:30"])
def test_a_time_that_the_clock_skips_is_the_moment_of_the_change(text: str) -> None:
    assert parse_moment(text, NOW, BERLIN) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert day(text, zone=BERLIN) == ("2026-03-29", "2026-03-30")


@pytest.mark.parametrize(
    "text",
    [
        *["", " ", "tea", "a", "1", "12", "13:99", "friday 13", "may 32", "32 may", "5.5.26"],
        *["2026-02-30", "2026-13", "2026-13-01", "0000", "0000-01-01", "2026-05-01T25:00"],
        *["2026-05-01 Sun", "2026-02-30 Mon"],
        *["yesterday 25:00", "2026-05-01 13pm", "2026-02-30 at noon", "yesterday at 10:00:61"],
        *["before yesterday", "until may", "by last week", "before 2 hours ago"],
        "from yesterday to 3 may",
        *["1777777777", "999999w", "99999999999 days ago", "x" * 5_000, "\0", "2026-"],
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert parse_moment(text, NOW, BERLIN) is None
    assert parse_period(text, NOW, BERLIN) is None


@given(st.text(max_size=30) | st.from_regex(r"[0-9]{1,4}[-/. ][0-9a-z]{1,4}([- ][0-9a-z]+)?"))
def test_no_text_is_too_absurd(text: str) -> None:
    stretch = parse_period(text, NOW, BERLIN)
    assert stretch is None or stretch[0] < stretch[1]
    assert stretch is None or parse_moment(text, NOW, BERLIN) is not None


MONTHS = ["jan", "feb", "mar", "apr", "may", "june"]
MONTHS += ["july", "august", "sept", "oct", "nov", "dec"]


def day(text: str, now: datetime = NOW, zone: tzinfo = UTC) -> tuple[str, str] | None:
    """The first day of a period and the day after its last, in the reader's zone."""
    stretch = parse_period(text, now, zone)
    if stretch is None:
        return None
    begins, ends = (f"{end.astimezone(zone):%Y-%m-%d}" for end in stretch)
    return begins, ends


@pytest.mark.parametrize(
    ("number", "name"),
    list(enumerate(MONTHS, 1)),
)
def test_every_month_has_its_days(number: int, name: str) -> None:
    first = f"{number:02}-01"
    following = "2027-01-01" if number == 12 else f"2026-{number + 1:02}-01"
    assert day(f"2026-{number:02}") == (f"2026-{first}", following)
    assert day(f"{name} 2026") == (f"2026-{first}", following)
    quarter = (number - 1) // 3
    ends = "2027-01-01" if quarter == 3 else f"2026-{3 * quarter + 4:02}-01"
    assert day(f"Q{quarter + 1} 2026") == (f"2026-{3 * quarter + 1:02}-01", ends)


@pytest.mark.parametrize("weekday", range(7))
def test_a_week_begins_on_monday_whatever_the_day(weekday: int) -> None:
    now = datetime(2026, 5, 4 + weekday, 12, tzinfo=UTC)
    assert day("this week", now) == ("2026-05-04", f"2026-05-{5 + weekday:02}")
    assert day("last week", now) == ("2026-04-27", "2026-05-04")


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("30s", timedelta(seconds=30)),
        ("5m", timedelta(minutes=5)),
        ("48H", timedelta(hours=48)),
        ("2d", timedelta(days=2)),
        ("3w", timedelta(weeks=3)),
        ("999999m", timedelta(minutes=999_999)),
    ],
)
def test_a_number_and_a_letter_are_so_long_ago(text: str, ago: timedelta) -> None:
    assert parse_moment(text, NOW, BERLIN) == NOW - ago


def test_a_day_starts_at_midnight_to_the_millisecond() -> None:
    odd = NOW.replace(microsecond=987_654)
    assert parse_moment("yesterday", odd, UTC) == datetime(2026, 5, 5, tzinfo=UTC)
    assert parse_moment("2h", odd, UTC) == datetime(2026, 5, 6, 12, 23, 5, 987_000, tzinfo=UTC)


def test_a_text_of_sixty_characters_may_be_a_time_and_a_longer_one_is_none() -> None:
    fraction = "2026-05-01T14:00:00." + "1" * 34 + "+00:00"
    assert len(fraction) == 60
    assert parse_moment(fraction, NOW, UTC) is not None
    assert parse_moment(fraction.replace("+", "1+"), NOW, UTC) is None


def test_results_are_in_utc_whatever_zone_the_machine_is_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as machine:
        machine.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        for text in ("2026-05-01", "yesterday", "2026-05-01T10:00+02:00", "10 minutes ago"):
            moment, stretch = parse_moment(text, NOW, BERLIN), parse_period(text, NOW, BERLIN)
            assert moment is not None
            assert stretch is not None
            assert moment.tzinfo is stretch[0].tzinfo is stretch[1].tzinfo is UTC
        assert parse_moment("2026-05-01", NOW, BERLIN) == datetime(2026, 4, 30, 22, tzinfo=UTC)
    time.tzset()


def test_a_moment_of_another_zone_stands_for_its_day_in_the_readers() -> None:
    assert day("2026-05-01T23:30Z", zone=BERLIN) == ("2026-05-02", "2026-05-03")


def test_days_come_before_months_and_lie_in_the_past() -> None:
    assert day("1/2/2026") == ("2026-02-01", "2026-02-02")
    assert day("friday") == ("2026-05-01", "2026-05-02")
    assert day("december 24") == ("2025-12-24", "2025-12-25")


def test_the_last_year_of_the_calendar_has_no_end() -> None:
    assert parse_period("9999", NOW, UTC) is None
    assert parse_moment("9999", NOW, UTC) == datetime(9999, 1, 1, tzinfo=UTC)
