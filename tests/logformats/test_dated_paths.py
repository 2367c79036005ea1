"""Dates in paths: none of the place, and the day of the first line where they are certain."""

import re
from datetime import date
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.logformats.dated_paths import without_dates
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.log_origin import LogOrigin, origin_in

A_DAY = date(2026, 10, 24)


@pytest.mark.parametrize(
    "path",
    [
        "net/#tea.2026-10-24.log",
        "net/#tea-20261024.log",
        "net/#tea_2026.10.24.log",
        "net/2026-10-24_#tea.log",
        "net/#tea/2026-10-24.log",
        "2026/net/#tea.10-24.log",
        "2026/10/net/#tea/24.log",
        "2026/10/net/#tea.24.log",
        "2026/10/24/net/#tea.log",
        "net/2026/10/24/#tea.log",
        "2026-10-24/net/#tea.log",
        "net/#tea.2026-10-24-20.01.log",
        "net/#tea/2026/#tea.2026-10-24-20.01.log",
    ],
)
def test_a_day_may_be_anywhere(path: str) -> None:
    assert without_dates(path) == ("net/#tea.log", A_DAY)


@pytest.mark.parametrize(
    "path",
    [
        "net/#tea.log",
        "net/#tea.2026-10.log",
        "net/#tea.202610.log",
        "2026/net/#tea.log",
        "2026/10/net/#tea.log",
        "net/26-10-24_#tea.log",
        "net/#tea/2026.log",
        "net/#tea/2026-10.log",
    ],
)
def test_what_is_not_certain_is_no_day(path: str) -> None:
    assert without_dates(path) == ("net/#tea.log", None)


@pytest.mark.parametrize("sep", [".", "-", "_"])
def test_a_year_behind_the_name_of_the_folder_is_none_of_the_name(sep: str) -> None:
    assert without_dates(f"net/#tea/#tea{sep}2026.log") == ("net/#tea/#tea.log", None)
    assert without_dates(f"net/bob/bob{sep}2026.log") == ("net/bob/bob.log", None)
    assert without_dates(f"net/#te/#tea{sep}2026.log").path == f"net/#te/#tea{sep}2026.log"


@pytest.mark.parametrize("date_of", ["-20261024", ".2026-10-24"])
def test_the_day_of_a_rotation_is_not_that_of_the_first_line(date_of: str) -> None:
    assert without_dates(f"net/#tea.log{date_of}") == ("net/#tea.log", None)


@pytest.mark.parametrize(
    "path", ["net/#tea/2026-10-24", "net/#tea/2026/2026-10-24", "2026/10/net/#tea/24"]
)
def test_a_day_that_is_the_whole_name_is_that_of_the_first_line(path: str) -> None:
    assert without_dates(path) == ("net/#tea", A_DAY)


@pytest.mark.parametrize(
    "path",
    ["2026-10-24", "2026/2026-10-24", "2026/10/2026-10-24", "2026/10-24", "2026/10/24", "20261024"],
)
def test_the_names_of_days_need_no_folder_but_those_of_dates(path: str) -> None:
    assert without_dates(path) == ("", A_DAY)
    assert without_dates(f"{path}.log") == (".log", A_DAY)


@pytest.mark.parametrize(
    "path", ["net/#2026.log", "net/#fosdem-2026.log", "net/#24-7.log", "net/#a-20269999.log"]
)
def test_a_number_of_a_channel_is_no_date(path: str) -> None:
    assert without_dates(path) == (path, None)


@pytest.mark.parametrize(
    "path", ["net/talk of 2026-10-24 in part.txt", "2025/net/part-2026-10-24.20.txt"]
)
def test_a_day_within_a_name_is_known_and_stays_in_the_name(path: str) -> None:
    undated, day = without_dates(path)
    assert day == A_DAY
    assert undated == path.removeprefix("2025/")


_SAMPLE = "2000-01-01"
"""The date that stands for each other one: of itself, all is told as it is."""

_A_NAME = st.sampled_from(
    [
        "users/ada/networks/net/moddata/log/#tea/{}.log",
        "users/ada/moddata/log/net_#tea_{}.log",
        "net/#tea/{}_net.txt",
        "net/#tea.log.{}",
        "net/#tea/{}",
        "net/{}_#tea.log",
        "{}",
        "{}.log",
        "2026/{}.log",
        "net/#tea/2026/10/{}.log",
        "logs/irc/ada@net/#tea.chat/{}.120000+0100CET.txt",
        "net/#tea/{} (1).log",
        "2026/net/talk of {} in part.txt",
        "#tea/#tea.{}.log",
        "2026/10/net/{}.log",
        "tea/2026/tea.{}-20.01.log.txt",
    ]
)
_DATED = re.compile(r"(?P<network>[^/]+)/(?P<channel>[^/]+)/(?P<date>[-0-9]+)\.log\Z")
_A_DATE = st.dates(date(1900, 1, 1), date(2099, 12, 31))


@given(_A_NAME, _A_DATE)
def test_no_pattern_tells_one_date_in_a_name_from_another(name: str, day: date) -> None:
    for pattern in chain.from_iterable(one.paths for one in TEXT_FORMATS):
        found, expected = (pattern.search(name.format(one)) for one in (day, _SAMPLE))
        assert (found and found.regs) == (expected and expected.regs)


@given(_A_NAME, _A_DATE)
def test_a_date_in_a_name_changes_nothing_but_itself(name: str, day: date) -> None:
    def dated(told: str) -> str:
        return told.replace(_SAMPLE, f"{day}")

    def day_of(told: date | None) -> date | None:
        return day if told == date.fromisoformat(_SAMPLE) else told

    path, sample = name.format(day), name.format(_SAMPLE)
    undated = without_dates(sample)
    assert without_dates(path) == (dated(undated.path), day_of(undated.day))
    for one in TEXT_FORMATS:
        network, target, its_day, is_window = origin_in(sample, one.paths)
        expected = LogOrigin(dated(network), dated(target), day_of(its_day), is_window)
        assert origin_in(path, one.paths) == expected


def test_a_date_of_no_calendar_is_no_day() -> None:
    assert without_dates("net/#tea/2026-02-30.log").day is None
    assert origin_in("net/#tea/2026-02-30.log", [_DATED]) == LogOrigin("net", "#tea", None)
