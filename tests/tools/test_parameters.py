"""Parameters forgive what models do."""

import inspect
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import to_iso
from terrarium_mcp.tools.parameters import Hours
from tests.store.scene import NOON, line_of
from tests.tools.scene import House, opened

TALK = """
    <ada> tea at four
    <bo> tea at five
    <ada> tea at six
"""
OPTIONAL = {
    "search_irc_history": (
        {"query": "tea"},
        ["channel", "hours", "limit", "sort", "context", "cursor", "format"],
    ),
    "get_recent_irc_messages": (
        {},
        ["channel", "limit", "hours", "before_id", "after_id", "include_events", "format"],
    ),
    "get_message_context": ({"message_id": "1"}, ["scope", "before", "after", "format"]),
    "get_channel_stats": ({}, ["channel", "nick", "query", "after", "before", "per"]),
    "get_current_users": ({}, ["channel"]),
    "catch_up": ({}, ["channel", "since", "nick", "max_tokens"]),
}


@pytest.fixture(scope="module")
async def talked_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One in which TALK was said, for all tests that only ask."""
    async with opened(tmp_path_factory.mktemp("talked_house")) as house:
        await house.hears(TALK)
        yield house


@pytest.mark.parametrize("absent", [None, "", "null", " null "])
@pytest.mark.parametrize("tool", OPTIONAL)
async def test_null_and_empty_read_as_absent(
    talked_house: House, tool: str, absent: str | None
) -> None:
    needed, optional = OPTIONAL[tool]
    clock = {"now": to_iso(NOON + timedelta(hours=1))}
    plainly = await talked_house.learns(tool, clock, **needed)
    told = await talked_house.learns(tool, clock, **needed, **dict.fromkeys(optional, absent))
    assert told.lines == plainly.lines
    assert told.facts == plainly.facts


@pytest.mark.parametrize("absent", [None, "", "null"])
async def test_an_absent_number_of_web_results_is_the_usual(
    talked_house: House, absent: str | None
) -> None:
    refused = await talked_house.is_refused("search_web", query="tea", max_results=absent)
    assert "SEARCH_API_URL" in refused


@pytest.mark.parametrize("absent", [None, "", "null"])
async def test_an_absent_query_lists_the_newest_lines(
    talked_house: House, absent: str | None
) -> None:
    told = await talked_house.learns("search_irc_history", query=absent)
    assert told.ids == [3, 2, 1]
    assert told.text.startswith("search: 3 of 3 hits in #tea (every line, newest first)\n")


@pytest.mark.parametrize("two", [2, "2", 2.0, "2.0", " 2 "])
async def test_a_number_may_come_in_any_dress(talked_house: House, two: Any) -> None:
    told = await talked_house.learns("get_recent_irc_messages", limit=two)
    assert told.ids == [2, 3]


@pytest.mark.parametrize(
    ("flag", "events"),
    [
        *((yes, True) for yes in (True, "true", "True", "yes", "on", 1, "1", 1.0)),
        *((no, False) for no in (False, "false", "False", "no", "off", 0, "0", 0.0)),
    ],
)
async def test_a_flag_may_come_in_any_dress(house: House, flag: Any, events: bool) -> None:
    said = await house.hears(TALK)
    join = line_of("cy", "", NOON + timedelta(hours=1), kind=MessageType.JOIN)
    joined = await house.store.messages.append([join])
    told = await house.learns("get_recent_irc_messages", include_events=flag)
    assert told.ids == (said + joined if events else said)


@pytest.mark.parametrize(
    ("tool", "arguments", "note"),
    [
        (
            "search_irc_history",
            {"query": "tea", "limit": 100_000},
            "note: limit=100000 is not within 1 to 100: 100 was used",
        ),
        (
            "search_irc_history",
            {"query": "tea", "limit": "-3"},
            "note: limit=-3 is not within 1 to 100: 1 was used",
        ),
        (
            "search_irc_history",
            {"query": "tea", "context": 9, "hours": 10**30},
            (
                "note: hours=over 10^12 is not within 0 to 876000: 876000 was used\n"
                "note: context=9 is not within 0 to 5: 5 was used"
            ),
        ),
        (
            "search_irc_history",
            {"query": "tea", "limit": 1e19, "hours": 1e308},
            (
                "note: hours=over 10^12 is not within 0 to 876000: 876000 was used\n"
                "note: limit=over 10^12 is not within 1 to 100: 100 was used"
            ),
        ),
        (
            "get_recent_irc_messages",
            {"limit": 0},
            "note: limit=0 is not within 1 to 500: 1 was used",
        ),
        (
            "get_message_context",
            {"message_id": 1, "before": -1, "after": 101},
            (
                "note: before=-1 is not within 0 to 100: 0 was used\n"
                "note: after=101 is not within 0 to 100: 100 was used"
            ),
        ),
        (
            "catch_up",
            {"max_tokens": "9000"},
            "note: max_tokens=9000 is not within 250 to 4000: 4000 was used",
        ),
    ],
)
async def test_a_number_out_of_range_is_clamped_and_said(
    talked_house: House, tool: str, arguments: dict[str, Any], note: str
) -> None:
    told = await talked_house.learns(tool, **arguments)
    assert f"\n{note}\n" in told.outside


async def test_a_number_within_its_range_needs_no_note(talked_house: House) -> None:
    told = await talked_house.learns(
        "search_irc_history", query="tea", limit=100, context=5, hours=0
    )
    assert "note:" not in told.text


@pytest.mark.parametrize("spelling", ["@ada", "<ada>", "ada:", " +ADA, "])
async def test_a_nick_may_be_written_as_lists_and_sentences_show_it(
    talked_house: House, spelling: str
) -> None:
    looked_up = await talked_house.learns("lookup_nick", nick=spelling)
    assert looked_up.facts["channels"][0]["lines"] == 2
    counted = await talked_house.learns("get_channel_stats", nick=spelling)
    assert counted.facts["lines"] == 2
    clock = {"now": to_iso(NOON + timedelta(hours=3))}
    missed = await talked_house.learns("catch_up", clock, nick=spelling)
    assert missed.facts["why"].lower().startswith("when ada was last active")


@pytest.mark.parametrize("form", [int, str, float, "terrarium://message/{}".format, " {} ".format])
async def test_a_message_may_be_named_by_number_or_permalink(house: House, form: Any) -> None:
    ids = await house.hears(TALK)
    told = await house.learns("get_message_context", message_id=form(ids[1]), before=0, after=0)
    assert told.ids == [ids[1]]
    told = await house.learns("get_recent_irc_messages", before_id=form(ids[1]))
    assert told.ids == [ids[0]]
    told = await house.learns("get_recent_irc_messages", after_id=form(ids[1]))
    assert told.ids == [ids[2]]


@pytest.mark.parametrize("wrong", ["", "abc", "-1", "99999", "9" * 40, "1; DROP TABLE messages"])
async def test_an_id_that_is_not_there_is_explained(talked_house: House, wrong: str) -> None:
    refused = await talked_house.is_refused("get_message_context", message_id=wrong)
    assert refused.startswith(f"No message {wrong or '(empty)'}. The id is the number")


@pytest.mark.parametrize("spelling", ["#tea", "tea", "#TEA", "net/#tea", "NET/tea", " #tea "])
async def test_a_channel_may_be_spelt_in_many_ways(house: House, spelling: str) -> None:
    tea = await house.hears(TALK)
    await house.hears("<eve> tea with mate", channel="#mate")
    told = await house.learns("get_recent_irc_messages", channel=spelling)
    assert told.ids == tea


@pytest.mark.parametrize(
    "choice", [{"sort": "NEWEST"}, {"sort": " newest "}, {"format": "Text", "sort": "Newest"}]
)
async def test_a_choice_may_be_written_in_capitals(house: House, choice: dict[str, str]) -> None:
    ids = await house.hears(TALK)
    told = await house.learns("search_irc_history", query="tea", **choice)
    assert told.ids == ids[::-1]


async def test_text_that_no_database_holds_is_still_a_question(talked_house: House) -> None:
    told = await talked_house.learns("search_irc_history", query="te\0a \ud800 “four”")
    assert not told.failed


def test_the_scene_covers_every_optional_parameter() -> None:
    from terrarium_mcp.tools.digest import catch_up
    from terrarium_mcp.tools.reading import get_message_context, get_recent_irc_messages
    from terrarium_mcp.tools.search import search_irc_history

    for tool in (search_irc_history, get_recent_irc_messages, get_message_context, catch_up):
        needed, optional = OPTIONAL[tool.__name__]
        assert {*needed, *optional, "request"} == set(inspect.signature(tool).parameters)


async def test_hours_may_be_written_as_elsewhere(house: House) -> None:
    await house.hears("<ada> tea at four", at=datetime.now(UTC) - timedelta(hours=1))
    for hours in ("2h", "2 hours", "2"):
        told = await house.learns("search_irc_history", query="tea", hours=hours)
        assert told.lines[-1].endswith("<ada> tea at four")


@pytest.mark.parametrize(
    ("typed", "hours"),
    [
        ("2h", 2),
        ("24 hours ago", 24),
        ("7d", 168),
        ("1 day", 24),
        ("last 3 days", 72),
        ("a week", 168),
        ("two weeks", 336),
        ("30m", 1),
        ("90 min", 2),
        ("1 Month", 720),
        ("1y", 8_760),
        ("9" * 9 + "h", 876_000),
    ],
)
def test_hours_may_be_a_time_in_any_unit(typed: str, hours: int) -> None:
    assert TypeAdapter(Hours).validate_python(typed) == hours


async def test_lines_of_the_last_days_are_read(house: House) -> None:
    await house.hears("<ada> tea at four", at=datetime.now(UTC) - timedelta(days=6))
    for tool in ("get_recent_irc_messages", "search_irc_history"):
        asked = {"query": "tea"} if tool.startswith("search") else {}
        assert (await house.learns(tool, hours="7d", **asked)).ids == [1]
        assert (await house.learns(tool, hours="1 day", **asked)).ids == []


async def test_a_nick_may_be_written_as_a_query_has_it(house: House) -> None:
    await house.hears("<ada> tea\n<bo> tea\n<cy> tea")
    for typed in ("from:ada", "From:@ada", "ada"):
        told = await house.learns("get_channel_stats", nick=typed)
        assert "from:ada" in told.text
        assert "from:from" not in told.text
    told = await house.learns("get_channel_stats", nick="from:ada,from:bo", query="tea")
    assert "2 lines" in told.text
