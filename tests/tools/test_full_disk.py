"""While the disk is full the newest lines are recorded and not indexed: no answer denies them."""

import pytest

from terrarium_mcp.store.sqlite.ingest import append
from tests.tools.scene import House

NOTE = "Neither searched nor counted: the newest 10 lines, as the server's disk is full."
LONG = "\n".join(f"<bo> {' '.join(f'{line}word{n}' for n in range(9_000))}" for line in range(9))


@pytest.fixture
async def full_house(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house whose disk was full before the newest lines were indexed."""
    monkeypatch.setattr(append, "SEVERAL", 20)  # the lines wait for the next read
    await house.hears("<bo> milk")
    assert (await house.learns("search_irc_history", query="milk")).ids == [1]
    await house.hears(f"{LONG}\n<ada> the kettle sings")
    await house.hears("<cy> elsewhere", channel="#mate")
    async with house.store._database.writing() as writer:  # noqa: SLF001 -- a full disk, made cheaply
        pages = await writer.value("PRAGMA page_count")
        await writer.rows(f"PRAGMA max_page_count={pages}")
    return house


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_irc_history", {"query": "kettle", "format": "json"}),
        ("get_channel_stats", {}),
        ("get_channel_stats", {"query": "kettle"}),
        ("lookup_nick", {"nick": "ada"}),
        ("catch_up", {"since": "2026-05-01"}),
    ],
)
async def test_an_answer_says_how_many_lines_are_neither_searched_nor_counted(
    full_house: House, tool: str, arguments: dict[str, object]
) -> None:
    view = {"network": "net", "channel": "#tea"}
    for _ in range(2):
        told = await full_house.learns(tool, view, **arguments)
        assert NOTE in told.outside
        assert NOTE in told.facts["covered"]


async def test_once_there_is_room_again_the_lines_are_found_and_no_answer_lacks_any(
    full_house: House,
) -> None:
    assert not (await full_house.learns("search_irc_history", query="kettle")).ids
    async with full_house.store._database.writing() as writer:  # noqa: SLF001 -- as above
        await writer.rows("PRAGMA max_page_count=1000000")
    told = await full_house.learns("search_irc_history", query="kettle")
    assert told.ids == [11]
    assert "disk is full" not in told.everything
