"""Pages of a search, and of the log itself: every line once, none lost, while talk goes on."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.records import Origin
from tests.conftest import EXAMPLES
from tests.store.scene import NOON, chat, line_of
from tests.tools.scene import House, Told

SORTS = ["newest", "oldest", "relevance"]
anybody = settings(
    max_examples=max(3, EXAMPLES // 12),  # of each of twelve searches
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


async def nothing_new() -> None:
    """The talk has ended."""


async def pages(
    house: House,
    view: Mapping[str, Any],
    meanwhile: Callable[[], Awaitable[None]] = nothing_new,
    /,
    **arguments: Any,
) -> AsyncIterator[Told]:
    """All pages of a search; between two of them something happens."""
    cursor = ""
    while True:
        page = await house.learns(
            "search_irc_history", view, **arguments, cursor=cursor, format="json"
        )
        yield page
        cursor = page.facts["next_cursor"]
        if not cursor:
            return
        assert f"next: cursor={cursor}" in page.outside
        await meanwhile()


@pytest.fixture
async def talk(house: House) -> House:
    """Forty lines with tea, every third with green tea too, among others, some at one moment."""
    lines = [
        line_of(
            f"nick{n % 5}",
            f"line {n}" + " tea" * (n % 2) + " green" * (n % 3 == 0) + " word" * (n % 11),
            NOON + timedelta(minutes=n // 3),
        )
        for n in range(80)
    ]
    await house.store.messages.append(lines)
    return house


@pytest.mark.parametrize("query", ["tea", "", "green tea word zebra", '"line 7" tea'])
@pytest.mark.parametrize("sort", SORTS)
@given(budget=st.integers(180, 700), limit=st.sampled_from([1, 3, 20, 100]))
@anybody
async def test_every_hit_is_shown_once_whatever_the_budget(
    talk: House, query: str, sort: str, budget: int, limit: int
) -> None:
    asked = {"query": query, "sort": sort, "channel": "#tea"}
    at_once = [
        number
        async for page in pages(talk, {"max_tokens": 100_000}, **asked, limit=100)
        for number in page.ids
    ]
    shown: list[int] = []
    async for page in pages(talk, {"max_tokens": budget}, **asked, limit=limit):
        assert page.facts["hits"] == [str(number) for number in page.ids]
        assert page.facts["hits"] == [message["id"] for message in page.facts["messages"]]
        shown += page.ids
    assert shown == at_once


@pytest.mark.parametrize("query", ["tea", "", "green tea word zebra"])
@pytest.mark.parametrize("sort", SORTS)
async def test_talk_that_goes_on_neither_repeats_nor_hides_a_line(
    talk: House, query: str, sort: str
) -> None:
    async def meanwhile() -> None:
        await talk.hears("<ada> green tea and more tea", at=NOON + timedelta(days=1))
        await talk.store.messages.append(
            chat("<bo> an old tea, played back", at=NOON, origin=Origin.PLAYBACK)
        )
        await talk.hears("<ada> tea in a new room", channel=f"#new{len(await rooms(talk))}")

    asked = {"query": query, "sort": sort}
    at_once = [
        number
        async for page in pages(talk, {"max_tokens": 100_000}, **asked, limit=100)
        for number in page.ids
    ]
    shown: list[int] = []
    async for page in pages(talk, {"max_tokens": 400}, meanwhile, **asked):
        shown += page.ids
    assert shown == at_once


async def rooms(house: House) -> list[str]:
    return [room.channel for room in await house.store.rooms.all()]


@pytest.mark.parametrize("sort", SORTS)
async def test_every_hit_is_shown_once_among_its_context(talk: House, sort: str) -> None:
    asked = {"query": "green", "sort": sort}
    at_once = await talk.learns("search_irc_history", {"max_tokens": 100_000}, **asked, limit=100)
    hits: list[str] = []
    async for page in pages(talk, {"max_tokens": 300}, **asked, context=3):
        assert set(page.facts["hits"]) <= {str(number) for number in page.ids}
        hits += page.facts["hits"]
    assert hits == [str(number) for number in at_once.ids]


async def test_a_hit_that_fits_nowhere_is_named_and_passed_over(house: House) -> None:
    text = "tea " + "x" * 3_000
    ids = [
        *await house.hears("<ada> tea one"),
        *await house.store.messages.append([line_of("bo", text, NOON + timedelta(minutes=1))]),
        *await house.hears("<ada> tea two", at=NOON + timedelta(minutes=2)),
    ]
    told = [page async for page in pages(house, {"max_tokens": 200}, query="tea")]
    assert [page.ids for page in told] == [[ids[2]], [], [ids[0]]]
    assert f"message {ids[1]} alone is longer than that" in told[1].outside
    assert "left out: the farthest line, to stay within 200 tokens" in told[1].outside


async def test_the_count_of_what_is_left_is_right_where_it_is_told(talk: House) -> None:
    told = [page async for page in pages(talk, {}, query="green", limit=10)]
    assert [len(page.ids) for page in told] == [10, 10, 7]
    assert " (17 more, about " in told[0].outside
    assert " more, " not in told[1].outside
    assert "next:" not in told[2].outside


async def test_the_time_of_the_first_page_does_not_move_on(house: House) -> None:
    await house.hears("12:00 <ada> tea one\n12:01 <ada> tea two\n12:02 <ada> tea three")
    asked = {"query": "tea", "hours": 1, "limit": 1, "format": "json"}
    first = await house.learns("search_irc_history", {"now": "2026-05-01T12:50:00Z"}, **asked)
    asked["cursor"] = first.facts["next_cursor"]
    second = await house.learns("search_irc_history", {"now": "2026-05-01T13:30:00Z"}, **asked)
    assert [first.ids, second.ids] == [[3], [2]]


@pytest.mark.parametrize(
    "other",
    [{"query": "green"}, {"sort": "oldest"}, {"hours": 9}, {"channel": "#tea"}, {"query": "TEA x"}],
)
async def test_a_cursor_belongs_to_its_question(talk: House, other: dict[str, Any]) -> None:
    asked = {"query": "tea", "limit": 5}
    first = await talk.learns("search_irc_history", **asked, format="json")
    refused = await talk.is_refused(
        "search_irc_history", **{**asked, "cursor": first.facts["next_cursor"], **other}
    )
    assert refused.startswith("This cursor belongs to another question.")


@pytest.mark.parametrize("cursor", ["x", "AAAA", "W10", "null null", "9" * 500, "é"])
async def test_a_damaged_cursor_is_an_error_that_says_so(talk: House, cursor: str) -> None:
    refused = await talk.is_refused("search_irc_history", query="tea", cursor=cursor)
    assert refused.startswith("This cursor is damaged.")


@pytest.mark.parametrize("budget", [200, 260, 400, 4_000])
async def test_the_log_can_be_read_backwards_without_losing_a_line(
    talk: House, budget: int
) -> None:
    view, before, seen = {"max_tokens": budget}, "", list[int]()
    while True:
        page = await talk.learns("get_recent_irc_messages", view, before_id=before, limit=30)
        seen = page.ids + seen
        before = str(page.ids[0])
        if "next: nothing earlier |" in page.outside:
            break
        assert f"next: before_id={before} |" in page.outside
    assert seen == list(range(1, 81))


@pytest.mark.parametrize("budget", [200, 260, 400, 4_000])
async def test_the_log_can_be_read_onwards_without_losing_a_line(talk: House, budget: int) -> None:
    view, after, seen = {"max_tokens": budget}, "1", list[int]()
    while True:
        page = await talk.learns("get_recent_irc_messages", view, after_id=after, limit=30)
        seen += page.ids
        after = str(page.ids[-1])
        if f"next: nothing newer yet than {after} |" in page.outside:
            break
        assert f"next: after_id={after} |" in page.outside
    assert seen == list(range(2, 81))


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("budget", [1, 150])
async def test_a_page_of_the_log_has_a_line_at_any_budget(
    house: House, budget: int, form: str
) -> None:
    ids = await house.hears("\n".join(f"<ada> line {n} {'tea ' * 90}" for n in range(5)))
    asked, view = {"limit": 3, "format": form}, {"max_tokens": budget}
    back, onward = list[int](), [ids[0]]
    while len(back) < len(ids):
        before = back[0] if back else ""
        page = await house.learns("get_recent_irc_messages", view, before_id=before, **asked)
        assert "..." in page.inside
        back = page.ids + back
    assert back == ids
    while len(onward) < len(ids):
        page = await house.learns("get_recent_irc_messages", view, after_id=onward[-1], **asked)
        onward += page.ids
    assert onward == ids
