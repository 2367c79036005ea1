"""No answer names a path or a command of this machine: these are for its operator's eyes."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import (
    CopyFailed,
    IndexDamaged,
    Locked,
    MigrationBlocked,
    NotAdopted,
    NotOurs,
    StoreFailed,
    WrongZone,
)
from tests.store.scene import write
from tests.tools.scene import House

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_irc_history", {"query": "tea"}),
    ("search_irc_history", {"query": "tea", "channel": "#nowhere"}),
    ("search_irc_history", {"query": "what did ada say?", "cursor": "x"}),
    ("get_recent_irc_messages", {}),
    ("get_recent_irc_messages", {"before_id": "77"}),
    ("get_message_context", {"message_id": "1"}),
    ("get_message_context", {"message_id": "1", "scope": "conversation"}),
    ("get_channel_stats", {}),
    ("get_current_users", {}),
    ("lookup_nick", {"nick": "ada"}),
    ("catch_up", {"nick": "ada"}),
    ("search_web", {"query": "tea"}),
    ("create_enhancement_request", {"title": "more tea", "summary": "please"}),
    ("list_enhancement_requests", {}),
    ("read_enhancement_request", {"filename": "x.md"}),
]

PATH = re.compile(
    r"(?<![\w/:#[])/\w+(?:/\S+)*|\b(?:terrarium-mcp|sqlite3|chgrp|chmod) [a-z-]|\.db\b"
)
"""An absolute path, a command, or a database file, but no fence, `libera/#chan` or URL."""


def broken(house: House, sql: str) -> None:
    write(house.store.path, sql)


def nothing(_: House) -> None:
    """Nothing is recorded yet."""


def no_index(house: House) -> None:
    broken(house, "DELETE FROM message_index_data")


def no_table(house: House) -> None:
    broken(house, "DROP TABLE spans")


def no_backlog(house: House) -> None:
    folder = house.store.backlog.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("a file is in the way")


def opening_fails(kind: Callable[..., TerrariumError]) -> Callable[[House], None]:
    def fail(house: House) -> None:
        path = house.store.path
        text = f"The database {path}: It is damaged. Repair it: sqlite3 {path} .recover"
        house.store.opening.fail(kind(path) if kind is NotAdopted else kind(text))

    return fail


STATES = [
    nothing, no_index, no_table, no_backlog,
    *map(opening_fails, [StoreFailed, Locked, IndexDamaged, NotOurs, NotAdopted, MigrationBlocked,
                         CopyFailed, WrongZone]),
]  # fmt: skip


@pytest.mark.parametrize("said", [True, False], ids=["something said", "nothing said"])
@pytest.mark.parametrize("spoil", STATES)
async def test_no_answer_names_a_path_or_a_command(
    house: House, spoil: Callable[[House], None], said: bool
) -> None:
    if said:
        await house.hears("<ada> tea\n<bo> green tea")
        await house.asks("create_enhancement_request", title="tea", summary="x")
    spoil(house)
    refused = 0
    for tool, arguments in CALLS:
        told = await house.asks(tool, **arguments)
        refused += told.failed
        assert not PATH.search(told.everything), (tool, told.everything)
        assert str(house.store.path.parent) not in told.everything
    assert refused >= 3


async def test_the_operator_reads_the_path_and_the_way_out_in_the_log(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.store.opening.fail(StoreFailed(f"{house.store.path} is a folder. Name a file with --db."))
    refused = await house.is_refused("get_channel_stats")
    assert refused == (
        "The history cannot be used at the moment."
        " The operator of this server can find the reason in its log."
    )
    assert f"{house.store.path} is a folder. Name a file with --db." in caplog.text


@pytest.mark.parametrize(
    "path", [Path("/var/lib/x/irc_logs.db"), Path("/home/ada/irc_logs.db")], ids=str
)
def test_a_path_would_be_noticed(path: Path) -> None:
    assert PATH.search(f"Nothing is recorded yet in {path}.")
    assert not PATH.search("No channel libera/#tea; https://example.org/x. 5/7, and/or")
