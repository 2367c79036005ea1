"""However much goes wrong, the log stays readable, and says how much it was."""

import logging

import pytest

from terrarium_mcp.irc_bridge.network.log_limit import LogLimit


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def limit(clock: Clock) -> LogLimit:
    return LogLimit(logging.getLogger("test"), "tea", clock)


def test_of_a_flood_one_line_a_minute_is_logged_with_a_count(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    limited = limit(clock)
    for number in range(150):
        limited.warning("odd", "odd line %d", number)
        clock.now += 1
    assert caplog.messages == [
        "tea: odd line 0",
        "tea: odd line 60 (and 59 more like it before)",
        "tea: odd line 120 (and 59 more like it before)",
    ]


def test_each_kind_has_a_line_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    limited = limit(Clock())
    limited.warning("odd", "odd")
    limited.exception("failed", "failed", error=ValueError("why"))
    limited.warning("odd", "odd again")
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("WARNING", "tea: odd"),
        ("ERROR", "tea: failed"),
    ]
    assert "ValueError: why" in caplog.text


@pytest.mark.parametrize(("level", "shown"), [(logging.DEBUG, True), (logging.INFO, False)])
def test_a_warning_shows_a_traceback_only_at_debug(
    level: int, shown: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(level)
    limit(Clock()).warning("odd", "odd", error=ValueError("why"))
    assert ("ValueError: why" in caplog.text) is shown


def test_at_the_end_the_log_says_how_much_it_left_out_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    limited = limit(Clock())
    for _ in range(4):
        limited.warning("odd", "odd")
    limited.warning("even", "even")
    limited.finish()
    limited.finish()
    assert caplog.messages == ["tea: odd", "tea: even", "tea: odd: 3 more lines like it"]


def test_kinds_without_end_share_a_line(caplog: pytest.LogCaptureFixture) -> None:
    limited = limit(Clock())
    for number in range(5_000):
        limited.warning(f"kind {number}", "odd")
    limited.warning("kind 7", "odd")
    limited.finish()
    assert len(caplog.messages) == 100 + len(["other"]) + 2
    assert caplog.messages[-2:] == [
        "tea: kind 7: 1 more line like it",
        "tea: other: 4,899 more lines like it",
    ]
