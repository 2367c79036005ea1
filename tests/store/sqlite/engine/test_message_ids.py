"""Ids of messages rise, and none is used twice, whoever inserts and whatever is deleted."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium_mcp.store import PurgeTarget, Store, open_store
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.sqlite.engine import message_ids
from terrarium_mcp.store.sqlite.removal.batched_delete import delete_messages
from tests.conftest import STORIES
from tests.store.scene import NOON, SETTINGS, chat, find, line_of, rows_of, texts, write

SEQUENCE = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"
BLOCK = 5


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_ids, "BLOCK", BLOCK)


async def said(store: Store, count: int = 1, nick: str = "ada") -> list[int]:
    """The ids of lines said alone."""
    return [
        number
        for _ in range(count)
        for number in await store.messages.append(chat(f"<{nick}> tea"))
    ]


async def purged(store: Store, nick: str) -> None:
    await store.removal.purge(PurgeTarget(nick), asked_by="ada", at=NOON)


def said_by_another_program(file: Path) -> int:
    write(file, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'dee', 'milk')")
    return int(rows_of(file, "SELECT max(id) FROM messages")[0][0])


async def test_lines_said_alone_have_consecutive_ids_and_the_sequence_changes_once_a_block(
    store: Store, file: Path
) -> None:
    sequence = []
    for number in range(1, 12):
        assert await said(store) == [number]
        sequence += rows_of(file, SEQUENCE)
    assert sequence == [(5,)] * 5 + [(10,)] * 5 + [(15,)]


async def test_many_lines_reserve_all_their_blocks_at_once(store: Store, file: Path) -> None:
    assert await store.messages.append(chat("<ada> tea\n" * 12)) == [*range(1, 13)]
    assert rows_of(file, SEQUENCE) == [(15,)]


@pytest.mark.parametrize("lines", [4, 5, 6])
async def test_the_id_of_the_newest_line_is_not_used_again_once_it_is_purged(
    store: Store, lines: int
) -> None:
    await said(store, lines - 1)
    (newest,) = await said(store, nick="bo")
    await purged(store, "bo")
    (following,) = await said(store)
    assert following > newest
    assert await said(store, 3) == [following + 1, following + 2, following + 3]


async def test_another_program_begins_behind_the_block_and_lines_follow_its_own(
    store: Store, file: Path
) -> None:
    await said(store, 2)
    assert said_by_another_program(file) == 6
    assert await said(store, 2) == [7, 8]


async def test_a_line_said_after_another_program_deleted_the_newest_is_found(
    store: Store, file: Path
) -> None:
    await said(store, 3)
    assert await store.differences() == []  # indexes them
    write(file, "DELETE FROM messages")
    async with open_store(file, SETTINGS) as other:  # which has not given these ids
        await other.messages.append(chat("<bo> mate"))
    assert texts((await find(store, "mate")).messages) == ["mate"]


async def test_the_id_of_a_private_line_is_not_used_again(store: Store, file: Path) -> None:
    private = line_of("bo", "psst", channel="ada")
    for _ in range(3):
        await store.messages.append([private])
    assert await said(store) > [3]
    ids = "SELECT id FROM private_messages UNION ALL SELECT id FROM messages"
    numbers = rows_of(file, ids)
    assert len(numbers) == len({*numbers}) == 4


@given(st.lists(st.sampled_from(["ada", "bo", "both", "other", "private", "purge"]), max_size=12))
@settings(
    max_examples=STORIES,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # ids go on rising
)
async def test_ids_rise_whatever_happens(store: Store, file: Path, events: list[str]) -> None:
    async with open_store(file, SETTINGS) as second:
        for event in events:
            (newest,) = rows_of(file, "SELECT ifnull(max(id), 0) FROM messages")[0]
            match event:
                case "ada" | "bo":
                    assert min(await said(store, nick=event)) > newest
                case "both":
                    assert await said(store) < await said(second)
                case "other":
                    assert said_by_another_program(file) > newest
                case "private":
                    await store.messages.append([line_of("bo", "psst", channel="ada")])
                case _:
                    await purged(store, "bo")
                    assert min(await said(store)) > newest
        assert await store.differences() == []


async def test_where_no_line_is_deleted_the_sequence_is_not_written(
    store: Store, file: Path
) -> None:
    await said(store)
    async with store._database.writing() as writer:  # noqa: SLF001 -- no purge has an empty batch
        await delete_messages(writer, [99])
    assert rows_of(file, SEQUENCE) == [(BLOCK,)]


async def test_a_line_that_was_not_saved_takes_no_id(store: Store, file: Path) -> None:
    await said(store)
    trigger = "CREATE TRIGGER full BEFORE INSERT ON messages"
    write(file, f"{trigger} BEGIN SELECT RAISE(ABORT, 'no'); END")
    for _ in range(3):
        with pytest.raises(StoreFailed, match="no"):
            await said(store)
    write(file, "DROP TRIGGER full")
    assert await said(store) == [2]
