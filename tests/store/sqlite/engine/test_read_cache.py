"""What every call reads is kept, and never beyond the next commit of any process."""

from pathlib import Path

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.store import Store
from terrarium_mcp.store.sqlite.engine.database import Database
from terrarium_mcp.store.sqlite.engine.read_cache import ReadCache
from tests.store.scene import NOON, chat, room, write

ADD_A_ROOM = "INSERT INTO rooms (network, folded, channel) VALUES ('net', '#mate', '#Mate')"


class Shelf:
    """Something that is read: every reading is counted."""

    def __init__(self) -> None:
        self.readings: list[str] = []

    async def read(self, name: str) -> int:
        self.readings.append(name)
        return len(self.readings)


async def test_a_value_is_read_once_for_each_key_until_something_is_committed(
    database: Database, file: Path
) -> None:
    shelf = Shelf()
    cache = ReadCache(database, shelf.read)
    assert [await cache.get(name) for name in ("tea", "mate", "tea", "mate")] == [1, 2, 1, 2]
    write(file, ADD_A_ROOM)
    assert [await cache.get(name) for name in ("tea", "tea")] == [3, 3]


async def test_a_commit_of_another_process_is_seen_by_the_next_call(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> hello"))
    assert [known.channel for known in await store.rooms.all()] == ["#tea"]
    write(file, ADD_A_ROOM)
    assert [known.channel for known in await store.rooms.all()] == ["#Mate", "#tea"]
    write(file, "UPDATE rooms SET channel = '#TEA' WHERE channel = '#tea'")
    assert [known.channel for known in await store.rooms.all()] == ["#Mate", "#TEA"]


async def test_coverage_knows_the_last_heartbeat_that_another_process_wrote(
    store: Store, file: Path
) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    rooms = [await room(store)]
    assert (await store.spans.coverage(rooms, now=NOON)).spans[0].ended == NOON
    write(file, "UPDATE spans SET alive = '2026-05-01 12:00:20.000'")
    (span,) = (await store.spans.coverage(rooms, now=NOON)).spans
    assert f"{span.ended:%H:%M:%S}" == "12:00:20"


async def test_rooms_have_a_coverage_each(store: Store) -> None:
    await store.spans.begin("net", "#tea", NOON, "joined")
    await store.messages.append(chat("<ada> hello", channel="#mate"))
    mate, tea = await store.rooms.all()
    counts = [
        len((await store.spans.coverage(rooms)).spans) for rooms in ([tea], [mate], [mate, tea], [])
    ]
    assert counts == [1, 0, 1, 0]


async def test_a_value_that_a_commit_overtook_while_it_was_read_is_not_kept(
    database: Database, file: Path
) -> None:
    shelf = Shelf()

    async def overtaken(name: str) -> int:
        number = await shelf.read(name)
        if number == 1:
            write(file, ADD_A_ROOM)
            assert await cache.get("another call") == 2
        return number

    cache = ReadCache(database, overtaken)
    assert await cache.get("tea") == 1
    assert await cache.get("tea") == 3
    assert await cache.get("another call") == 2


async def test_nothing_is_kept_while_commits_cannot_be_noticed(database: Database) -> None:
    shelf = Shelf()
    cache = ReadCache(database, shelf.read)
    assert await cache.get("tea") == 1
    assert database._brief is not None  # noqa: SLF001 -- as if its file were locked
    database._brief._connection.close()  # noqa: SLF001
    assert [await cache.get("tea"), await cache.get("tea")] == [2, 3]


async def test_many_keys_do_not_pile_up(database: Database) -> None:
    shelf = Shelf()
    cache = ReadCache(database, shelf.read)
    for number in range(1_000):
        await cache.get(f"{number}")
    assert len(cache._values) < 100  # noqa: SLF001 -- what it holds


async def test_a_room_is_found_by_any_spelling_of_its_name(store: Store) -> None:
    await store.messages.append(chat("<ada> hello", channel="#Tea[1]"))
    directory = await store.rooms.directory()
    (known,) = directory.rooms
    for name in ("#Tea[1]", "tea[1]", "#TEA{1}", fold(known.channel)):
        assert directory.named(("", name)) == (known,)
