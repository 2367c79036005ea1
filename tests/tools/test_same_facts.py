"""Text and structured content say the same, and each keeps to the budget, in every tool."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.chat.coverage import Gap
from terrarium_mcp.chat.records import Member, MessageType, Origin
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.times.timestamps import from_iso, to_iso
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.chat.transcript import RenderOptions, fenced, from_json
from terrarium_mcp.settings import Settings
from tests.store.scene import NOON, chat, redact
from tests.store.scene import line_of as said
from tests.tools.scene import House, Told, furnished, moved_into, opened

HOUR = timedelta(hours=1)
BUDGETS = [300, 450, 900, 4_000]
LEFT_OUT = re.compile(
    r"left out: the (?P<which>\w+) (?:(?P<count>\d+) lines|line), to stay within \d+ tokens"
)

Call = tuple[str, Mapping[str, Any]]

SEARCHES: list[Call] = [
    ("search_irc_history", arguments)
    for arguments in (
        {"query": "tea"},
        {"query": "tea", "sort": "oldest", "limit": 3},
        {"query": "tea kettle number"},
        {"query": "what did ada say about the kettle?"},
        {"query": "tea from:nobody"},
        {"query": "tea from:adda", "limit": 500},
        {"query": "frmo: has: on:never tea AND kettle", "hours": -3},
        {"query": "zebra"},
        {"query": ""},
        {"query": "kettle", "context": 2, "limit": 4},
        {"query": "kettel"},
        {"query": "\N{TEACUP WITHOUT HANDLE}"},
        {"query": "word", "channel": "#long"},
    )
]
READINGS: list[Call] = [
    ("get_recent_irc_messages", arguments)
    for arguments in (
        {},
        {"channel": "#tea"},
        {"channel": "#tea", "include_events": True, "limit": 1_000},
        {"channel": "#tea", "after_id": "3"},
        {"channel": "#tea", "before_id": "12", "limit": 4},
        {"channel": "#tea", "before_id": "1"},
        {"channel": "#tea", "hours": 1},
        {"channel": "#long"},
        {"channel": "#quiet"},
    )
]
LONG_TALK = "250"
"""A message with more of its conversation on both sides than is read around one."""

CONTEXTS: list[Call] = [
    ("get_message_context", arguments)
    for arguments in (
        {"message_id": "20"},
        {"message_id": "1", "before": 500, "after": 0},
        {"message_id": "30", "scope": "conversation"},
        {"message_id": "1", "scope": "conversation"},
        {"message_id": LONG_TALK, "scope": "conversation"},
        {"message_id": LONG_TALK, "scope": "conversation", "before": 1},
        {"message_id": "41", "before": 40, "after": 40},
    )
]


async def furnish(house: House) -> None:
    """Talk of several kinds in several rooms, with gaps, events and a removed line."""
    spans = house.store.spans
    await spans.begin("net", "#tea", NOON - HOUR, "joined")
    lines = [
        said(
            ("ada", "bo", "cy")[n % 3],
            f"tea number {n}" + " and the kettle" * (n % 4 == 0) + f" {'long ' * (n % 7)}",
            NOON + n * timedelta(minutes=1),
            kind=(MessageType.PRIVMSG, MessageType.ACTION, MessageType.NOTICE)[n % 3],
        )
        for n in range(40)
    ]
    await house.store.messages.append(lines)
    await spans.end("net", "#tea", NOON + HOUR, "lost")
    await spans.begin("net", "#tea", NOON + 3 * HOUR, "joined")
    await house.hears("<bo> tea after the gap\n<ada> bo: which kettle?", at=NOON + 4 * HOUR)
    await house.store.messages.append(
        [
            said("dee", "", NOON + 5 * HOUR, kind=MessageType.JOIN),
            said("bo", "ada too loud", NOON + 5 * HOUR, kind=MessageType.KICK),
        ]
    )
    await house.hears("<ada> tea \u8336 \N{TEACUP WITHOUT HANDLE} for all", at=NOON + 6 * HOUR)
    await house.hears("\n".join(f"<eve> word {'x' * 380}" for _ in range(9)), "#long")
    await house.store.messages.append(
        [said("zoe", "tea of old", NOON - 900 * HOUR, "#mate", origin=Origin.IMPORT)]
    )
    await spans.begin("net", "#quiet", NOON, "joined")
    await house.hears("<ada> bo: tea\n<bo> ada: tea\n" * 200, "#talk")
    await redact(house.store, 7)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return furnished(tmp_path_factory.mktemp("history"), furnish)


@pytest.fixture(scope="module")
async def house(history: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One for all tests that only ask."""
    async with moved_into(history, tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture
async def own_house(history: Path, tmp_path: Path) -> AsyncIterator[House]:
    async with moved_into(history, tmp_path) as house:
        yield house


def as_printed(told: Told) -> str:
    """The structured content as a host prints it."""
    return json.dumps(told.facts, ensure_ascii=False)


def left_out_of(told: Told) -> int:
    """How many lines the text says it left out."""
    found = LEFT_OUT.search(told.outside)
    return int(found["count"] or 1) if found else 0


def which_left_out_of(told: Told) -> str:
    """Which lines the text says it left out."""
    found = LEFT_OUT.search(told.outside)
    return found["which"] if found else ""


def transcript_of(facts: Mapping[str, Any]) -> list[str]:
    """The lines in the fence, as the structured content tells them."""
    messages = [from_json(message) for message in facts["messages"]]
    gaps = [Gap(from_iso(gap["began"]), from_iso(gap["ended"])) for gap in facts["gaps"]]
    rooms_named = re.search(r" in (\d+ channels|\S+, )", facts["summary"]) is not None
    networks_named = "/#" in facts["summary"]
    options = RenderOptions(
        zone=UTC, budget=10**9, rooms_named=rooms_named, networks_named=networks_named
    )
    ids = {f"{message.id}" for message in messages}
    shown = fenced(messages, options, head=[], gaps=gaps).text.splitlines()[1:-1]
    assert ids <= {line.split(" ")[0] for line in shown}
    return shown


def says_the_same(told: Told, onward: Sequence[str]) -> None:
    """Every line of a text follows from the structured content, and nothing is missing."""
    facts = told.facts
    rows = list(filter(None, told.outside.splitlines()))
    assert rows[0].endswith(facts["summary"])  # after the query, which the caller knows
    known = [rows[0], facts["covered"], *facts["notes"], *onward]
    if facts["left_out"]:
        assert left_out_of(told) == facts["left_out"]
    assert which_left_out_of(told) == facts.get("which_left_out", "")
    unexplained = [row for row in rows if row not in known and not LEFT_OUT.fullmatch(row)]
    assert not unexplained, told.text
    assert not [line for line in known if line not in rows], told.text
    if facts["messages"]:
        assert told.lines == transcript_of(facts)
    else:
        assert told.ids == []


def search_onward(facts: Mapping[str, Any], context: int) -> list[str]:
    """How the text of a search goes on below the fence."""
    hits = facts["hits"]
    if not hits:  # perhaps not yet, where not all lines could be examined
        return [f"next: cursor={facts['next_cursor']}"] if facts["next_cursor"] else []
    rows = [f"hits: {', '.join(hits)}"] if context else []
    if not facts["messages"]:
        rows = [f"message {hits[0]} alone is longer than that"]
    if facts["next_tokens"]:
        left = int(facts["total"].replace(",", "")) - len(hits)
        more = f" ({left} more, about {facts['next_tokens']} tokens)"
    else:
        more = ""
    following = f"next: cursor={facts['next_cursor']}{more} | " if facts["next_cursor"] else ""
    return [*rows, f"{following}around a line: get_message_context({hits[0]})"]


def reading_onward(facts: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """How the text of recent lines goes on below the fence."""
    before, after, more = facts["before_id"], facts["after_id"], facts["more"]
    is_onward = "after_id" in arguments
    if not after:
        earlier = "no earlier line" if "before_id" in arguments else "no line"
        older = "without hours, any older ones are read"
        within = f" within 1 hour; {older}" if arguments.get("hours") == 1 else ""
        return [f"{'no later line' if is_onward else earlier} is recorded there{within}"]
    around = f"around a line: get_message_context({after})"
    if is_onward:
        later = f"after_id={after}" if more else f"nothing newer yet than {after}"
        return [f"next: {later} | older: before_id={before} | {around}"]
    hours = f" in these {arguments['hours']} hours" if "hours" in arguments else ""
    earlier = f"before_id={before}" if more else f"nothing earlier{hours}"
    return [f"next: {earlier} | newer: after_id={after} | {around}"]


def conversation_onward(facts: Mapping[str, Any]) -> list[str]:
    """How the text of a conversation goes on below the fence."""
    beyond = {"may begin earlier": "may_begin_before", "may go on": "may_go_on_after"}
    ways = [
        f"{what}: get_message_context({facts[name]}, scope=conversation)"
        for what, name in beyond.items()
        if facts.get(name)
    ]
    return [" | ".join(ways)] if ways else []


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("tool", "arguments"), SEARCHES, ids=str)
async def test_every_fact_of_a_search_is_in_both(
    house: House, tool: str, arguments: Mapping[str, Any], budget: int
) -> None:
    cursor = ""
    for _ in range(4):
        told = await house.learns(
            tool, {"max_tokens": budget}, **arguments, cursor=cursor, format="json"
        )
        says_the_same(told, search_onward(told.facts, arguments.get("context", 0)))
        assert estimated_tokens(as_printed(told)) <= budget
        assert f"({told.facts['rung']}" in told.text or not told.facts["hits"] or cursor
        cursor = told.facts["next_cursor"]
        if not cursor:
            break


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("tool", "arguments"), READINGS, ids=str)
async def test_every_fact_of_recent_lines_is_in_both(
    house: House, tool: str, arguments: Mapping[str, Any], budget: int
) -> None:
    told = await house.learns(tool, {"max_tokens": budget}, **arguments, format="json")
    says_the_same(told, reading_onward(told.facts, arguments))
    assert estimated_tokens(as_printed(told)) <= budget


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("tool", "arguments"), CONTEXTS, ids=str)
async def test_every_fact_of_lines_around_one_is_in_both(
    house: House, tool: str, arguments: Mapping[str, Any], budget: int
) -> None:
    told = await house.learns(tool, {"max_tokens": budget}, **arguments, format="json")
    says_the_same(told, conversation_onward(told.facts))
    assert told.facts["message_id"] == str(arguments["message_id"])
    assert f"around message {arguments['message_id']} in" in told.facts["summary"]
    assert estimated_tokens(as_printed(told)) <= budget
    if "links" in told.facts:
        assert [link["id"] for link in told.facts["links"]] == [
            message["id"] for message in told.facts["messages"]
        ]


