"""Whatever is typed into a search is answered: with lines, with none, or with a way out."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from terrarium_mcp.store import PurgeTarget
from tests.store.scene import NOON, line_of, redact
from tests.tools.scene import House, opened

TALK = """
    <alice> green tea at four, and "quoted" it is
    <bo> SELECT tea FROM messages
    <carol> (tea) AND NOT sugar
    <dan> \U0001f375\U0001f375 c++
"""

ODD = {
    "a quote": '"',
    "an open quote": '"green tea',
    "quotes in quotes": '""tea"" """',
    "an apostrophe": "'; DROP TABLE messages; --",
    "operators alone": "AND OR NOT",
    "a minus alone": "-",
    "only excluded": "-tea -sugar",
    "operators without values": "from: in: mentions: has: type: after: before: on:",
    "stars": "* ** te* *",
    "SQL": "' UNION SELECT message FROM messages WHERE '1'='1",
    "FTS syntax": 'message : tea NEAR("green" "tea", 2) ^four {nick}:a + b',
    "an FTS column": 'scope:"r1" OR rowid:1',
    "10 kB of emoji": "\U0001f375" * 2_500,
    "10 kB of single emoji": "\U0001f375 " * 2_000,
    "10 kB of one word": "tea" * 3_400,
    "NUL": "te\0a \0",
    "bidi and colours": "\u202etea\x02\x0304,01",
    "many branches": " OR ".join(f"word{n}" for n in range(1_000)),
    "many phrases": " ".join(f'"tea {n}"' for n in range(1_000)),
    "many excluded": "tea " + " ".join(f"-word{n}" for n in range(1_000)),
    "many channels": "tea " + "in:#tea " * 1_000,
    "many nicks": "tea " + " ".join(f"from:nick{n}" for n in range(1_000)),
    "parentheses": "(" * 3_000 + "tea" + ")" * 3_000,
    "a wildcard": "%tea_",
    "a long number": "9" * 5_000,
    "a brace": "{tea} [green] <four>",
}


async def furnish(house: House) -> None:
    """Something to find, among a few thousand other lines."""
    await house.hears(TALK)
    await house.store.messages.append(
        [line_of(f"nick{n % 50}", f"word{n} tea{n}", NOON + timedelta(1)) for n in range(3_000)]
    )


