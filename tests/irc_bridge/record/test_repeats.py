"""Equal lines of a replay are numbered within their second."""

from datetime import UTC, datetime, timedelta

from terrarium_mcp.irc_bridge.record.repeats import Repeats
from tests.irc_bridge.house import said

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_only_equal_lines_of_one_second_and_channel_are_numbered() -> None:
    repeats = Repeats()

    def number(text: str, second: float = 0, nick: str = "bo", channel: str = "#tea") -> int:
        line = said(text, nick=nick, channel=channel)
        at = NOON + timedelta(seconds=second)
        return repeats.numbered(line._replace(said_at=at)).repeat

    assert [number("hi"), number("hi", 0.9), number("ho"), number("hi", 0.95)] == [0, 1, 0, 2]
    assert [number("hi", nick="ada"), number("hi", channel="#mate"), number("hi")] == [0, 0, 3]
    assert [number("hi", 1), number("hi", 1)] == [0, 1]
    repeats.end("#TEA")
    assert [number("hi", 1), number("hi", channel="#mate")] == [0, 1]
