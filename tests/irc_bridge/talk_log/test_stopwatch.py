"""A question is measured part by part, and nothing of its text is in what is noted."""

from datetime import UTC, datetime

import pytest

from terrarium_mcp.irc_bridge.model.chat_types import NO_USAGE, TokenUsage
from terrarium_mcp.irc_bridge.talk_log.record import (
    PRIVATE_CHAT,
    Outcome,
    TimedPart,
    record_from_json,
    to_json,
)
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch


class Clock:
    """A clock that a scene turns, in milliseconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now / 1000

    def passes(self, milliseconds: float) -> None:
        self.now += milliseconds


def parts(watch: Stopwatch) -> tuple[TimedPart, ...]:
    return watch.record(network="libera", channel="#tea", model="glm").parts


def test_parts_follow_one_another_and_calls_stand_within_theirs() -> None:
    watch = Stopwatch(clock := Clock())
    clock.passes(2)
    watch.lap("queue")
    with watch.part("context"):
        clock.passes(1)
        with watch.call("get_recent_irc_messages"):
            clock.passes(10)
    clock.passes(5)
    watch.lap("model queue")
    assert parts(watch) == (
        TimedPart("queue", 0, 2),
        TimedPart(
            "context", 2, 11, parts=(TimedPart("get_recent_irc_messages", 3, 10, outcome="ok"),)
        ),
        TimedPart("model queue", 13, 5),
    )


def test_calls_side_by_side_stand_beside_each_other_however_they_end() -> None:
    watch = Stopwatch(clock := Clock())
    with watch.part("tool calls"):
        first, second = watch.call("search_irc_history"), watch.call("search_web")
        first.__enter__()
        clock.passes(1)
        second.__enter__()
        clock.passes(1)
        first.__exit__(None, None, None)
        clock.passes(8)
        second.__exit__(None, None, None)
    (calls,) = parts(watch)
    assert calls == TimedPart(
        "tool calls",
        0,
        10,
        parts=(TimedPart("search_irc_history", 0, 2, "ok"), TimedPart("search_web", 1, 9, "ok")),
    )


def test_a_part_that_fails_or_is_stopped_is_measured_all_the_same() -> None:
    watch = Stopwatch(clock := Clock())

    def goes_wrong(error: BaseException) -> None:
        with watch.part("tool calls"), watch.call("search_web"):
            clock.passes(3)
            raise error

    for error in (ValueError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            goes_wrong(error)
    assert [(one.ms, one.parts[0].outcome) for one in parts(watch)] == [
        (3, "failed"),
        (3, "stopped"),
    ]


def test_what_still_runs_lasts_until_now() -> None:
    watch = Stopwatch(clock := Clock())
    with watch.part("model request"):
        clock.passes(4)
        record = watch.record(network="libera", channel="#tea", model="glm")
    assert (record.ms, record.parts) == (4, (TimedPart("model request", 0, 4),))


def test_lines_count_once_they_have_left() -> None:
    watch = Stopwatch(clock := Clock())
    for line in ("ada: \u8336", "| two"):
        with watch.saying(line):
            clock.passes(1)
    with pytest.raises(OSError, match="gone"), watch.saying("never"):
        raise OSError("gone")
    record = watch.record(network="libera", channel="#tea", model="glm")
    assert (record.lines, record.bytes) == (2, 8 + 5)
    assert [part.name for part in record.parts] == ["first line", "next line", "next line"]


def test_rounds_and_tokens_are_those_of_the_whole_question() -> None:
    watch = Stopwatch()
    for estimated in (True, False):
        with watch.part("model request"):
            watch.spent(TokenUsage(100, 10, estimated=estimated))
        with watch.part("tool calls"):
            pass
    record = watch.record(network="libera", channel="#tea", model="glm")
    assert record.rounds == 2
    assert record.tokens == TokenUsage(200, 20, estimated=True)


def test_a_line_has_every_figure_of_the_tokens_also_of_an_endpoint_that_counts_none() -> None:
    watch = Stopwatch()
    watch.spent(NO_USAGE)
    line = to_json(watch.record(network="libera", channel="#tea", model="glm"))
    assert '"tokens":{"prompt":0,"completion":0,"estimated":true}' in line


def test_a_record_is_one_line_of_json_and_comes_back_as_it_was() -> None:
    before = datetime.now(UTC)
    watch = Stopwatch()
    watch.outcome = Outcome.BEST_LINES
    with watch.part("tool calls"), watch.call("search_web") as call:
        call.outcome = "away"
    record = watch.record(network="libera", channel="", model="glm\u2028\n\x1b[31m\udc80")
    assert record.channel == PRIVATE_CHAT
    assert record.model == "glm [31m"
    assert before <= record.time <= datetime.now(UTC)
    line = to_json(record)
    assert line.isprintable()
    assert record_from_json(line) == record
    assert record_from_json(line.replace('{"time"', '{"later":[1],"time"')) == record


def test_names_from_elsewhere_cannot_break_a_line_of_the_log() -> None:
    watch = Stopwatch()
    with watch.part("tool calls"), watch.call("tool\ud800\n"):
        pass
    record = watch.record(network="libera", channel="#t\udc80ea\r", model="glm\ud83d")
    assert record_from_json(to_json(record).encode()) == record
    assert (record.channel, record.model) == ("#tea ", "glm")
    assert record.parts[0].parts[0].name == "tool "


def test_two_questions_have_two_ids() -> None:
    assert len({Stopwatch().id for _ in range(50)}) == 50
