"""Requests that are piped into a stdio server are answered before it ends."""

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from terrarium_mcp.serving import pipes
from terrarium_mcp.serving.open_calls import OPEN_CALLS
from terrarium_mcp.serving.pipes import StdinLines, StdoutLines
from tests.passing_time import time_passes
from tests.patience import PATIENCE
from tests.serving.processes import INITIALIZE, House, StdioHouse, call


def test_calls_before_the_end_of_stdin_are_answered(stdio_house: StdioHouse) -> None:
    stdio_house.send(*(call(number, "echo", text="tea") for number in range(1, 9)))
    stdio_house.send(call(9, "take", seconds=0.2))
    stdio_house.hang_up()
    answered = set[int]()
    while len(answered) < 9:
        answer = stdio_house.read()
        if "id" in answer:
            assert "result" in answer
            answered.add(answer["id"])
    assert stdio_house.wait().well()


def test_calls_in_a_file_are_answered(tmp_path: Path) -> None:
    calls = [call(number, "echo", text="tea") for number in range(1, 9)]
    calls.append(call(9, "take", seconds=0.2))
    said = tmp_path / "requests.jsonl"
    said.write_text("".join(f"{json.dumps(one)}\n" for one in [INITIALIZE, *calls]))
    with said.open("rb") as file, closing(House(tmp_path / "ledger", "stdio", file)) as house:
        assert house.process.stdout is not None
        answers = [json.loads(line) for line in house.process.stdout]
        ended = house.wait()
    answered = {answer["id"] for answer in answers if "id" in answer}
    assert answered == {*range(10)}
    assert ended.well()


def test_a_call_that_goes_on_is_cut_off(tmp_path: Path) -> None:
    with closing(StdioHouse(tmp_path / "ledger", pipes__LAST_CALLS=0.1)) as house:
        house.greet()
        house.send(call(1, "take", seconds=3600))
        assert house.read()["method"] == "notifications/progress"
        house.hang_up()
        ended = house.wait()
    assert ended.well()


@pytest.mark.parametrize("stop", ["SIGTERM", "closed stdout"])
def test_a_client_that_also_goes_away_or_sends_a_signal_is_not_waited_for(
    tmp_path: Path, stop: str
) -> None:
    with closing(StdioHouse(tmp_path / "ledger", pipes__LAST_CALLS=3600)) as house:
        house.greet()
        house.send(call(1, "take", seconds=3600))
        assert house.read()["method"] == "notifications/progress"
        house.hang_up()
        if stop == "SIGTERM":
            house.process.terminate()
        else:
            house.stop_reading()
        ended = house.wait()
    assert ended.well()


@pytest.mark.parametrize("stop", [StdioHouse.hang_up, StdioHouse.stop_reading, "SIGTERM"])
def test_it_ends_while_a_call_waits_for_a_place(
    tmp_path: Path, stop: Callable[[StdioHouse], None] | str
) -> None:
    with closing(StdioHouse(tmp_path / "ledger", pipes__LAST_CALLS=0.1)) as house:
        house.greet()
        house.send(*(call(number, "take", seconds=3600) for number in range(OPEN_CALLS + 4)))
        for _ in range(OPEN_CALLS):
            assert house.read()["method"] == "notifications/progress"
        if callable(stop):
            stop(house)
        else:
            house.process.terminate()
        ended = house.wait()
    assert ended.well()


def test_more_calls_than_have_places_are_answered(stdio_house: StdioHouse) -> None:
    numbers = range(1, 3 * OPEN_CALLS)
    stdio_house.send(*(call(number, "echo", text="tea") for number in numbers))
    stdio_house.hang_up()
    assert {stdio_house.read()["id"] for _ in numbers} == {*numbers}
    assert stdio_house.wait().well()


def test_calls_are_not_answered_faster_than_the_answers_are_read(stdio_house: StdioHouse) -> None:
    calls = 20 * OPEN_CALLS
    stdio_house.send(*(call(number, "much", megabytes=1) for number in range(calls)))
    stdio_house.hang_up()
    ended = stdio_house.wait()
    assert ended.well()
    assert ended.ledger.count("begun") < calls / 2


async def test_no_call_is_begun_that_waits_when_it_is_over() -> None:
    out, into = os.pipe()
    with os.fdopen(out, "rb", buffering=0) as pipe, os.fdopen(into, "wb", buffering=0) as calls:
        _, reader = await asyncio.get_running_loop().connect_read_pipe(StdinLines, pipe)
        calls.write(b"one\ntwo\nthree\n")
        assert await reader.read() == b"one\n"
        reader.close()
        assert await reader.read() == b""
        await reader.closed.wait()


async def test_a_client_that_reads_on_at_the_end_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipes, "LAST_READS", PATIENCE)
    out, into = os.pipe()
    os.set_blocking(out, False)
    with os.fdopen(out, "rb", buffering=0) as answers, os.fdopen(into, "wb", buffering=0) as pipe:
        _, writer = await asyncio.get_running_loop().connect_write_pipe(StdoutLines, pipe)
        await writer.write(b"x" * 2**20)
        gives_up, has_written = anyio.Event(), anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(after, writer.is_unread, gives_up)
            tasks.start_soon(after, writer.has_written, has_written)
            for _ in range(8):
                answers.read(2**16)
                await some_turns_of_the_loop()
                time_passes(PATIENCE)
                await some_turns_of_the_loop()
            assert not gives_up.is_set()
            assert not has_written.is_set()
            while not gives_up.is_set():
                time_passes(PATIENCE)
                await checkpoint()
            while not has_written.is_set():
                answers.read(2**16)
                await checkpoint()
        await writer.close()


async def after(wait: Callable[[], Coroutine[Any, Any, None]], event: anyio.Event) -> None:
    await wait()
    event.set()


async def some_turns_of_the_loop() -> None:
    """In which the loop writes what a pipe takes, and timers that are due end."""
    for _ in range(5):
        await checkpoint()
