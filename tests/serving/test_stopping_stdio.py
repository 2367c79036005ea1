"""A stdio server is gone soon after its client, or when it is told to; its store is closed."""

import signal
from collections.abc import Callable

import pytest

from tests.serving.processes import Ended, StdioHouse, call


def interrupt(house: StdioHouse) -> None:
    house.process.send_signal(signal.SIGINT)


def terminate(house: StdioHouse) -> None:
    house.process.send_signal(signal.SIGTERM)


EVENTS = pytest.mark.parametrize(
    "event", [StdioHouse.hang_up, StdioHouse.stop_reading, interrupt, terminate]
)


def after(event: Callable[[StdioHouse], None], house: StdioHouse) -> Ended:
    event(house)
    return house.wait()


@EVENTS
def test_while_idle(
    stdio_house_without_haste: StdioHouse, event: Callable[[StdioHouse], None]
) -> None:
    ended = after(event, stdio_house_without_haste)
    assert ended.well()


@pytest.mark.parametrize("event", [StdioHouse.stop_reading, interrupt, terminate])
def test_during_a_call(
    stdio_house_without_haste: StdioHouse, event: Callable[[StdioHouse], None]
) -> None:
    stdio_house_without_haste.send(call(1, "take", seconds=3600))
    assert stdio_house_without_haste.read()["method"] == "notifications/progress"
    ended = after(event, stdio_house_without_haste)
    assert ended.well()


@pytest.mark.parametrize("event", [StdioHouse.hang_up, interrupt, terminate])
def test_while_the_client_does_not_read(
    stdio_house: StdioHouse, event: Callable[[StdioHouse], None]
) -> None:
    large = "more than a pipe holds " * 10_000
    stdio_house.send(call(1, "echo", text=large), call(2, "echo", text=large))
    assert stdio_house.read_some(1) == b"{"
    ended = after(event, stdio_house)
    assert ended.well()
