"""A history that takes long to open keeps no client waiting."""

from collections.abc import Callable, Coroutine
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult

from terrarium_mcp.cli.starting import import_logs, past_imports, purge, search
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import PurgeTarget, UnknownImport
from terrarium_mcp.store.sqlite.keeper import Keeper
from tests.cli.conftest import SAID
from tests.cli.programs import environment, quick_words
from tests.patience import PATIENCE
from tests.servers.logs import until_logged

Command = Callable[[Settings], Coroutine[None, None, None]]


async def searched(settings: Settings) -> None:
    found = await search.found(settings, "gate", "", 5, "relevance", explain=False, adopt=True)
    assert SAID in found


async def brought_in(settings: Settings) -> None:
    log = settings.db_path.with_name("irc.net.#tea.weechatlog")
    log.write_bytes(b"2026-10-24 23:57:13\tbob\thi\n")
    choices = Choices(zone=settings.zone)
    options = import_logs.ImportOptions(
        [str(log)], choices, private=False, dry_run=False, rejects=None, adopt=True
    )
    await import_logs.import_logs(settings, options)


async def listed(settings: Settings) -> None:
    await past_imports.list_imports(settings, adopt=True)


async def undone(settings: Settings) -> None:
    with pytest.raises(UnknownImport):
        await past_imports.undo_import(settings, adopt=True, number=7)


def purge_options(settings: Settings) -> purge.PurgeOptions:
    return purge.PurgeOptions(
        settings.db_path, settings, PurgeTarget("ada"), thorough=False, copies=False, adopt=True
    )


async def previewed(settings: Settings) -> None:
    await purge.preview(purge_options(settings))


async def removed(settings: Settings) -> None:
    await purge.remove(purge_options(settings))


@pytest.mark.parametrize(
    "command",
    [searched, brought_in, listed, undone, previewed, removed],
    ids=lambda one: one.__name__,
)
async def test_a_command_waits_for_a_long_opening_to_its_end(
    command: Command,
    theirs: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("terrarium_mcp.store.sqlite.opening.PATIENCE", 0)
    caplog.set_level("INFO")
    migrating = Keeper(theirs)
    assert migrating.claim()  # as a process does that is at it
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(command, Settings(db_path=theirs))
            await until_logged(caplog, "another process is opening the history; waiting for it")
            migrating.release()


async def test_a_client_is_greeted_before_the_history_is_open(theirs: Path, tmp_path: Path) -> None:
    program, *arguments = quick_words("terrarium-mcp serve", "--db", theirs)
    server = StdioServerParameters(
        command=program, args=arguments, env=environment(), cwd=theirs.parent
    )
    migrating = Keeper(theirs)
    assert migrating.claim()  # as a process does that is at it
    answers: list[CallToolResult] = []
    said = tmp_path / "stderr"
    with anyio.fail_after(PATIENCE), said.open("w") as stderr:
        async with (
            Client(stdio_client(server, errlog=stderr)) as client,
            anyio.create_task_group() as tasks,
        ):

            async def ask() -> None:
                answers.append(await client.call_tool("get_recent_irc_messages", {}))

            tasks.start_soon(ask)
            assert await client.list_tools()
            assert not answers
            migrating.release()
    (answer,) = answers
    assert not answer.is_error
    told = said.read_text()
    assert told.count("another process is opening the history; waiting for it") == 1
    assert "opening the history, " not in told  # the progress is the other's to report
    assert "the history is open" in told