@pytest.mark.parametrize("tool", ["search_irc_history", "get_recent_irc_messages"])
async def test_text_alone_shows_more_lines_than_fit_as_json(house: House, tool: str) -> None:
    query = {"query": "tea"} if tool == "search_irc_history" else {}
    text = await house.learns(tool, {"max_tokens": 600}, **query)
    both = await house.learns(tool, {"max_tokens": 600}, **query, format="json")
    assert text.facts == {}
    assert len(text.ids) > len(both.ids) > 2
    assert both.ids == [int(message["id"]) for message in both.facts["messages"]]


async def test_pages_of_recent_lines_as_json_show_every_line_once(house: House) -> None:
    seen: list[int] = []
    before: dict[str, str] = {}
    while True:
        told = await house.learns(
            "get_recent_irc_messages",
            {"max_tokens": 400},
            channel="#tea",
            include_events=True,
            **before,
            format="json",
        )
        seen = [*told.ids, *seen]
        if not told.facts["more"]:
            break
        before = {"before_id": told.facts["before_id"]}
    everything = await house.learns(
        "get_recent_irc_messages",
        {"max_tokens": 10**6},
        channel="#tea",
        include_events=True,
        limit=500,
    )
    assert seen == everything.ids


async def crowded(house: House, people: int) -> None:
    """A room with many members, each with an account."""
    now = datetime.now(UTC)
    await house.store.spans.begin("net", "#crowd", now, "joined")
    members = [
        Member(f"somebody{n:05}", "@" * (n % 50 == 0), away=n % 3 == 0, account=f"account{n}")
        for n in range(people)
    ]
    await house.store.presence.replace("net", "#crowd", members, now)


