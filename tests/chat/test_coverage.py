"""What is covered is said in one sentence, with its gaps."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from terrarium_mcp.chat.coverage import Coverage, Gap, Span

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def span(
    began: float, ended: float, room: int = 1, source: str = "", *, going_on: bool = False
) -> Span:
    """A span by hours after noon."""
    hours = (NOON + timedelta(hours=began), NOON + timedelta(hours=ended))
    return Span(room, *hours, going_on=going_on, source=source)


def gap(began: float, ended: float) -> Gap:
    return Gap(NOON + timedelta(hours=began), NOON + timedelta(hours=ended))


def test_gaps_lie_between_the_spans_of_one_room() -> None:
    spans = [span(4, 5), span(0, 1), span(0.5, 2, room=2), span(6, 7, room=2), span(5.01, 6)]
    assert Coverage(spans).gaps() == [gap(1, 4), gap(2, 6)]


def test_spans_that_overlap_or_nearly_touch_leave_no_gap() -> None:
    assert Coverage([span(0, 5), span(1, 2), span(4, 6), span(6.03, 7)]).gaps() == []


def test_another_programs_record_has_no_known_gaps() -> None:
    covered = Coverage([span(-48, -24, source="terrarium-irc"), span(0, 1, going_on=True)])
    assert covered.gaps() == []
    assert covered.sentence(UTC) == (
        "recorded 2026-05-01 to now; from terrarium-irc 2026-04-29 to 2026-04-30, gaps unknown"
    )


def test_the_latest_gaps_are_told_and_all_are_counted() -> None:
    covered = Coverage([span(n, n + 0.5) for n in range(0, 48, 8)])
    told = covered.sentence(ZoneInfo("America/New_York"))
    assert told == (
        "recorded 2026-05-01 to 2026-05-03;"
        " 5 gaps (latest 2026-05-02 7h30m, 2026-05-02 7h30m, 2026-05-02 7h30m)"
    )


def test_as_of_a_moment_nothing_later_is_covered() -> None:
    covered = Coverage([span(0, 2), span(3, 5, going_on=True)])
    earlier = covered.before(NOON + timedelta(hours=1))
    assert earlier.spans == [span(0, 1, going_on=True)]
    assert covered.before(NOON).sentence(UTC) == "nothing recorded yet"
    assert covered.before(NOON + timedelta(hours=2.5)).sentence(UTC) == (
        "recorded 2026-05-01 to 2026-05-01"
    )
