"""What is covered is said in one sentence, with its gaps."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from terrarium_mcp.chat.coverage import (
    BEGINS,
    EVENT_PLAYBACK,
    OPENED,
    PLAYBACK,
    Coverage,
    Gap,
    Span,
)

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


def test_a_gap_of_two_minutes_is_notable_and_a_shorter_one_is_not() -> None:
    two_minutes = 2 / 60
    assert Coverage([span(0, 1), span(1 + two_minutes, 2)]).gaps() == [gap(1, 1 + two_minutes)]
    assert Coverage([span(0, 1), span(1 + 1.9 / 60, 2)]).gaps() == []


def test_a_short_span_inside_a_long_one_does_not_shorten_it() -> None:
    assert Coverage([span(0, 5), span(1, 2), span(6, 7)]).gaps() == [gap(5, 6)]


def test_gaps_of_several_rooms_come_oldest_first() -> None:
    spans = [span(0, 1), span(5, 6), span(0, 2, room=2), span(3, 4, room=2), span(9, 9.5)]
    assert Coverage(spans).gaps() == [gap(1, 5), gap(2, 3), gap(6, 9)]
    assert gap(1, 5).length == timedelta(hours=4)


def test_one_outage_of_several_rooms_is_one_gap_of_the_sentence() -> None:
    joined = [5 + room / 120 for room in range(4)]  # they are joined one after the other
    spans = [span(0, 1, room) for room in range(4)]
    spans += [span(at, 7, room) for room, at in enumerate(joined)]
    spans += [span(joined[0] + 4, 12, room) for room in range(4)]
    told = Coverage(spans).sentence(UTC)
    assert told == "recorded 2026-05-01 to 2026-05-02; 2 gaps (2026-05-01 4h, 2026-05-01 2h)"
    assert len(Coverage(spans).gaps()) == 8


def test_gaps_of_several_rooms_that_only_overlap_are_each_told() -> None:
    spans = [span(0, 1), span(9, 12), span(0, 1, room=2), span(5, 6, room=2), span(9, 12, room=2)]
    told = Coverage(spans).sentence(UTC)
    gaps = "3 gaps (2026-05-01 8h, 2026-05-01 4h, 2026-05-01 3h)"
    assert told == f"recorded 2026-05-01 to 2026-05-02; {gaps}"


def test_one_gap_and_three_are_all_listed() -> None:
    one = Coverage([span(0, 1), span(2, 3)])
    assert one.sentence(UTC) == "recorded 2026-05-01 to 2026-05-01; 1 gap (2026-05-01 1h)"
    three = Coverage([span(n, n + 0.5) for n in range(0, 32, 8)])
    assert three.sentence(UTC) == (
        "recorded 2026-05-01 to 2026-05-02;"
        " 3 gaps (2026-05-01 7h30m, 2026-05-01 7h30m, 2026-05-02 7h30m)"
    )


def test_only_another_programs_record_is_named_alone_and_each_program_once() -> None:
    covered = Coverage(
        [span(0, 1, source="a"), span(24, 48, source="a"), span(0, 1, source="b", room=2)]
    )
    assert covered.sentence(UTC) == (
        "from a 2026-05-01 to 2026-05-03, gaps unknown;"
        " from b 2026-05-01 to 2026-05-01, gaps unknown"
    )
    assert Coverage().sentence(UTC) == "nothing recorded yet"


def session(began: float, ended: float, why: str = OPENED, room: int = 1) -> Span:
    return span(began, ended, room, "irssi logs")._replace(why_began=why)


def told(began: float, ended: float) -> Gap:
    return gap(began, ended)._replace(told_by="irssi logs")


def test_between_the_sessions_that_logs_tell_are_gaps() -> None:
    covering = span(0, 30, source="irssi logs")
    covered = Coverage([covering, session(0, 2), session(5, 6), session(6.01, 30)])
    assert covered.gaps() == [told(2, 5)]
    assert covered.sentence(UTC) == (
        "from irssi logs 2026-05-01 to 2026-05-02, 1 gap (2026-05-01 3h)"
    )
    without_any = Coverage([covering, session(0, 30)])
    assert without_any.sentence(UTC) == "from irssi logs 2026-05-01 to 2026-05-02"


def test_where_something_else_was_perhaps_recorded_is_no_gap_that_logs_tell() -> None:
    sessions = [span(0, 30, source="irssi logs"), session(0, 2), session(9, 30)]
    assert Coverage([*sessions, span(3, 4), span(8, 40)]).gaps() == [
        told(2, 3),
        gap(4, 8),
    ]
    assert Coverage([*sessions, span(1, 8, source="ZNC logs")]).gaps() == [told(8, 9)]
    assert Coverage([*sessions, session(2.5, 8, BEGINS)]).gaps() == [told(2, 2.5), told(8, 9)]
    assert Coverage([*sessions, span(1, 40, room=2)]).gaps() == [told(2, 9)]


def test_between_the_logs_and_the_recording_of_this_program_nothing_is_told() -> None:
    covered = Coverage([session(0, 1), session(3, 4), span(30, 31), span(33, 34)])
    assert covered.gaps() == [told(1, 3), gap(31, 33)]
    assert covered.sentence(UTC) == (
        "recorded 2026-05-02 to 2026-05-02; 1 gap (2026-05-02 2h);"
        " from irssi logs 2026-05-01 to 2026-05-01, 1 gap (2026-05-01 2h)"
    )


def test_gaps_are_unknown_where_a_room_has_no_log_that_tells_its_sessions() -> None:
    covered = Coverage([session(0, 1), session(3, 4), session(0, 9, BEGINS, room=2)])
    assert covered.sentence(UTC) == (
        "from irssi logs 2026-05-01 to 2026-05-01, 1 gap (2026-05-01 2h), gaps unknown"
    )


def test_a_span_ends_unless_it_is_said_to_go_on() -> None:
    plain = Span(1, NOON, NOON)
    assert (plain.going_on, plain.source, plain.why_ended) == (False, "", "")


def test_as_of_its_end_a_span_still_goes_on_and_from_its_beginning_it_is_not_there() -> None:
    covered = Coverage([span(0, 2)])
    assert covered.before(NOON + timedelta(hours=2)).spans == [span(0, 2, going_on=True)]
    assert covered.before(NOON + timedelta(hours=3)).spans == [span(0, 2)]
    assert covered.before(NOON).spans == []
    going_on = Coverage([span(0, 1, going_on=True)])
    assert going_on.before(NOON + timedelta(hours=3)).spans == [span(0, 1, going_on=True)]


def test_events_are_unknown_where_only_playback_reaches() -> None:
    live = [span(0, 1), span(4, 5), span(8, 9)]
    replayed = [span(0.5, 4.1, source=PLAYBACK), span(5, 8, source=EVENT_PLAYBACK)]
    assert Coverage([*live, *replayed]).event_gaps() == [gap(1, 4)]
    assert Coverage(replayed[:1]).event_gaps() == [gap(0.5, 4.1)]
    of_another_room = [span(0, 9, room=2), span(2, 3, room=1, source=PLAYBACK)]
    assert Coverage(of_another_room).event_gaps() == [gap(2, 3)]


def test_where_playback_spans_several_records_each_time_between_them_is_without_events() -> None:
    live = [span(1, 2), span(3, 4)]
    assert Coverage([*live, span(0, 5, source=PLAYBACK)]).event_gaps() == [
        gap(0, 1),
        gap(2, 3),
        gap(4, 5),
    ]


def test_the_minute_that_playback_left_open_is_without_events_too() -> None:
    minute = 1 / 60
    live = [span(0, 1), span(1 + 3 * minute, 2)]
    short = span(1 + minute, 1 + 3 * minute, source=PLAYBACK)
    assert Coverage([*live, short]).event_gaps() == [gap(1, 1 + 3 * minute)]
    far = span(1 + 30 * minute, 1 + 50 * minute, source=PLAYBACK)
    assert Coverage([span(0, 1), far]).event_gaps() == [gap(1 + 30 * minute, 1 + 50 * minute)]


def test_a_reconnect_of_a_minute_is_not_worth_mentioning_for_events_either() -> None:
    minute = 1 / 60
    live = [span(0, 1), span(1 + minute, 2)]
    assert Coverage([*live, span(0.9, 1.5, source=PLAYBACK)]).event_gaps() == []


def test_whose_events_are_unknown_is_said_for_the_time_that_is_asked_about() -> None:
    live = [span(0, 1), span(4, 5), span(30, 31)]
    covered = Coverage([*live, span(1, 4, source=PLAYBACK), span(5, 30, source=PLAYBACK)])
    why = "unknown: only lines were played back"
    first, second = "2026-05-01 13:00 to 16:00", "2026-05-01 17:00 to 2026-05-02 18:00"
    assert covered.events_sentence(UTC) == f"events of {first}, {second} {why}"
    five, four = NOON + timedelta(hours=5), NOON + timedelta(hours=4)
    assert covered.events_sentence(UTC, until=five) == f"events of {first} {why}"
    assert covered.events_sentence(UTC, since=four) == f"events of {second} {why}"
    assert covered.events_sentence(UTC, four, five) == ""
    many = Coverage([span(hour, hour + 1, source=PLAYBACK) for hour in range(0, 10, 2)])
    assert many.events_sentence(UTC).startswith("events of 5 times (latest 2026-05-01 16:00 to")
