"""A time that comes every year, said without one."""

from datetime import UTC, datetime

import pytest

from terrarium_mcp.chat.times.time_expressions import time_expressions
from terrarium_mcp.chat.times.yearless_times import is_yearless

NOW = datetime(2026, 6, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        *[("tea in April", True), ("tea of april.", True), ("what was said in early may?", True)],
        *[("tea at the end of May", True), ("tea in the middle of May", True)],
        *[("tea on 5 April", True), ("tea on April 5th", True), ("the 5th of April", True)],
        *[("tea in the week of 3 May", True), ("tea on the evening of 5 May", True)],
        *[("tea between 3 and 7 May", True), ("tea from November to February", True)],
        *[("tea at Christmas", True), ("tea on New Year's Eve", True), ("in summer", True)],
        *[("tea in April and May", True)],
        *[("tea in April 2023", False), ("tea last April", False), ("tea this april", False)],
        *[("tea since April", False), ("tea before April", False), ("tea after Easter", False)],
        *[("tea on 5 April 2023", False), ("summer of '99", False), ("last summer", False)],
        *[("tea in April last year", False), ("tea in April and yesterday", False)],
        *[("tea yesterday", False), ("tea", False)],
        *[("tea from March until now", False), ("tea between March and now", False)],
        *[("tea from March on", False), ("tea from May 3 onwards", False)],
        *[("tea between January and today", False), ("tea from Easter to 3 May", True)],
        *[("tea on the 5th", False), ("tea on Monday", False), ("tea two weeks ago", False)],
    ],
)
def test_a_time_of_every_year_has_no_year_and_does_not_count_from_now(
    text: str, is_so: bool
) -> None:
    assert is_yearless(time_expressions(text, NOW, UTC)) is is_so
