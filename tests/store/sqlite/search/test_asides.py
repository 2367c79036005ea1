"""The bot's own words and commands to it are no evidence, on any rung of the ladder."""

from collections.abc import AsyncIterator

import pytest

from terrarium_mcp.chat.records import Origin
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Rung, Sort
from tests.store.beginnings import holding
from tests.store.scene import NOON, chat, find, line_of, past, texts

SAID = "the greenhouse heater was moved to the shed, ask bo for the key"
TALK = f"""
<ada> {SAID}
<cy> a heater in the shed? :)
"""
ASKED = "<dee> !search greenhouse heater"
ANSWERED = f"<Terra> dee: 1 12:00 <ada> {SAID}"


async def six_times(store: Store) -> None:
    """The line, and six questions that the bot answers with it."""
    await store.messages.append(chat(TALK))
    for _ in range(6):
        await store.messages.append(chat(ASKED))
        await store.messages.append([line._replace(own=True) for line in chat(ANSWERED)])


@pytest.fixture(scope="module")
async def heard(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """The same in a store for tests that only ask."""
    async with holding(tmp_path_factory.mktemp("heard") / "irc_logs.db") as store:
        await six_times(store)
        yield store


@pytest.mark.parametrize(
    ("query", "rung"),
    [
        ("greenhouse heater", Rung.ALL_WORDS),
        ("heater", Rung.ALL_WORDS),
        ('"greenhouse heater"', Rung.ALL_WORDS),
        ("green*", Rung.ALL_WORDS),
        ("where was the greenhouse heater moved to?", Rung.ANY_WORD),
        ("greenhose", Rung.SIMILAR),
        ("type:privmsg heater", Rung.ALL_WORDS),
        ("-bicycle heater", Rung.ALL_WORDS),
        ("", Rung.EVERYTHING),
    ],
)
@pytest.mark.parametrize("sort", Sort)
async def test_however_it_is_asked_only_people_are_quoted(
    heard: Store, query: str, rung: Rung, sort: Sort
) -> None:
    hits = await find(heard, query, sort=sort)
    assert hits.messages
    assert {line.nick for line in hits.messages} <= {"ada", "cy"}
    assert SAID in texts(hits.messages)
    if sort is not Sort.RELEVANCE:
        assert hits.rung is rung


async def test_a_bounded_scan_leaves_them_out_too(store: Store) -> None:
    await six_times(store)
    await store.messages.append(chat("<dee> !search :)"))
    hits = await find(store, ":)")
    assert (hits.rung, [line.nick for line in hits.messages]) == (Rung.SCAN, ["cy"])
    assert hits.left_out == 1


@pytest.mark.parametrize(
    ("query", "left_out"),
    [
        ("greenhouse heater", 12),
        ('"greenhouse heater"', 12),
        ("search", 6),
        ("shed", 6),
        ("bicycle", 0),
        ("heater from:ada", 0),
        ("heater from:dee", 6),
        ("heater from:terra", 0),
        ("heater is:command", 0),
        ("heater mentions:dee", 6),
        ("heater after:2027", 0),
        ("", 12),
    ],
)
async def test_how_many_were_left_out_is_known(heard: Store, query: str, left_out: int) -> None:
    assert (await find(heard, query)).left_out == left_out


async def test_they_are_found_by_those_who_ask_for_them(store: Store) -> None:
    await six_times(store)
    own = await find(store, "from:terra heater")
    assert (own.total, all(line.own for line in own.messages)) == (6, True)
    commands = await find(store, "is:command")
    assert (commands.total, all(line.is_command for line in commands.messages)) == (6, True)
    assert (await find(store, "is:command heater from:dee")).total == 6
    assert (await find(store, "is:command shed")).total == 0
    assert (await find(store, '"search greenhouse" is:command')).total == 6
    assert (await find(store, "is:command what was the greenhouse heater?")).messages


async def test_the_pages_of_a_search_hold_every_line_but_them_once(store: Store) -> None:
    await store.messages.append([*past(40)])
    asked = [line._replace(origin=Origin.IMPORT, text=f"!search {line.text}") for line in past(40)]
    await store.messages.append(asked)
    assert (await find(store, "tea", limit=100)).total == 40
    assert (await find(store, "tea number 7")).left_out == 1
    few = await find(store, "tea", limit=7)
    assert (len(few.messages), few.total, few.left_out) == (7, 40, 40)


async def test_what_was_asked_after_the_end_of_the_search_is_not_counted(store: Store) -> None:
    await store.messages.append(chat(TALK))
    await store.messages.append([line_of("dee", "!search heater", NOON.replace(hour=15))])
    assert (await find(store, "heater before:2026-05-01T14:00:00Z")).left_out == 0
    assert (await find(store, "heater before:2026-05-01T16:00:00Z")).left_out == 1


async def test_a_neighbour_that_is_an_aside_does_not_raise_a_line(store: Store) -> None:
    talk = "\n".join(f"<ada> cup number {n}" for n in range(20))
    await store.messages.append(chat(f"{talk}\n<bo> I painted the old kettle"))
    await store.messages.append(
        chat(f"{talk}\n<cy> !search who painted the old kettle\n<dee> lunch is ready\n{talk}")
    )
    hits = await find(store, "who painted an old kettle", sort=Sort.RELEVANCE)
    assert hits.messages[0].text == "I painted the old kettle"
    assert "lunch is ready" not in texts(hits.messages)
