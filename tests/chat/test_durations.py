"""How long something lasts, as people type it."""

from datetime import timedelta

import pytest

from terrarium_mcp.chat.durations import parse_duration

MONTH = timedelta(days=30)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30m", timedelta(minutes=30)),
        ("1h", timedelta(hours=1)),
        (" 2 D ", timedelta(days=2)),
        ("31d", MONTH),
        ("999999999m", MONTH),
    ],
)
def test_minutes_hours_and_days_up_to_the_most(text: str, length: timedelta) -> None:
    assert parse_duration(text, most=MONTH) == length


@pytest.mark.parametrize(
    "text", ["", "0h", "1", "h", "1w", "-1h", "1.5h", "1h30m", "\u0661h", "9" * 99 + "h"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration such as 1h"):
        parse_duration(text, most=MONTH)
