"""A Thursday in May, and the days that words name on it."""

from datetime import UTC, datetime

from terrarium_mcp.chat.times.time_expressions import time_expressions

NOW = datetime(2026, 5, 14, 9, 30, tzinfo=UTC)


def days(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """The first day of each time that `text` names, and the day after its last."""
    return [
        (f"{one.since:%Y-%m-%d}", f"{one.until:%Y-%m-%d}")
        for one in time_expressions(text, now, UTC)
    ]
