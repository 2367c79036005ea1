"""What an owner added that would keep lines from being written is named before one is lost."""

# ruff: noqa: ASYNC240  # small files, and nobody else waits for this loop

from datetime import UTC, datetime
from pathlib import Path

import pytest

from terrarium_mcp.store import examine, make_backup, open_store
from terrarium_mcp.store.sqlite.schema import CURRENT, Obstructed
from tests.patience import PATIENCE
from tests.store.files.stored import stored
from tests.store.scene import SETTINGS, chat, write

REFUSING = (
    ("CREATE UNIQUE INDEX mine ON messages (timestamp, nick, message)", "index mine on messages"),
    ("CREATE UNIQUE INDEX mine ON words (word, lines)", "index mine on words"),
    (
        "CREATE TRIGGER mine BEFORE INSERT ON messages BEGIN SELECT raise(abort, 'no'); END",
        "trigger mine on messages",
    ),
    (
        "CREATE TRIGGER mine AFTER DELETE ON nick_counts BEGIN SELECT raise(abort, 'no'); END",
        "trigger mine on nick_counts",
    ),
)


def contents(file: Path) -> str:
    """What the doctor says is wrong with a file."""
    [fact] = [one for one in examine(file, datetime.now(UTC))[0].facts if one.wrong]
    return fact.text


@pytest.mark.parametrize(("sql", "named"), REFUSING)
@pytest.mark.parametrize("name", ["v1", f"v{CURRENT}", f"v{CURRENT}-adopted"])
async def test_what_may_refuse_a_line_is_named_with_the_way_out_before_one_is_lost(
    file: Path, name: str, sql: str, named: str
) -> None:
    stored(name, file)
    write(file, sql)
    write(file, "PRAGMA journal_mode=DELETE")  # so that only the file itself can be changed
    before = file.read_bytes()
    with pytest.raises(Obstructed, match=f"added by another hand: {named}.") as refused:
        async with open_store(file, SETTINGS) as store:
            await store.opening.wait(PATIENCE)
    assert file.read_bytes() == before
    assert contents(file) == str(refused.value)
    remedy = f'DROP {sql.split()[1].replace("UNIQUE", "INDEX")} "mine"'
    assert f"({remedy};)" in str(refused.value)
    write(file, remedy)
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        assert await store.messages.append(chat("<zoe> still here"))


async def test_what_refuses_no_line_of_ours_may_stay(file: Path) -> None:
    stored(f"v{CURRENT}-adopted", file)
    for sql in (
        "CREATE TABLE shopping (item TEXT UNIQUE)",
        "CREATE UNIQUE INDEX once ON shopping (item)",
        "CREATE TRIGGER bought AFTER DELETE ON shopping BEGIN SELECT raise(abort, 'no'); END",
        "CREATE UNIQUE INDEX once_each ON conversation_history (id, channel)",
        "CREATE INDEX by_account ON messages (account)",
        "CREATE VIEW speakers AS SELECT DISTINCT nick FROM messages",
    ):
        write(file, sql)
    async with open_store(file, SETTINGS) as store:
        assert await store.messages.append(chat("<zoe> still here"))


def test_a_file_that_is_not_used_can_be_backed_up(file: Path, tmp_path: Path) -> None:
    stored(f"v{CURRENT}", file)
    write(file, REFUSING[0][0])
    assert (
        make_backup(file, tmp_path / "copy.tar", lambda *_: None, compress=False).schema == CURRENT
    )
