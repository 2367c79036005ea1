"""The view of a request: whatever a tool is asked, it shows no other room and no later time."""

import re
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.records import Member
from terrarium_mcp.chat.times.timestamps import to_iso
from tests.store.scene import NOON
from tests.tools.scene import ERAS, House, opened

MINUTE = timedelta(minutes=1)

# Three rooms whose names are near one another, a second network, and what must not be seen of them.
SECRETS = ("zaphod", "marvin", "heartofgold", "##tea", "#tea-secret", "elsewhere", "19777")
TEA = "<ada> green tea\n<bo> ada: tea at four\n<ada> fine"


@pytest.fixture(scope="module")
async def town(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One for all tests, which only ask."""
    async with opened(tmp_path_factory.mktemp("town")) as house:
        yield await settled(house)


async def settled(house: House) -> House:
    """Lines 1 to 6 are said in #tea, those from 19777 on in rooms that nobody should hear of."""
    first = await house.hears(TEA)
    async with house.store._database.writing() as writer:  # noqa: SLF001 -- ids that stand out
        await writer.run("UPDATE sqlite_sequence SET seq = 19776 WHERE name = 'messages'")
    await house.hears("<zaphod> green tea heartofgold\n<marvin> sigh", "##tea")
    await house.hears("<zaphod> green tea heartofgold", "#tea-secret")
    await house.hears("<marvin> green tea heartofgold", "#tea", network="elsewhere")
    assert first == [1, 2, 3]
    here, there = [Member("ada", "@"), Member("bo")], [Member("zaphod"), Member("marvin")]
    await house.store.presence.replace("net", "#tea", here, NOON)
    await house.store.presence.replace("net", "##tea", there, NOON)
    await house.store.presence.replace("elsewhere", "#tea", there, NOON)
    for network, channel in (("net", "#tea"), ("net", "##tea"), ("elsewhere", "#tea")):
        about = {"author": "", "network": network, "channel": channel}
        told = "a pot" if (network, channel) == ("net", "#tea") else "heartofgold"
        await house.store.backlog.create(told + channel, told, about=about, lines=[])
    return house


VIEWS = st.sampled_from(
    [
        {"channel": "#tea", "network": "net"},
        {"channel": "net/#tea"},
        {"channels": ["net/#tea"]},
        {"channels": ["#TEA"], "network": "NET"},
        {"channel": "tea", "network": "net"},
        {"channels": ["net/#tea", "#nowhere"], "channel": "net/#tea"},
    ]
)
ROOMS = st.sampled_from(
    ["", "#tea", "##tea", "tea", "#tea-secret", "elsewhere/#tea", "net/##tea", "elsewhere/", "*"]
)
IDS = st.sampled_from(
    ["", "1", "2", "19777", "19778", "19780", "terrarium://message/19777", "terrarium://message/3"]
)
WORDS = st.sampled_from(["", "tea", "green", "heartofgold", "from:zaphod", "sigh", '"green tea"'])
OPERATORS = st.sampled_from(["", " in:##tea", " in:elsewhere/#tea", " in:#tea-secret", " in:tea"])
CURSORS = st.sampled_from(["", "of another room"])
CALLS = st.one_of(
    st.tuples(
        st.just("search_irc_history"),
        st.fixed_dictionaries(
            {
                "query": st.tuples(WORDS, OPERATORS).map("".join),
                "channel": ROOMS,
                "context": st.integers(0, 5),
                "cursor": CURSORS,
                "sort": st.sampled_from(["relevance", "newest", "oldest"]),
                "format": st.sampled_from(["text", "json"]),
            }
        ),
    ),
    st.tuples(
        st.just("get_recent_irc_messages"),
        st.fixed_dictionaries(
            {
                "channel": ROOMS,
                "before_id": IDS,
                "after_id": IDS,
                "include_events": st.booleans(),
                "format": st.sampled_from(["text", "json"]),
            }
        ),
    ),
    st.tuples(st.just("get_message_context"), st.fixed_dictionaries({"message_id": IDS})),
    st.tuples(
        st.just("get_channel_stats"),
        st.fixed_dictionaries(
            {
                "channel": ROOMS,
                "nick": st.sampled_from(["", "", "ada", "zaphod"]),
                "query": st.tuples(WORDS, OPERATORS).map("".join),
                "per": st.sampled_from(["", "day", "month"]),
            }
        ),
    ),
    st.tuples(st.just("get_current_users"), st.fixed_dictionaries({"channel": ROOMS})),
    st.tuples(
        st.just("lookup_nick"),
        st.fixed_dictionaries({"nick": st.sampled_from(["ada", "zaphod", "marvn", "bo"])}),
    ),
    st.tuples(
        st.just("catch_up"),
        st.fixed_dictionaries(
            {
                "channel": ROOMS,
                "since": st.sampled_from(["", "2026-01-01", "1", "19777", "2h"]),
                "nick": st.sampled_from(["", "ada", "zaphod"]),
            }
        ),
    ),
    st.tuples(st.just("list_enhancement_requests"), st.just({})),
    st.tuples(
        st.just("read_enhancement_request"),
        st.fixed_dictionaries({"filename": st.sampled_from(["of another room", "x.md", ""])}),
    ),
)


@given(view=VIEWS, call=CALLS)
async def test_nothing_of_another_room_is_shown_whatever_is_asked(
    town: House, view: dict[str, Any], call: tuple[str, dict[str, Any]]
) -> None:
    tool, arguments = call[0], dict(call[1])
    told = await town.asks(tool, view, **await forged(town, arguments))
    given_names = " ".join(map(str, arguments.values()))
    for secret in SECRETS:
        if secret not in given_names:
            assert secret not in told.everything
        elif not told.failed:
            assert secret not in told.inside
            # such as "no one called zaphod is recorded here", and "zaphod is not known here"
            echoes = {"notes", "nick", "why", "summary"}
            facts = {key: value for key, value in told.facts.items() if key not in echoes}
            assert secret not in str(facts)


async def forged(town: House, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with a real cursor or filename of another room in them."""
    if arguments.get("cursor"):  # the same question, asked by somebody who may see every room
        page = await town.asks("search_irc_history", **{**arguments, "cursor": ""}, limit=1)
        found = re.search(r"cursor=(\S+)", page.text)
        arguments["cursor"] = found[1] if found else ""
    if arguments.get("filename") == "of another room":
        files = await town.store.backlog.all()
        arguments["filename"] = next(one.filename for one in files if "gold" in one.title)
    return arguments


@pytest.mark.parametrize(
    ("tool", "hidden", "missing"),
    [
        ("search_irc_history", {"query": "tea", "channel": "##tea"}, "#mate"),
        ("search_irc_history", {"query": "tea in:##tea"}, "#mate"),
        ("search_irc_history", {"query": "tea in:elsewhere/#tea"}, "nowhere/#tea"),
        ("get_recent_irc_messages", {"channel": "##tea"}, "#mate"),
        ("get_recent_irc_messages", {"after_id": "19777"}, "18777"),
        ("get_recent_irc_messages", {"before_id": "19777"}, "18777"),
        ("get_message_context", {"message_id": "19777"}, "18777"),
        ("get_message_context", {"message_id": "terrarium://message/19777"}, "18777"),
        ("get_channel_stats", {"channel": "elsewhere/#tea"}, "nowhere/#tea"),
        ("get_current_users", {"channel": "##tea"}, "#mate"),
        ("catch_up", {"channel": "##tea"}, "#mate"),
        ("catch_up", {"since": "19777"}, "18777"),
        ("read_enhancement_request", {"filename": "heartofgold"}, "x.md"),
    ],
)
async def test_what_is_hidden_is_answered_like_what_does_not_exist(
    town: House, tool: str, hidden: dict[str, str], missing: str
) -> None:
    view = {"channel": "net/#tea"}
    if tool == "read_enhancement_request":
        hidden = await forged(town, {"filename": "of another room"})
    argument, name = list(hidden.items())[-1]
    prefix, _, name = name.rpartition("in:") if argument == "query" else ("", "", name)
    other = {**hidden, argument: f"{prefix}in:{missing}" if prefix else missing}
    refused = await town.is_refused(tool, view, **hidden)
    nowhere = await town.is_refused(tool, view, **other)
    assert plainly(refused).replace(name, missing) == plainly(nowhere)


def plainly(refused: str) -> str:
    """An error without its guess at what was meant, which goes by the visible names alone."""
    guess = r" Did you mean (#tea|[-0-9]*-a-pot-tea\.md)\?| Known channels: #tea\."
    return re.sub(guess, "", refused)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_irc_history", {"query": "tea"}),
        ("get_recent_irc_messages", {}),
        ("get_message_context", {"message_id": "1"}),
        ("get_channel_stats", {}),
        ("get_current_users", {}),
        ("lookup_nick", {"nick": "ada"}),
        ("catch_up", {"since": "2026-01-01"}),
        ("list_enhancement_requests", {}),
    ],
)
async def test_an_empty_list_of_channels_shows_nothing(
    town: House, tool: str, arguments: dict[str, Any]
) -> None:
    told = await town.asks(tool, {"channels": []}, **arguments)
    assert "ada" not in told.everything
    assert "pot" not in told.everything
    if tool == "list_enhancement_requests":
        assert told.lines == []
    else:
        assert told.failed


async def test_under_an_empty_list_a_channel_is_unknown(town: House) -> None:
    refused = await town.is_refused("get_channel_stats", {"channels": []}, channel="#tea")
    assert refused.startswith("No channel #tea.")


async def test_a_view_of_several_channels_names_these_and_no_other(town: House) -> None:
    view = {"channels": ["net/#tea", "net/##tea"]}
    told = await town.learns("search_irc_history", view, query="green")
    assert set(told.ids) == {1, 19777}
    assert "#tea-secret" not in told.everything
    assert "elsewhere" not in told.everything


@pytest.mark.parametrize("era", ERAS)
async def test_the_view_counts_in_both_eras(tmp_path: Path, era: Any) -> None:
    async with opened(tmp_path, era=era) as house:
        await settled(house)
        told = await house.learns("get_recent_irc_messages", {"channel": "net/#tea"})
        assert told.ids == [1, 2, 3]
        refused = await house.is_refused("get_recent_irc_messages", {"chanel": "#tea"})
        assert "chanel" in refused


MALFORMED: tuple[Any, ...] = (
    {"chanel": "#tea"},
    {"channel": ""},
    {"channel": 7},
    {"channels": "#tea"},
    {"channels": [7]},
    {"channels": [""]},
    {"network": []},
    {"as_of": "yesterday"},
    {"as_of": -5},
    {"as_of": True},
    {"as_of": 10**30},
    {"as_of": 4_000_000},
    {"as_of": ""},
    {"as_of": "0001-01-01T00:00:00+14:00"},
    {"now": "soon"},
    {"max_tokens": 0},
    {"max_tokens": "many"},
    {"max_tokens": True},
    [],
    "#tea",
)


@pytest.mark.parametrize("view", MALFORMED, ids=str)
async def test_a_malformed_view_is_an_error_in_every_tool(town: House, view: Any) -> None:
    needed = {
        "search_irc_history": {"query": "tea"},
        "get_message_context": {"message_id": "1"},
        "search_web": {"query": "tea"},
        "create_enhancement_request": {"title": "a", "summary": "b"},
        "read_enhancement_request": {"filename": "x.md"},
        "lookup_nick": {"nick": "ada"},
    }
    tools = [tool.name for tool in (await town.client.list_tools()).tools]
    for tool in tools:
        refused = await town.is_refused(tool, view, **needed.get(tool, {}))
        assert "view" in refused
        assert not refused.startswith("Error executing tool")


@pytest.fixture(scope="module")
async def afternoon(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One for all tests that only ask."""
    async with opened(tmp_path_factory.mktemp("afternoon")) as house:
        yield await talked(house)


@pytest.fixture
async def own_afternoon(house: House) -> House:
    """One for a test in which more happens."""
    return await talked(house)


async def talked(house: House) -> House:
    """Lines 1 to 8, from 12:00 to 15:30 every half hour; the span goes on until 18:00."""
    spans = house.store.spans
    await spans.begin("net", "#tea", NOON - timedelta(days=1), "joined")
    for n in range(8):
        await house.hears(f"<nick{n + 1}> tea number{n + 1}", at=NOON + n * 30 * MINUTE)
    await spans.end("net", "#tea", NOON + timedelta(days=9), "lost")
    return house


CUTS: tuple[Any, ...] = (6, "6", "terrarium://message/6", "2026-05-01T14:30:00Z")


@pytest.mark.parametrize("as_of", CUTS)
async def test_a_cutoff_hides_that_line_and_all_later_ones(afternoon: House, as_of: Any) -> None:
    calls: list[tuple[str, Mapping[str, Any]]] = [
        ("search_irc_history", {"query": "tea", "format": "json"}),
        ("search_irc_history", {"query": "tea", "sort": "oldest", "format": "json"}),
        ("search_irc_history", {"query": "number5", "context": 5, "format": "json"}),
        ("search_irc_history", {"query": ""}),
        ("search_irc_history", {"query": "tea number7"}),
        ("get_recent_irc_messages", {"format": "json"}),
        ("get_recent_irc_messages", {"after_id": "4"}),
        ("get_recent_irc_messages", {"after_id": "5"}),
        ("get_message_context", {"message_id": "5"}),
        ("get_channel_stats", {}),
        ("get_current_users", {}),
        ("lookup_nick", {"nick": "nick5"}),
        ("catch_up", {"since": "2026-01-01"}),
        ("catch_up", {"nick": "nick2"}),
    ]
    for tool, arguments in calls:
        told = await afternoon.learns(tool, {"as_of": as_of}, **arguments)
        assert set(told.ids) <= {1, 2, 3, 4, 5}, tool
        later = told.everything.replace("number7: ", "").replace("tea number7", "")
        later = later.replace("no line holds number7", "")
        for hidden in ("number6", "number7", "number8", "nick6", "2026-05-10", "2026-05-02"):
            assert hidden not in later, tool


@pytest.mark.parametrize("as_of", CUTS)
@pytest.mark.parametrize("hidden", ["6", "7", "terrarium://message/8"])
async def test_a_line_behind_the_cutoff_is_answered_like_one_that_is_not_there(
    afternoon: House, as_of: Any, hidden: str
) -> None:
    absent = f"{hidden[:-1]}777"
    for tool, argument in (
        ("get_message_context", "message_id"),
        ("get_recent_irc_messages", "before_id"),
        ("get_recent_irc_messages", "after_id"),
        ("catch_up", "since"),
    ):
        refused = await afternoon.is_refused(tool, {"as_of": as_of}, **{argument: hidden})
        nowhere = await afternoon.is_refused(tool, {"as_of": as_of}, **{argument: absent})
        assert refused.replace(hidden, absent) == nowhere


async def test_a_cutoff_at_a_line_of_another_room_is_one_at_a_line_that_is_not_there(
    town: House,
) -> None:
    hidden = await town.is_refused("get_channel_stats", {"channel": "net/#tea", "as_of": 19777})
    nowhere = await town.is_refused("get_channel_stats", {"channel": "net/#tea", "as_of": 18777})
    assert hidden.replace("19777", "18777") == nowhere


async def test_a_room_of_which_nothing_was_recorded_before_the_cutoff_does_not_exist(
    own_afternoon: House,
) -> None:
    await own_afternoon.hears("<ada> hello", "#teapot", at=NOON + 90 * MINUTE)
    (told,) = (await own_afternoon.learns("get_channel_stats", {"as_of": 4})).facts["channels"]
    assert told["channel"] == "#tea"
    refused = await own_afternoon.is_refused("get_channel_stats", {"as_of": 4}, channel="#teapott")
    assert "#teapot " not in refused.replace("#teapott", "")
    assert "Did you mean #tea?" in refused or "Known channels: #tea." in refused


async def test_a_total_does_not_count_beyond_the_cutoff(afternoon: House) -> None:
    told = await afternoon.learns("search_irc_history", {"as_of": 6}, query="tea", limit=1)
    assert ": 1 of 5 hits in " in told.text
    assert "(4 more, " in told.text


async def test_figures_count_to_the_last_full_hour_before_the_cutoff(afternoon: House) -> None:
    for as_of, lines in ((8, 6), ("2026-05-01T15:00:00Z", 6), ("2026-05-01T14:59:59Z", 4)):
        told = await afternoon.learns("get_channel_stats", {"as_of": as_of})
        (figures,) = told.facts["channels"]
        assert figures["lines"] == lines == figures["last_24_hours"]


async def test_coverage_is_told_as_it_looked_at_the_cutoff(afternoon: House) -> None:
    told = await afternoon.learns("get_recent_irc_messages", {"as_of": 6})
    assert "recorded 2026-04-30 to now. Times UTC." in told.outside


@pytest.mark.parametrize("view", [{"as_of": 6}, {"now": "2026-05-01T14:30:00Z", "as_of": 6}])
async def test_the_cutoff_is_the_clock_that_hours_go_by(
    afternoon: House, view: dict[str, Any]
) -> None:
    told = await afternoon.learns("get_recent_irc_messages", view, hours=1)
    assert told.ids == [4, 5]
    told = await afternoon.learns("search_irc_history", view, hours=1, query="tea")
    assert told.ids == [5, 4]


async def test_now_moves_the_clock_that_hours_go_by(afternoon: House) -> None:
    view = {"now": "2026-05-01T13:00:00Z", "as_of": "2026-05-01T15:15:00Z"}
    told = await afternoon.learns("get_recent_irc_messages", view, hours=1)
    assert told.ids == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
async def test_a_clock_at_the_end_of_time_breaks_nothing(afternoon: House, moment: str) -> None:
    for view in ({"now": moment}, {"as_of": moment}):
        for tool in (
            *("get_recent_irc_messages", "get_channel_stats", "get_current_users"),
            "catch_up",
        ):
            hours = {"hours": 876_000} if tool == "get_recent_irc_messages" else {}
            told = await afternoon.asks(tool, view, **hours)
            nothing = "Nothing is recorded here that this request may read."
            assert not told.failed or (moment < "2026" and told.text == nothing)


async def test_a_question_asked_just_now_sees_who_is_there_live(house: House) -> None:
    now = datetime.now(UTC)
    await house.store.spans.begin("net", "#tea", now - timedelta(hours=1), "joined")
    await house.store.presence.replace("net", "#tea", [Member("ada")], now - timedelta(hours=1))
    (question,) = await house.hears("<ada> who is here?", at=now)
    late = [Member("ada"), Member("bo")]
    await house.store.presence.replace("net", "#tea", late, now + timedelta(seconds=1))
    told = await house.learns("get_current_users", {"channel": "#tea", "as_of": question})
    assert told.facts["live"] is True
    assert [user["nick"] for user in told.facts["users"]] == ["ada"]


async def test_long_ago_nobody_knows_who_was_there(own_afternoon: House) -> None:
    await own_afternoon.store.presence.replace("net", "#tea", [Member("zoe")], NOON - 9 * MINUTE)
    told = await own_afternoon.learns("get_current_users", {"as_of": 6})
    assert told.facts == {
        "users": [],
        "live": False,
        "as_of": "",
        "why_stale": "#tea: only the current members are known, not earlier ones",
    }


async def test_a_room_whose_first_line_comes_later_is_not_told_of_under_a_cutoff(
    afternoon: House,
) -> None:
    told = await afternoon.learns("search_irc_history", {"as_of": 1}, query="tea")
    assert "nothing found" in told.text


async def test_what_became_of_a_channel_after_the_question_is_not_told(house: House) -> None:
    now = datetime.now(UTC)
    await house.store.spans.begin("net", "#tea", now - timedelta(hours=1), "joined")
    (question,) = await house.hears("<ada> who is here?", at=now)
    later = now + timedelta(seconds=1)
    await house.store.presence.replace("net", "#tea", [Member("ada", since=NOON)], later)
    await house.store.spans.end("net", "#tea", later, "kicked by zaphod")
    told = await house.learns("get_current_users", {"channel": "#tea", "as_of": question})
    assert "zaphod" not in told.everything
    assert told.facts["live"] is True
    assert told.facts["as_of"] == to_iso(now)


async def test_a_nick_is_spelt_as_it_was_before_the_cutoff(own_afternoon: House) -> None:
    await own_afternoon.hears("<NICK1> tea\n<NICK1> tea", at=NOON + timedelta(hours=6))
    for as_of in ("2026-05-01T15:00:00Z", "2026-05-01T17:00:00Z"):
        told = await own_afternoon.learns("get_channel_stats", {"as_of": as_of})
        assert "nick1" in told.facts["top_talkers"]
        assert "NICK1" not in told.everything
    assert "NICK1" in (await own_afternoon.learns("get_channel_stats")).facts["top_talkers"]


async def test_nicks_that_came_after_the_cutoff_are_not_proposed(afternoon: House) -> None:
    told = await afternoon.learns("search_irc_history", {"as_of": 3}, query="from:nick9 tea")
    (note,) = (line for line in told.text.splitlines() if line.startswith("note: "))
    assert note == "note: no one called nick9 is recorded here; similar nicks: nick2, nick1"
