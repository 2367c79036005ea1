"""The table of a question: its rows add up to its time, whatever lay beside what."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.irc_bridge.model.chat_types import TokenUsage
from terrarium_mcp.irc_bridge.talk_log.record import Outcome, TalkRecord, TimedPart
from terrarium_mcp.irc_bridge.talk_log.timeline import OTHER, rendered, timeline

BERLIN = ZoneInfo("Europe/Berlin")


def question(ms: float, *parts: TimedPart, **more: Any) -> TalkRecord:
    facts: dict[str, Any] = {
        "time": datetime(2026, 11, 22, 18, 0, tzinfo=UTC),
        "id": "3f9a1c",
        "network": "libera",
        "channel": "#tea",
        "model": "glm",
        "outcome": Outcome.ANSWERED,
        "ms": ms,
        "parts": parts,
        "rounds": 1,
        "tokens": TokenUsage(2_431, 96, estimated=True),
        "lines": 2,
        "bytes": 143,
    }
    return TalkRecord(**facts | more)


def test_the_table_shows_parts_what_is_within_them_and_what_none_covers() -> None:
    calls = (
        TimedPart("search_irc_history", 52, 40, "ok"),
        TimedPart("search_web", 52, 8.04, "failed"),
    )
    text = rendered(
        question(
            1_200,
            TimedPart("queue", 0, 2),
            TimedPart("model request", 2, 1_000),
            TimedPart("tool calls", 1_052, 41, parts=calls),
        ),
        BERLIN,
    )
    assert text.splitlines() == [
        "2026-11-22 19:00:00 libera/#tea 3f9a1c: answered, 2 lines (143 bytes)",
        (
            "model glm, 1 round of tools with 2 calls (1 not ok),"
            " tokens: 2,431 sent, 96 received, estimated"
        ),
        "",
        "     at       ms   share  part",
        "    0.0      2.0    0.2%  queue",
        "    2.0  1,000.0   83.3%  model request",
        "1,052.0     41.0    3.4%  tool calls",
        "   52.0     40.0            search_irc_history  ok",
        "   52.0      8.0            search_web  failed",
        "           157.0   13.1%  other",
        "         1,200.0  100.0%  in all",
    ]


def test_what_lies_beside_an_earlier_part_counts_there() -> None:
    rows = timeline(
        question(
            100,
            TimedPart("context", 0, 40),
            TimedPart("flush", 10, 10),
            TimedPart("cleaning", 30, 20),
        )
    )
    assert [(row.name, row.ms) for row in rows] == [
        ("context", 40),
        ("flush", 0),
        ("cleaning", 10),
        (OTHER, 50),
    ]


_times = st.floats(0, 1_000)
_parts = st.recursive(
    st.builds(TimedPart, st.just("part"), _times, _times),
    lambda inner: st.builds(
        TimedPart, st.just("part"), _times, _times, st.just(""), st.tuples(inner, inner)
    ),
)


@given(st.lists(_parts, max_size=8))
def test_the_rows_with_a_share_add_up_to_the_whole_time(parts: list[TimedPart]) -> None:
    whole = max((part.at + part.ms for part in parts), default=0.0)
    rows = timeline(question(whole, *parts))
    assert sum(row.ms for row in rows if row.share is not None) == pytest.approx(whole)
    assert sum(row.share or 0 for row in rows) == pytest.approx(1 if whole else 0)


def test_names_from_elsewhere_cannot_control_a_terminal() -> None:
    text = rendered(
        question(1, TimedPart("tool\x1b[2J", 0, 1, "o\nk"), model="m\r\x07", channel="#t\u202eea"),
        BERLIN,
    )
    assert all(line.isprintable() for line in text.split("\n"))
    assert "o k" in text