@pytest.mark.parametrize("budget", [300, 4_000])
async def test_a_room_of_2_500_people_keeps_to_the_budget(own_house: House, budget: int) -> None:
    await crowded(own_house, 2_500)
    told = await own_house.learns("get_current_users", {"max_tokens": budget}, channel="#crowd")
    users = told.facts["users"]
    assert estimated_tokens(as_printed(told)) <= budget
    assert estimated_tokens(told.text) <= budget
    assert len(users) + told.facts["left_out"] == 2_500
    assert len(told.lines) + left_out_of(told) == 2_500
    assert len(users) >= budget // 80
    assert told.text.startswith("2500 in #crowd (live). ")
    for user, row in zip(users, told.lines, strict=False):
        away = ", away" if user["away"] else ""
        since = f", since {user['since'][:16].replace('T', ' ')}"
        assert row == f"{user['rank']}{user['nick']}, account {user['account']}{away}{since}"


async def test_members_that_all_fit_are_left_out_of_neither(own_house: House) -> None:
    await crowded(own_house, 5)
    told = await own_house.learns("get_current_users", channel="#crowd")
    assert "left_out" not in told.facts
    assert len(told.facts["users"]) == len(told.lines) == 5


@pytest.fixture(scope="module")
async def many_rooms(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """400 rooms that nobody records any more, for all tests that only ask."""
    async with opened(tmp_path_factory.mktemp("many_rooms")) as house:
        for n in range(400):
            lines = chat("<somebody> hello there\n" * (1 + n % 3), channel=f"#channel-{n:03}")
            await house.store.messages.append(lines)
        reason = "kicked by eve: " + "begone " * 60
        for room in await house.store.rooms.all():
            await house.store.spans.begin("net", room.channel, NOON, "joined")
            await house.store.presence.replace("net", room.channel, [Member("bo")], NOON)
            await house.store.spans.end("net", room.channel, NOON + HOUR, reason)
        yield house


@pytest.mark.parametrize("budget", [300, 4_000])
async def test_figures_of_400_rooms_keep_to_the_budget(many_rooms: House, budget: int) -> None:
    told = await many_rooms.learns("get_channel_stats", {"max_tokens": budget})
    selected = await many_rooms.learns("get_channel_stats", {"max_tokens": budget}, query="hello")
    channels = told.facts["channels"]
    assert estimated_tokens(as_printed(told)) <= budget
    assert estimated_tokens(told.text) <= budget
    assert len(channels) + told.facts["left_out"] == 400
    assert len(told.lines) + left_out_of(told) == 400
    assert {one["lines"] for one in channels} == {3}  # the busiest are kept
    for one, row in zip(channels, told.lines, strict=False):
        first, last = (one[end][:16].replace("T", " ") for end in ("first", "last"))
        assert row == (
            f"{one['channel']}: {one['lines']} lines by 1 person, first {first}, last {last};"
            f" last 24 h {one['last_24_hours']}, last 7 d {one['last_7_days']}"
        )
    assert estimated_tokens(as_printed(selected)) <= budget
    by_channel = selected.facts["lines_by_channel"]
    assert len(by_channel) + selected.facts.get("left_out", 0) == 400
    assert selected.facts["lines"] == 799


@pytest.mark.parametrize("budget", [300, 4_000])
async def test_who_is_in_400_rooms_that_nobody_records_keeps_to_the_budget(
    many_rooms: House, budget: int
) -> None:
    told = await many_rooms.learns("get_current_users", {"max_tokens": budget})
    assert estimated_tokens(as_printed(told)) <= budget
    assert estimated_tokens(told.text) <= budget
    assert told.facts["why_stale"].endswith("; 397 more channels")
    assert "not live: 397 more channels" in told.lines
    assert len(told.facts["users"]) + told.facts["left_out"] == 400


STATS: list[Mapping[str, str]] = [
    {"channel": "#tea"},
    {"nick": "ada"},
    {"query": "tea", "per": "day"},
    {"query": "kettle", "channel": "#tea", "per": "week"},
    {"after": "2026-05-01", "before": "2026-05-02", "per": "month"},
    {"query": "zebra"},
    {"nick": "adda"},
    {"query": "tea AND frmo: x"},
    {"per": "month"},
]


@pytest.mark.parametrize("view", [{}, {"as_of": "2026-05-01T15:30:00Z"}], ids=str)
@pytest.mark.parametrize("arguments", STATS, ids=str)
async def test_every_fact_of_figures_is_in_both(
    house: House, arguments: Mapping[str, str], view: dict[str, str]
) -> None:
    told = await house.learns("get_channel_stats", view, **arguments)
    facts, rows = told.facts, told.lines
    assert estimated_tokens(as_printed(told)) <= 4_000
    assert told.outside.splitlines()[:2] == [facts["summary"], facts["covered"]]
    assert facts.get("as_of", "") == ("2026-05-01T15:00:00.000Z" if view else "")
    assert ("counted up to 2026-05-01 15:00" in told.outside) == bool(view)
    for note in facts.get("notes", ()):
        assert note in told.outside.splitlines()
    talkers = ", ".join(f"{nick} {lines}" for nick, lines in facts["top_talkers"].items())
    assert (f"top talkers: {talkers}" in rows) == bool(talkers)
    if arguments == {"channel": "#tea"}:
        assert not {"lines", "notes", "lines_by_period"} & facts.keys()
        return
    number = facts["lines"]
    assert re.match(
        rf"{number} lines?( by {facts['people']} p|$)" if number else "0 lines", rows[0]
    )
    if number:
        first, last = (facts[end][:16].replace("T", " ") for end in ("first", "last"))
        assert rows[0].endswith(f", first {first}, last {last}")
        assert sum(facts["lines_by_hour_utc"]) == number == sum(facts["lines_by_channel"].values())
    periods = [f"{label} {lines}" for label, lines in facts.get("lines_by_period", {}).items()]
    assert rows[len(rows) - len(periods) :] == periods
    assert not periods or sum(facts["lines_by_period"].values()) == number


async def test_what_has_no_structured_content_keeps_to_the_budget_too(own_house: House) -> None:
    for n in range(30):
        (own_house.store.path.parent / "enhancements").mkdir(exist_ok=True)
        file = own_house.store.path.parent / "enhancements" / f"20260501-1200{n:02}-idea.md"
        file.write_text(f"---\ntitle: {'long ' * 40}{n}\nstatus: closed\n---\nx")
    told = await own_house.learns("list_enhancement_requests", {"max_tokens": 300})
    assert estimated_tokens(told.text) <= 300
    assert told.facts == {}
    assert len(told.lines) + left_out_of(told) == 30


@pytest.mark.parametrize("view", [{}, {"network": "net"}, {"as_of": "2026-05-01T12:02:00Z"}])
async def test_every_fact_of_two_networks_is_in_both(tmp_path: Path, view: dict[str, str]) -> None:
    async with opened(tmp_path) as house:
        await house.hears("<ada> tea\n<bo> more tea\n<ada> kettle")
        await house.hears("<ada> tea\n* zoe pours tea", network="other")
        told = await house.learns("search_irc_history", view, query="tea", format="json")
        says_the_same(told, search_onward(told.facts, 0))
        assert len(told.ids) == (2 if "network" in view else 4)
        told = await house.learns("get_recent_irc_messages", view, format="json")
        says_the_same(told, reading_onward(told.facts, {}))
        told = await house.learns("get_message_context", view, message_id=1, format="json")
        says_the_same(told, [])


NICKS = ["ada", "dee", "relaybot", "Jane", "ella", "adda", "guest7", "nobody"]
AWAY: list[Mapping[str, Any]] = [
    {"nick": "ada"},
    {"nick": "Jane", "since": "2026-05-01", "channel": "#tea"},
    {"nick": "zaphod", "channel": "#mate", "max_tokens": 9},
    {"since": "2026-05-02", "channel": "#mate"},
    {"since": "2026-05-01"},
]


async def relayed(house: House) -> None:
    """A relay, commands, a change of nick, a departure, and a conversation of twelve people."""
    await house.hears("""
        <ada> I leave soon
        <dee> !search my kettle
        <relaybot> <Jane> the kettle is with me
        <ada> !help
    """)
    for nick, kind, text, hour in (
        ("dee", MessageType.NICK, "guest7", 1),
        ("ada", MessageType.QUIT, "good night", 2),
        ("ella", MessageType.JOIN, "", 3),
    ):
        await house.store.messages.append([said(nick, text, NOON + hour * HOUR, kind=kind)])
    names = ["ella", *(f"guest{n:02}" for n in range(11))]
    calls = [f"<{one}> {other}: the tea kettle?" for one, other in pairwise([*names, names[0]])]
    await house.hears("\n".join(calls), at=NOON + 4 * HOUR)
    await house.hears(
        "<relaybot> <Jane> ada: the tea is at https://tea.example/", at=NOON + 9 * HOUR
    )
    await house.hears("<bo> mate", "#mate")


@pytest.fixture(scope="module")
async def relaying(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    settings = Settings(network="net", relays=(Relay("relaybot"),))
    async with opened(tmp_path_factory.mktemp("relaying"), settings) as house:
        await relayed(house)
        yield house


def as_minute(at: str) -> str:
    """A time of the structured content as the text has it."""
    return at[:16].replace("T", " ")


def by(facts: Mapping[str, Any], via: str) -> str:
    """Who says a line, with the relay that carried it."""
    return f"{facts['nick']} via {via}" if via else str(facts["nick"])


def nick_rows(facts: Mapping[str, Any]) -> Iterator[str]:
    """The report on a nick, as the structured content tells it."""
    spoke, seen = (
        {
            name: facts.get(f"{kind}_{name}", "")
            for name in ("at", "channel", "id", "text", "via", "as")
        }
        for kind in ("spoke", "seen")
    )
    if spoke["at"]:
        who = f"<{by(facts, spoke['via'])}> {spoke['text']} ({spoke['id']})"
        yield f"last spoke {as_minute(spoke['at'])} {spoke['channel']} {who}"
    if seen["text"]:
        did = f" * {seen['as'] or facts['nick']} {seen['text']} ({seen['id']})"
        what = did if seen["id"] else f", {seen['text']}"
        yield f"last seen {as_minute(seen['at'])} {seen['channel']}{what}"
    if facts["known"] and not seen["at"]:
        yield "never seen under this nick"
    if facts["near"]:
        yield f"similar nicks: {', '.join(facts['near'])}"
    for one in facts["other_nicks"]:
        times = f", {one['times']} time{'s' * (one['times'] > 1)}" if one["times"] else ""
        yield f"also {one['nick']}: {one['evidence']}{times}, {one['first'][:10]}"
    for one in facts["channels"]:
        asides = f" besides {one['asides']} to a bot or by the recording bot" * bool(one["asides"])
        signs = [f", last {name} {as_minute(one[name])}" for name in ("spoke", "seen") if one[name]]
        lines = f"{one['lines']} line{'s' * (one['lines'] != 1)}"
        yield f"in {one['channel']}: {lines}{asides}{''.join(signs)}"


@pytest.mark.parametrize("view", [{}, {"as_of": "2026-05-01T12:02:30Z"}], ids=str)
@pytest.mark.parametrize("nick", NICKS)
async def test_every_fact_of_a_nick_is_in_both(
    relaying: House, nick: str, view: dict[str, str]
) -> None:
    told = await relaying.learns("lookup_nick", view, nick=nick)
    head = [told.facts["summary"], told.facts["covered"]]
    assert [*filter(None, told.outside.splitlines())] == head
    assert told.lines == [*nick_rows(told.facts)]
    assert told.facts["relay"] == ("is a relay" in told.text) == (nick == "relaybot")


def digest_line(line: Mapping[str, Any], name: str) -> str:
    """A line of a digest, as the structured content tells it."""
    who = by(line, line.get("via", ""))
    said = f"* {who} {line['text']}" if name == "arrivals" else f"<{who}> {line['text']}"
    return f"{line['id']} {line['at'][11:16]} {said}"


def digest_lead(line: Mapping[str, Any]) -> str:
    """What stands above the line that begins a conversation."""
    named, more = line["people"], line.get("more_people", 0)
    more += len(named[5:])
    others = f" and {more} more" if more else ""
    ids = f"{line['first_id']} to {line['last_id']}"
    return f"{ids}, {line['lines']} lines by {', '.join(named[:5])}{others}:"


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("arguments", AWAY, ids=str)
async def test_every_fact_of_what_was_missed_is_in_both(
    relaying: House, arguments: Mapping[str, Any], budget: int
) -> None:
    view = {"now": to_iso(NOON + 12 * HOUR), "max_tokens": budget}
    told = await relaying.learns("catch_up", view, **arguments)
    facts = told.facts
    assert estimated_tokens(as_printed(told)) <= budget
    head = [facts["summary"], facts["covered"], *facts["notes"]]
    assert told.outside.splitlines()[: len(head)] == head
    if "left_out" in facts or left_out_of(told):
        return
    expected = [
        row
        for name in facts["counts"]
        for line in facts[name]
        for row in ([digest_lead(line)] if "first_id" in line else []) + [digest_line(line, name)]
    ]
    several = re.match(r"catch-up of \S+ since", facts["summary"]) is None
    shown = [row for row in told.lines if re.match(r"\d+ ", row)]
    if several:
        shown = [re.sub(r"^(\d+ \d\d:\d\d) #\w+", r"\1", row) for row in shown]
    assert shown == expected
    headings = [row for row in told.lines if not re.match(r"\d+ |-- ", row)]
    assert [int(row.split(": ")[1].split()[0]) for row in headings] == [*facts["counts"].values()]
