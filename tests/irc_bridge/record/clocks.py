"""The clocks of a machine that sleeps, or whose time of day is set, when a test says so."""

from datetime import UTC, datetime, timedelta

from terrarium_mcp.irc_bridge.record.server_contact import Clocks

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


class ScriptedClocks:
    """They go on when they are told to."""

    def __init__(self) -> None:
        self.now, self.elapsed = NOON, timedelta()

    def __call__(self) -> Clocks:
        return Clocks(self.now, self.elapsed)

    def go_on(self, passed: timedelta, *, by_the_time_of_day: timedelta | None = None) -> None:
        self.elapsed += passed
        self.now += passed if by_the_time_of_day is None else by_the_time_of_day
