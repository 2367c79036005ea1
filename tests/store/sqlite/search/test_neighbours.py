"""The lines around the candidates of a question are compared with its rooms once."""

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.store import Store
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.engine.reads import Params, Reads, Row
from terrarium_mcp.store.sqlite.search.fts_query import restriction_query
from terrarium_mcp.store.sqlite.search.neighbours import Neighbours
from tests.store.scene import chat


class Recorded(Reads):
    """The statements that run."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self.statements: list[str] = []

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        self.statements.append(sql)
        return await self._reads.rows(sql, params)


async def neighbours_of(store: Store, reads: Reads, *, all_rooms: bool) -> Neighbours:
    rooms = await store.rooms.all()
    scope = SearchScope(query=Query(), rooms=rooms, all_rooms=all_rooms)
    return Neighbours(reads, scope, 100, restriction_query(Query(), scope.narrowed_rooms))


async def test_neighbours_are_in_the_room_of_their_line_which_is_compared_once(
    store: Store,
) -> None:
    await store.messages.append(chat("<ada> tea?\n<bo> at four\n<cy> fine"))
    reads = Recorded(store._database)  # noqa: SLF001 -- as a search reads
    neighbours = await neighbours_of(store, reads, all_rooms=False)
    [line] = await neighbours.lines([2])
    [passage] = await neighbours.around([line])
    assert [one.text for one in passage] == ["tea?", "at four", "fine"]
    assert ["m.room IN" in sql for sql in reads.statements] == [True, False, False]


async def test_for_a_question_of_all_rooms_no_line_is_compared_with_them(store: Store) -> None:
    await store.messages.append(chat("<ada> tea?\n<bo> at four"))
    reads = Recorded(store._database)  # noqa: SLF001 -- as a search reads
    neighbours = await neighbours_of(store, reads, all_rooms=True)
    assert [line.text for line in await neighbours.lines([2, 1])] == ["at four", "tea?"]
    assert not any("m.room IN" in sql for sql in reads.statements)
