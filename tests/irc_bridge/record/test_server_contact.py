"""Until when the server was heard, whatever the machine and its clock do."""

from datetime import UTC, timedelta

import pytest

from terrarium_mcp.irc_bridge.record.server_contact import (
    BUFFERED,
    JUMP,
    PAUSE,
    ServerContact,
    machine_clocks,
)
from terrarium_mcp.store import HEARTBEAT
from tests.irc_bridge.record.clocks import NOON, ScriptedClocks

SECOND = timedelta(seconds=1)


@pytest.fixture
def clocks() -> ScriptedClocks:
    return ScriptedClocks()


@pytest.fixture
def contact(clocks: ScriptedClocks) -> ServerContact:
    return ServerContact(clocks)


def test_looking_at_the_clocks_hears_nothing(
    contact: ServerContact, clocks: ScriptedClocks
) -> None:
    clocks.go_on(HEARTBEAT)
    assert not contact.look()
    assert contact.last_heard == NOON
    contact.hear()
    assert contact.last_heard == NOON + HEARTBEAT


def test_what_arrives_right_after_a_pause_may_have_been_sent_before_it(
    contact: ServerContact, clocks: ScriptedClocks
) -> None:
    clocks.go_on(PAUSE)
    assert not contact.look()
    contact.hear()
    clocks.go_on(BUFFERED - SECOND)
    contact.look()
    contact.hear()
    assert contact.last_heard == NOON
    clocks.go_on(SECOND)
    contact.look()
    contact.hear()
    assert contact.last_heard == NOON + PAUSE + BUFFERED


@pytest.mark.parametrize("step", [timedelta(days=3), timedelta(days=-3), JUMP])
def test_a_clock_that_is_set_is_noticed_once(
    step: timedelta, contact: ServerContact, clocks: ScriptedClocks
) -> None:
    clocks.go_on(HEARTBEAT, by_the_time_of_day=HEARTBEAT + step)
    assert contact.look()
    assert contact.last_heard == NOON + HEARTBEAT + step
    clocks.go_on(HEARTBEAT)
    assert not contact.look()


def test_a_clock_that_is_slewed_is_not_set(contact: ServerContact, clocks: ScriptedClocks) -> None:
    for _ in range(1_000):
        clocks.go_on(HEARTBEAT, by_the_time_of_day=HEARTBEAT * 1.0005)
        assert not contact.look()


def test_both_clocks_of_this_machine_go_on() -> None:
    first, second = machine_clocks(), machine_clocks()
    assert first.now.tzinfo is UTC
    assert timedelta() < first.elapsed <= second.elapsed
