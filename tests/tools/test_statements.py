"""A call asks the database rarely: to hand a statement to a thread and back takes 0.1 ms."""

from math import inf

import pytest

from terrarium_mcp.store.sqlite.engine import brief_reads
from terrarium_mcp.store.sqlite.engine.database import READERS
from tests.store.scene import NOON, write
from tests.tools.scene import House

TALK = """
    <ada> the kettle sings
    <bo> nice weather
    <ada> nice tea
    <bo> nice mate
"""


@pytest.fixture(autouse=True)
def _a_slow_machine_is_no_reason_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the event loop cannot read in a millisecond is asked once more, in a thread."""
    monkeypatch.setattr(brief_reads, "BRIEF", inf)


async def statements(house: House, tool: str, **arguments: object) -> list[str]:
    """What a call asks the database that has been made before: the least of several."""
    asked: list[str] = []
    database = house.store._database  # noqa: SLF001 -- every connection that reads
    for _ in READERS:  # the keeper may use one
        await database._reading.acquire()  # noqa: SLF001 -- as above
    for _, reader in database._idle:  # noqa: SLF001 -- as above
        await reader.set_trace_callback(asked.append)
        database._reading.release()  # noqa: SLF001 -- as above
    assert database._brief  # noqa: SLF001 -- as above
    database._brief._connection.set_trace_callback(asked.append)  # noqa: SLF001 -- as above
    calls = []
    for _ in range(6):  # during some of them the keeper may ask or commit something
        asked.clear()
        await house.learns(tool, **arguments)
        # Those with -- are FTS5's own; the PRAGMA asks shared memory, and no thread.
        calls.append([sql for sql in asked if not sql.startswith(("--", "PRAGMA data_version"))])
    return min(calls, key=len)


@pytest.mark.parametrize(
    ("tool", "arguments", "count"),
    [
        ("search_irc_history", {"query": "kettle"}, 2),  # what is indexed, and the line
        ("get_recent_irc_messages", {"channel": "#tea", "limit": 20}, 1),
        ("get_channel_stats", {"channel": "#tea"}, 1),
    ],
)
async def test_a_call_needs_few_statements_while_nothing_is_said(
    house: House, tool: str, arguments: dict[str, object], count: int
) -> None:
    await house.store.spans.begin("net", "#tea", NOON, "joined")
    await house.hears(TALK)
    await house.hears("<cy> elsewhere", channel="#mate")
    asked = await statements(house, tool, **arguments)
    assert len(asked) == count, asked


async def test_catching_up_somebody_looks_their_nick_up_once(house: House) -> None:
    await house.store.spans.begin("net", "#tea", NOON, "joined")
    await house.hears(TALK)
    asked = await statements(house, "catch_up", nick="ada")
    assert len(asked) == 3, asked  # two for their own lines, and one for what was said
    unknown = await house.learns("catch_up", nick="adda")
    assert "note: no one called adda is recorded here; similar nicks: ada" in unknown.outside


async def test_what_another_process_adds_is_in_the_very_next_answer(house: House) -> None:
    await house.hears(TALK)
    recent = "get_recent_irc_messages"
    assert (await house.is_refused(recent, channel="#mate")).startswith("No channel #mate.")
    assert "nothing recorded yet" in (await house.learns(recent)).outside
    file = house.store.path
    write(file, "INSERT INTO rooms (network, folded, channel) VALUES ('net', '#mate', '#mate')")
    write(
        file,
        "INSERT INTO spans (room, began, alive, why_began)"
        " SELECT id, '2026-05-01 12:00:00.000', '2026-05-01 12:00:00.000', 'joined' FROM rooms",
    )
    assert "recorded 2026-05-01" in (await house.learns(recent, channel="#mate")).outside
    assert "in #mate, #tea" in (await house.learns(recent)).outside


async def test_what_is_kept_for_one_view_is_not_shown_to_another(house: House) -> None:
    await house.store.spans.begin("net", "#mate", NOON, "joined")
    await house.hears(TALK)
    await house.hears("<cy> elsewhere", channel="#mate")
    recent = "get_recent_irc_messages"
    for _ in range(2):
        both = await house.learns(recent)
        assert "in #mate, #tea" in both.outside
        tea = await house.learns(recent, {"channel": "#tea"})
        assert "in #tea" in tea.outside
        assert "mate" not in tea.outside
        refused = await house.is_refused(recent, {"channel": "#tea"}, channel="#mate")
        assert refused == "No channel #mate. Known channels: #tea."