@pytest.fixture(scope="module")
async def tea_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One for all tests that only ask."""
    async with opened(tmp_path_factory.mktemp("tea_house")) as house:
        await furnish(house)
        yield house


@pytest.mark.parametrize("sort", ["relevance", "newest", "oldest"])
@pytest.mark.parametrize("what", ODD)
async def test_odd_queries_are_answered(tea_house: House, what: str, sort: str) -> None:
    told = await tea_house.learns("search_irc_history", query=ODD[what], sort=sort, limit=5)
    assert told.text.startswith("search")
    assert len(told.text) < 20_000
    assert len(told.ids) <= 5


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ('"', None),
        ('"green tea', "green tea at four"),
        ("SELECT tea FROM", "SELECT tea FROM messages"),
        ("(tea) AND NOT sugar", "(tea) AND NOT sugar"),
        ("\U0001f375", "c++"),
        ("te\0a\0 green four", "green tea at four"),
        ('"tea sugar" OR "green tea"', "green tea at four"),
    ],
)
async def test_what_can_be_found_in_them_is(tea_house: House, query: str, text: str | None) -> None:
    told = await tea_house.learns("search_irc_history", query=query, limit=3)
    shown = told.lines[1] if told.lines else ""
    assert text is None or text in shown


async def test_lone_surrogates_are_read_as_spaces(tea_house: House) -> None:
    """JSON itself cannot carry them, a client in the same process can."""
    asked = "green\ud800tea \udfff"
    told = await tea_house.asks("search_irc_history", query=asked)
    assert told.failed or "green tea" in told.text
    assert "Traceback" not in told.text


@pytest.mark.parametrize(
    "when", ["2026-02-30", "2026-13", "2026-00-00", "31 february", "0000", "99h99", "never"]
)
@pytest.mark.parametrize("operator", ["before", "after", "on"])
async def test_a_date_that_does_not_exist_is_text_and_that_is_said(
    tea_house: House, operator: str, when: str
) -> None:
    typed = f"{operator}:{when}"
    told = await tea_house.learns("search_irc_history", query=f"green tea {typed}")
    word = typed.split(maxsplit=1)[0]
    assert f"note: {word} was read as text: write a time as 2026-05-01" in told.outside


async def test_a_thousand_branches_are_cut_and_that_is_said(tea_house: House) -> None:
    told = await tea_house.learns("search_irc_history", query=ODD["many branches"], limit=3)
    assert "note: only the first 64 words, phrases and names were used" in told.outside
    assert len(told.ids) == 3


@pytest.mark.parametrize("operator", ["from", "mentions"])
async def test_a_nick_that_nobody_has_is_named_with_the_nearest(
    tea_house: House, operator: str
) -> None:
    told = await tea_house.learns("search_irc_history", query=f"tea {operator}:alise")
    assert "note: no one called alise is recorded here; similar nicks: alice\n" in told.outside


@pytest.mark.parametrize("tool", ["lookup_nick", "catch_up", "get_channel_stats"])
async def test_a_nick_of_a_megabyte_is_refused(tea_house: House, tool: str) -> None:
    refused = await tea_house.is_refused(tool, nick="a" * 10**6)
    assert refused.endswith("aaa...: A nick has 4,096 characters at most.")


@pytest.mark.parametrize("arguments", [{"channel": "#tae"}, {"query": "tea in:#tae"}])
async def test_an_unknown_channel_is_named_with_the_nearest(
    tea_house: House, arguments: dict[str, str]
) -> None:
    refused = await tea_house.is_refused("search_irc_history", **{"query": "tea", **arguments})
    assert refused == "No channel #tae. Did you mean #tea?"


async def test_several_channels_in_one_are_told_the_query_for_all_of_them(house: House) -> None:
    await house.hears("<ada> tea")
    await house.hears("<ada> more tea", channel="#dev")
    refused = await house.is_refused("search_irc_history", query="tea", channel="#tea, #dev")
    assert "write in:#tea,#dev in the query of search_irc_history" in refused
    told = await house.learns("search_irc_history", query="tea in:#tea,#dev", sort="oldest")
    assert told.ids == [1, 2]


async def test_the_id_of_a_removed_line_says_so(house: House) -> None:
    await house.hears(TALK)
    await redact(house.store, 1)
    for scope in ("channel", "conversation"):
        told = await house.asks("get_message_context", message_id=1, scope=scope)
        assert "green tea" not in told.text
        assert "removed" in told.text
    await house.store.removal.purge(PurgeTarget("bo"), asked_by="bo", at=NOON)
    refused = await house.is_refused("get_message_context", message_id=2)
    assert refused.startswith("No message 2. The id is the number at the start of each line")


@pytest.mark.parametrize("number", [9_999_999, 0, -1, 2**80, "x", "1; DROP", ""])
async def test_an_id_of_no_line_is_refused_with_the_way_out(
    tea_house: House, number: object
) -> None:
    refused = await tea_house.is_refused("get_message_context", message_id=number)
    assert re.search(r"[Mm]essage|id", refused)
    assert "Traceback" not in refused
    assert "sqlite" not in refused.lower()


@pytest.mark.parametrize(
    "cursor", ["x", "A" * 9_000, "x\0", "WzRd", "\U0001f375", "=", "../../etc"]
)
async def test_a_cursor_of_nobody_is_refused_with_the_way_out(
    tea_house: House, cursor: str
) -> None:
    refused = await tea_house.is_refused("search_irc_history", query="tea", cursor=cursor)
    assert refused == "This cursor is damaged. Leave it out to begin at the first page."
