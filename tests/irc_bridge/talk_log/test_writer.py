"""The talk log is written beside the answers: whatever happens to its file, none waits for it."""

import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path
from threading import Event

import anyio
import pytest
from anyio import to_thread

from terrarium_mcp.irc_bridge.talk_log import writer
from terrarium_mcp.irc_bridge.talk_log.record import TalkRecord, record_from_json
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch
from terrarium_mcp.irc_bridge.talk_log.writer import TalkLog, append_lines, why_unwritable
from tests.patience import PATIENCE
from tests.servers.beside import beside


def question(channel: str = "#tea") -> TalkRecord:
    return Stopwatch().record(network="libera", channel=channel, model="glm")


def questions(path: Path) -> list[TalkRecord]:
    return [record_from_json(line) for line in path.read_text("utf-8").splitlines()]


async def becomes(what: Callable[[], object]) -> None:
    """Return once it is so; the writer's thread needs a moment."""
    with anyio.fail_after(PATIENCE):
        while not what():
            await anyio.lowlevel.checkpoint()


async def test_each_question_is_a_line_of_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    noted = [question(), question("#mate")]
    async with beside((talk_log := TalkLog(path)).run):
        talk_log.note(noted[0])
        await becomes(lambda: path.exists() and path.stat().st_size)  # or the end may overtake it
        talk_log.note(noted[1])
    assert questions(path) == noted
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_what_waits_at_the_end_is_written(tmp_path: Path) -> None:
    talk_log = TalkLog(tmp_path / "talk.jsonl")
    noted = [question() for _ in range(20)]
    for one in noted:
        talk_log.note(one)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await talk_log.run()
    assert questions(tmp_path / "talk.jsonl") == noted
    talk_log.note(question())  # as of a question that ends last of all: it does no harm


async def test_a_file_that_was_rotated_or_deleted_begins_anew(tmp_path: Path) -> None:
    path, old = tmp_path / "talk.jsonl", tmp_path / "talk.jsonl.1"
    async with beside((talk_log := TalkLog(path)).run):
        for leave in (lambda: path.rename(old), path.unlink, lambda: None):
            talk_log.note(question())
            await becomes(lambda: path.exists() and path.stat().st_size)
            leave()
    assert len(questions(old)) == len(questions(path)) == 1


async def test_a_file_that_cannot_be_written_is_told_once_and_again_when_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "missing"
    path = folder / "talk.jsonl"
    async with beside((talk_log := TalkLog(path)).run):
        with caplog.at_level(logging.WARNING):
            for _ in range(3):
                talk_log.note(question())
                await anyio.wait_all_tasks_blocked()
                await becomes(lambda: not talk_log._waiting)  # noqa: SLF001 -- it shows nowhere else
            await becomes(lambda: caplog.messages)
            folder.mkdir()
            talk_log.note(question())
            await becomes(lambda: len(caplog.messages) > 1)
    told, better = caplog.messages
    assert told == (
        f"the talk log {path} cannot be written: No such file or directory."
        " Questions are still answered; check TERRARIUM_TALK_LOG."
    )
    assert better.startswith("the talk log is written again; ")
    assert len(questions(path)) == 1


@pytest.mark.parametrize("kind", ["folder", "pipe"])
async def test_what_is_no_file_is_told_and_holds_nothing_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    path = tmp_path / "talk.jsonl"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    async with beside((talk_log := TalkLog(path)).run):
        talk_log.note(question())
        await becomes(lambda: caplog.messages)
    assert f"the talk log {path} cannot be written" in caplog.text


async def test_a_disk_that_hangs_delays_nobody_and_the_queue_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    began, released = Event(), Event()

    def hangs(*_: object) -> None:
        began.set()
        released.wait(20)

    monkeypatch.setattr(writer, "append_lines", hangs)
    monkeypatch.setattr(writer, "AT_THE_END", 0.01)
    talk_log = TalkLog(tmp_path / "talk.jsonl")
    with anyio.fail_after(PATIENCE):
        async with beside(talk_log.run):
            talk_log.note(question())
            await to_thread.run_sync(began.wait)
            for _ in range(writer.MOST_WAITING + 5):
                talk_log.note(question())
            assert len(talk_log._waiting) == writer.MOST_WAITING  # noqa: SLF001 -- it shows nowhere else
    released.set()
    assert len(caplog.messages) == 1
    assert "the disk does not keep up" in caplog.text


async def test_without_a_path_nothing_is_kept() -> None:
    talk_log = TalkLog(None)
    talk_log.note(question())
    with anyio.fail_after(PATIENCE):
        await talk_log.run()
    assert not talk_log._waiting  # noqa: SLF001 -- it shows nowhere else


def test_a_line_that_was_cut_is_not_continued_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    append_lines(path, ["one"])
    path.write_bytes(path.read_bytes() + b'{"time": "2026')
    append_lines(path, ["two", "three"])
    assert path.read_text("utf-8") == 'one\n{"time": "2026\ntwo\nthree\n'


async def test_two_processes_may_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"

    async def write(word: str) -> None:
        for _ in range(50):
            await to_thread.run_sync(append_lines, path, [word * 500] * 3)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write, "a")
        tasks.start_soon(write, "b")
    lines = filter(None, path.read_text("utf-8").splitlines())  # readers skip an empty line
    assert sorted(lines) == ["a" * 500] * 150 + ["b" * 500] * 150


def test_why_a_file_cannot_be_written_is_found_out_without_making_or_changing_it(
    tmp_path: Path,
) -> None:
    new, there = tmp_path / "new.jsonl", tmp_path / "talk.jsonl"
    there.write_text("{}\n")
    assert why_unwritable(new) == why_unwritable(there) == ""
    assert not new.exists()
    assert there.read_text() == "{}\n"
    assert why_unwritable(tmp_path) == "Is a directory"
    assert why_unwritable(tmp_path / "no" / "talk.jsonl") == f"there is no folder {tmp_path / 'no'}"
    assert why_unwritable(there / "talk.jsonl") == "Not a directory"
    os.mkfifo(tmp_path / "pipe")
    assert why_unwritable(tmp_path / "pipe") == "it is no ordinary file"
