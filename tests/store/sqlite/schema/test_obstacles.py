"""What an owner added that would keep lines from being written is named before one is lost."""

# ruff: noqa: ASYNC240  # small files, and nobody else waits for this loop

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from terrarium_mcp.store import examine, make_backup, open_store
from terrarium_mcp.store.sqlite.schema import CURRENT, NamesTaken, Obstructed
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
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


async def remedies(file: Path) -> list[str]:
    """The statements that the refusal of a file prints, in their order."""
    with pytest.raises(NamesTaken) as refused:
        await can_be_used(file)
    [listed] = re.findall(r"\(((?:ALTER|DROP) .*);\)", str(refused.value))
    return str(listed).split("; ")


async def can_be_used(file: Path) -> bool:
    """Whether a line can be written into a file, which is migrated or adopted first."""
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        return bool(await store.messages.append(chat("<zoe> still here")))


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


IN_THE_WAY = (
    ("v7", "CREATE TABLE dialogues (mine)", "table dialogues", "migrated"),
    ("v12", "CREATE TABLE Talk_Counts (mine)", "table Talk_Counts", "migrated"),
    ("v4", "CREATE TABLE msgid_index_data (mine)", "table msgid_index_data", "migrated"),
    ("v6", "CREATE INDEX spans_by_import ON spans (source)", "index spans_by_import on spans",
     "migrated"),
    ("", "CREATE TABLE topics (mine)", "table topics", "adopted"),
    ("", "CREATE VIEW runs AS SELECT 1 AS one", "view runs", "adopted"),
    ("", "CREATE UNIQUE INDEX mine ON messages (id, nick)", "index mine on messages", ""),
    ("", "CREATE TRIGGER mine AFTER INSERT ON messages BEGIN SELECT 1; END",
     "trigger mine on messages", ""),
)  # fmt: skip


@pytest.mark.parametrize(("name", "sql", "named", "cannot_be"), IN_THE_WAY)
async def test_what_is_in_the_way_of_a_migration_or_adoption_is_named_before_it_begins(
    file: Path, name: str, sql: str, named: str, cannot_be: str
) -> None:
    if name:
        stored(name, file)
    else:
        sample.make(file, 9)
    write(file, sql)
    write(file, "PRAGMA journal_mode=DELETE")
    before = file.read_bytes()
    with pytest.raises(NamesTaken if cannot_be else Obstructed, match=named) as refused:
        async with open_store(file, SETTINGS, adopt=True) as store:
            await store.opening.wait(PATIENCE)
    assert f"cannot be {cannot_be}" in str(refused.value) or not cannot_be
    assert file.read_bytes() == before
    assert not [*file.parent.glob("*before*")]
    assert contents(file) == str(refused.value)
    [remedy] = re.findall(r"\(((?:ALTER|DROP) .*);\)", str(refused.value))
    write(file, remedy)
    async with open_store(file, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)
        assert await store.messages.append(chat("<zoe> still here"))


MINE = ("CREATE TABLE my_topics (mine)", "CREATE VIEW My_Topics_2 AS SELECT 1 AS one")


@pytest.mark.parametrize(("beside", "free"), [(MINE[:1], "my_topics_2"), (MINE, "my_topics_3")])
async def test_a_table_in_the_way_is_renamed_to_the_first_name_that_is_free(
    file: Path, beside: Sequence[str], free: str
) -> None:
    sample.make(file, 9)
    for sql in (*beside, "CREATE TABLE topics (mine)"):
        write(file, sql)
    [remedy] = await remedies(file)
    assert remedy == f'ALTER TABLE "topics" RENAME TO "{free}"'
    write(file, remedy)
    assert await can_be_used(file)


SEVERAL = (
    (
        "v4",
        ["CREATE VIRTUAL TABLE msgid_index USING fts5 (mine)"],
        ['ALTER TABLE "msgid_index" RENAME TO "my_msgid_index"'],
    ),
    (
        "v4",
        [
            "CREATE VIRTUAL TABLE Msgid_Index USING fts4 (mine)",
            "CREATE TABLE my_msgid_index_segments (mine)",
        ],
        ['ALTER TABLE "Msgid_Index" RENAME TO "my_Msgid_Index_2"'],
    ),
    (
        "v5",
        [
            "CREATE VIEW opt_outs AS SELECT 1 AS one",
            "CREATE VIEW w AS SELECT one FROM opt_outs",
            "CREATE TABLE imports (mine)",
        ],
        ['ALTER TABLE "imports" RENAME TO "my_imports"', 'DROP VIEW "opt_outs"'],
    ),
    (
        "",
        [
            "CREATE TABLE topics (mine)",
            "CREATE INDEX spans_by_import ON topics (mine)",
            "CREATE VIEW runs AS SELECT mine FROM topics",
            "CREATE TRIGGER word_new INSTEAD OF INSERT ON runs BEGIN SELECT 1; END",
        ],
        [
            'DROP TRIGGER "word_new"',
            'DROP INDEX "spans_by_import"',
            'ALTER TABLE "topics" RENAME TO "my_topics"',
            'DROP VIEW "runs"',
        ],
    ),
)


@pytest.mark.parametrize(("name", "added", "printed"), SEVERAL)
async def test_the_statements_against_all_that_is_in_the_way_work_in_the_order_printed(
    file: Path, name: str, added: Sequence[str], printed: Sequence[str]
) -> None:
    if name:
        stored(name, file)
    else:
        sample.make(file, 9)
    for sql in added:
        write(file, sql)
    assert await remedies(file) == printed
    for sql in printed:
        write(file, sql)
    assert await can_be_used(file)


async def test_an_adoption_names_what_has_a_name_of_ours_and_what_may_refuse_a_line_at_once(
    file: Path,
) -> None:
    sample.make(file, 9)
    for sql in (
        "CREATE TABLE topics (mine)",
        "CREATE UNIQUE INDEX mine ON messages (id, nick)",
        "CREATE UNIQUE INDEX messages_by_msgid ON messages (id, host)",
    ):
        write(file, sql)
    printed = await remedies(file)
    assert printed == [
        'DROP INDEX "mine"',
        'DROP INDEX "messages_by_msgid"',
        'ALTER TABLE "topics" RENAME TO "my_topics"',
    ]
    said = contents(file)
    assert "its index messages_by_msgid on messages, table topics, made by another hand" in said
    assert "refused by index mine on messages, index messages_by_msgid on messages." in said
    for sql in printed:
        write(file, sql)
    assert await can_be_used(file)


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
