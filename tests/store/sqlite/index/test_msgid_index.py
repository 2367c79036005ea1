"""A msgid finds its message wherever that is, and costs next to nothing to keep."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.engine.functions import msgid_word
from terrarium_mcp.store.sqlite.schema import migrate
from tests.conftest import STORIES
from tests.patience import PATIENCE
from tests.store.files.stored import stored
from tests.store.scene import SETTINGS, chat, differences, line_of, rows_of, write

LATER = datetime(2026, 6, 1, tzinfo=UTC)
UPTO = "SELECT upto FROM derived WHERE name = 'msgids'"


def tagged(msgid: str, text: str = "hello", channel: str = "#tea") -> NewMessage:
    return line_of("ada", text, channel=channel)._replace(msgid=msgid)


def replayed(line: NewMessage) -> NewMessage:
    return line._replace(origin=Origin.PLAYBACK, text="as a bouncer edited it")


async def test_playback_is_known_whether_its_line_is_indexed_or_waits(
    store: Store, file: Path
) -> None:
    await store.messages.append([tagged("one")])
    assert await differences(store) == []
    await store.messages.append([tagged("two")])
    assert rows_of(file, UPTO) == [(1,)], "one line is indexed, the other waits for its group"
    again = [replayed(tagged("one")), replayed(tagged("two")), replayed(tagged("three"))]
    assert await store.messages.append(again) == [0, 0, 3]


@pytest.mark.parametrize("upto", [-1, 0])
async def test_playback_is_known_while_the_index_is_rebuilt(file: Path, upto: int) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([tagged("one"), tagged("two")])
        assert await differences(store) == []
    write(file, "INSERT INTO msgid_index (msgid_index) VALUES ('delete-all')")
    write(file, "UPDATE derived SET upto = ? WHERE name = 'msgids'", (upto,))
    async with open_store(file, SETTINGS) as store:
        assert await store.messages.append([replayed(tagged("two"))]) == [0]
        assert await differences(store) == []
        assert await store.messages.append([replayed(tagged("one"))]) == [0]


async def test_msgids_that_share_a_hash_are_told_apart(store: Store, file: Path) -> None:
    await store.messages.append([tagged("one"), tagged("two")])
    assert await differences(store) == []
    sharing = "INSERT INTO msgid_index (rowid, msgid) VALUES (-2, ?)"
    write(file, sharing, (msgid_word(1, "three"),))
    assert not await store.removal.redact("net", "#tea", "three", asked_by="op", at=LATER)
    assert await store.messages.append([replayed(tagged("three"))]) == [3]


async def test_a_redacted_line_is_still_known_by_its_msgid(store: Store) -> None:
    await store.messages.append([tagged("one"), tagged("two")])
    assert await differences(store) == []
    assert await store.removal.redact("net", "#tea", "one", asked_by="op", at=LATER)
    assert await differences(store) == []
    assert await store.messages.append([replayed(tagged("one"))]) == [0]


@settings(max_examples=STORIES)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["", "a", "A", "a\0b", '"', "\ud800", "?", "caf\u00e9", "x" * 300]),
                st.sampled_from(["#tea", "#mate", "nobody"]),
                st.booleans(),
            ),
            max_size=8,
        ),
        max_size=6,
    ),
    st.integers(0, 5),
)
@example([[("a\0b", "#tea", False)], [("a\0b", "#tea", True)]], 0)
async def test_of_each_msgid_a_room_gets_one_line_by_playback(
    tmp_path_factory: pytest.TempPathFactory,
    appends: list[list[tuple[str, str, bool]]],
    indexed_after: int,
) -> None:
    """A lone surrogate is stored as `?`, so these two are one msgid."""
    known = set[tuple[str, str]]()
    async with open_store(tmp_path_factory.mktemp("msgids") / "irc_logs.db", SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        for number, append in enumerate(appends):
            lines, expected = [], list[bool]()
            for at, (msgid, channel, is_replayed) in enumerate(append):
                line = tagged(msgid, f"line {number} {at}", channel)
                lines.append(line._replace(origin=Origin.PLAYBACK) if is_replayed else line)
                name = channel, msgid.replace("\ud800", "?")
                is_private = channel == "nobody"
                in_this_append = {
                    (one[1], one[0].replace("\ud800", "?")) for one in append[:at] if one[0]
                }
                is_known = name in in_this_append or (name in known and not is_private)
                expected.append(not (is_replayed and msgid and is_known))
            ids = await store.messages.append(lines)
            assert [bool(one) for one in ids] == expected
            known |= {(one[1], one[0].replace("\ud800", "?")) for one in append if one[0]}
            if number == indexed_after:
                assert await differences(store) == []


async def test_a_line_with_a_msgid_writes_as_little_as_one_without(
    store: Store, file: Path
) -> None:
    wal = file.with_name(f"{file.name}-wal")

    async def written(lines: list[NewMessage]) -> int:
        before = wal.stat().st_size
        for line in lines:
            await store.messages.append([line])
        return wal.stat().st_size - before

    await store.messages.append(chat("<ada> hello"))
    plain = [line_of("ada", f"line {number:02} {UUID(int=number).hex}") for number in range(30)]
    without = await written(plain)
    named = [line._replace(text=line.text[:7], msgid=uuid4().hex) for line in plain]
    assert await written(named) < without + 10 * 4_096


@pytest.mark.parametrize("msgid", ["", "id-2"])
async def test_a_file_of_version_4_finds_its_msgids(file: Path, msgid: str) -> None:
    stored("v4", file)
    if not msgid:
        write(file, "UPDATE messages SET msgid = NULL")
    async with open_store(file, SETTINGS) as store:
        await store.opening.wait(PATIENCE)
        line = tagged(msgid or "id-2", channel="#tea")._replace(origin=Origin.PLAYBACK)
        assert (await store.messages.append([line]) == [0]) is bool(msgid)


def test_a_file_without_msgids_is_not_indexed_again(file: Path) -> None:
    stored("v4", file)
    write(file, "UPDATE messages SET msgid = NULL")
    migrate(file, SETTINGS, lambda _: None, adopt=False)
    assert rows_of(file, UPTO) == rows_of(file, "SELECT upto FROM derived WHERE name = 'messages'")
    assert rows_of(file, "SELECT count(*) > 9 FROM messages") == [(1,)]


async def test_a_damaged_index_keeps_no_playback_from_being_recorded(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await store.messages.append([tagged("one"), tagged("two")])
        assert await differences(store) == []
    write(file, "UPDATE msgid_index_data SET block = x'ffff' WHERE id > 10")
    async with open_store(file, SETTINGS) as store:
        assert await store.messages.append([replayed(tagged("one")), tagged("three")]) == [0, 3]
        await store.rebuild(["msgids"])
        assert await store.messages.append([replayed(tagged("three"))]) == [0]
        assert await differences(store) == []
