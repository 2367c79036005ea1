"""A long opening is reported by the process that does the work, and by no other."""

from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from terrarium_mcp.settings import Settings
from terrarium_mcp.store import StillOpening
from terrarium_mcp.store.sqlite import store as stores
from terrarium_mcp.store.sqlite.keeper import Keeper
from terrarium_mcp.store.sqlite.opening import Opening
from terrarium_mcp.store.sqlite.service import FileService
from tests.patience import PATIENCE


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(stores, "_REPORT_EVERY", 0.01)
    caplog.set_level("INFO")


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, bool]]:
    """What was logged, each once in a row, and whether it is to be overwritten."""
    lines = [(one.getMessage(), getattr(one, "progress", False)) for one in caplog.records]
    return [line for n, line in enumerate(lines) if line not in lines[max(n - 1, 0) : n]]


async def reported(service: FileService, caplog: pytest.LogCaptureFixture) -> None:
    """Report until something was logged, and then that the history is open."""
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stores._report_progress, service)  # noqa: SLF001 -- of a long opening
            while not caplog.records:
                await anyio.lowlevel.checkpoint()
            service.opening.succeed()


async def test_the_keeper_reports_how_far_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service = FileService(tmp_path / "irc_logs.db", Settings())
    assert service.keeper.claim()
    service.opening.report(0.4)
    await reported(service, caplog)
    service.keeper.release()
    assert told(caplog) == [
        ("opening the history, 40 %", True),
        ("the history is open", False),
    ]


async def test_another_process_says_once_that_it_waits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = Keeper(tmp_path / "irc_logs.db")
    assert other.claim()
    service = FileService(tmp_path / "irc_logs.db", Settings())
    service.opening.report(0.4)
    await reported(service, caplog)
    other.release()
    assert told(caplog) == [
        ("another process is opening the history; waiting for it", False),
        ("the history is open", False),
    ]


async def test_every_command_that_waits_is_told_at_once_that_the_operator_has_to_act() -> None:
    opening = Opening()
    opening.note_obstacle("stop the other process")
    with anyio.fail_after(PATIENCE):
        for _ in range(2):
            with pytest.raises(StillOpening, match="stop the other process"):
                await opening.wait_to_the_end()


async def test_an_obstacle_that_is_gone_holds_nobody_up() -> None:
    opening = Opening()
    opening.note_obstacle("stop the other process")
    opening.note_obstacle("")
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(opening.wait_to_the_end)
            await anyio.wait_all_tasks_blocked()
            opening.succeed()
