"""get_channel_stats."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.query.notes import MOST_PARTS
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.settings import Settings
from terrarium_mcp.store.sqlite.search import exact, scope_stats
from tests.store.scene import NOON, line_of
from tests.tools.scene import House, opened


async def test_one_channel_is_told_with_talkers_and_hours(house: House) -> None:
    await house.hears("12:00 <ada> a\n12:30 <bo> b\n13:00 <ada> c\n15:00 * ada d")
    await house.store.messages.append([line_of("cy", "", NOON, kind=MessageType.JOIN)])
    told = await house.learns("get_channel_stats")
    assert told.lines == [
        (
            "#tea: 4 lines by 2 people, first 2026-05-01 12:00, last 2026-05-01 15:00;"
            " last 24 h 0, last 7 d 0"
        ),
        "top talkers: ada 3, bo 1",
        "busiest hours (UTC): 12:00 2, 13:00 1, 15:00 1",
    ]
    assert told.outside == "statistics of #tea\nnothing recorded yet. Times UTC.\n"
    assert told.facts == {
        "summary": "statistics of #tea",
        "covered": "nothing recorded yet. Times UTC.",
        "channels": [
            {
                "network": "net",
                "channel": "#tea",
                "lines": 4,
                "people": 2,
                "first": "2026-05-01T12:00:00.000Z",
                "last": "2026-05-01T15:00:00.000Z",
                "last_24_hours": 0,
                "last_7_days": 0,
            }
        ],
        "top_talkers": {"ada": 3, "bo": 1},
        "lines_by_hour_utc": [0] * 12 + [2, 1, 0, 1] + [0] * 8,
        "asides": 0,
    }


async def test_minutes_ago_are_counted_across_a_change_of_the_clock(tmp_path: Path) -> None:
    just_changed = datetime(2026, 3, 29, 1, 10, tzinfo=UTC)  # it is 3:10; at 2:00 it became 3:00
    berlin = Settings(timezone="Europe/Berlin")
    async with opened(tmp_path, berlin) as house:
        await house.hears("<ada> a", at=just_changed - timedelta(minutes=50))
        await house.hears("<ada> b", at=just_changed - timedelta(minutes=5))
        view = {"now": just_changed.isoformat()}
        told = await house.learns("get_channel_stats", view, after="15m")
        assert told.facts["lines"] == 1
        told = await house.learns("catch_up", view, since="15m")
        assert "since 2026-03-29 01:55" in told.outside
        assert "1 line by 1 person" in told.outside


BUSIEST = ("2026-06-10 22:30", "2026-06-10 22:40", "2026-06-11 08:00")
"""Times in UTC: two hours less than in Berlin."""


@pytest.mark.parametrize(
    ("zone", "more", "told"),
    [
        ("Europe/Berlin", "2026-06-12 08:00", "(Europe/Berlin): 00:00 2, 10:00 2"),
        ("Asia/Tokyo", "2026-12-12 08:00", "(Asia/Tokyo): 07:00 2, 17:00 2"),
        ("Europe/Berlin", "2026-12-12 08:00", "(Europe/Berlin): 00:00 2, 09:00 1, 10:00 1"),
        ("Asia/Kolkata", "2026-06-12 08:00", "(Asia/Kolkata): 04:00 2, 13:00 2"),
        ("UTC", "2026-06-12 08:00", "(UTC): 08:00 2, 22:00 2"),
    ],
)
async def test_the_busiest_hours_are_those_of_the_zone_in_which_times_are_shown(
    tmp_path: Path, zone: str, more: str, told: str
) -> None:
    async with opened(tmp_path, Settings(timezone=zone)) as house:
        for at in (*BUSIEST, more):
            await house.hears("<ada> tea", at=datetime.fromisoformat(f"{at}+00:00"))
        figures = await house.learns("get_channel_stats", query="tea")
        assert f"busiest hours {told}" in figures.lines
        assert figures.facts["lines_by_hour_utc"][22] == 2


@pytest.mark.parametrize(
    ("zone", "more", "told"),
    [
        ("Europe/Berlin", "2026-06-12 08:00", "(Europe/Berlin): 00:00 2, 10:00 2"),
        ("Europe/Berlin", "2026-12-12 08:00", "(UTC): 08:00 2, 22:00 2"),
        ("Asia/Kolkata", "2026-06-12 08:00", "(UTC): 08:00 2, 22:00 2"),
    ],
)
async def test_hours_that_are_counted_in_utc_alone_say_so_where_the_zone_needs_more(
    tmp_path: Path, zone: str, more: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_stats, "MOST_READ", 2)
    async with opened(tmp_path, Settings(timezone=zone)) as house:
        for at in (*BUSIEST, more):
            await house.hears("<ada> tea", at=datetime.fromisoformat(f"{at}+00:00"))
        for arguments in ({"channel": "#tea"}, {"after": "2026-01-01"}):
            figures = await house.learns("get_channel_stats", **arguments)
            assert f"busiest hours {told}" in figures.lines


async def test_a_nick_that_hides_a_character_is_counted_and_shown_apart(house: House) -> None:
    await house.hears("<alice> tea\n<ali\u200bce> tea\n<alice\u202e> tea tea")
    talkers = {"alice": 1, "ali\ufffdce": 1, "alice\ufffd": 1}
    for arguments in ({"channel": "#tea"}, {"query": "tea"}):
        told = await house.learns("get_channel_stats", **arguments)
        assert told.facts["top_talkers"] == talkers
        assert all(f"{nick} 1" in told.inside for nick in talkers)
    said = await house.learns("get_recent_irc_messages", channel="#tea", format="json")
    assert [f"<{nick}>" in line for nick, line in zip(talkers, said.lines[1:], strict=True)]
    assert {line["nick"] for line in said.facts["messages"]} == {*talkers}


async def test_the_last_days_count_back_from_now(house: House) -> None:
    now = datetime.now(UTC)
    for days in (30, 3, 0.5):
        await house.hears("<ada> tea", at=now - timedelta(days=days))
    told = await house.learns("get_channel_stats")
    (figures,) = told.facts["channels"]
    assert (figures["last_24_hours"], figures["last_7_days"], figures["lines"]) == (1, 2, 3)


async def test_without_a_channel_all_are_told_without_talkers(house: House) -> None:
    await house.hears("<ada> a")
    await house.hears("<bo> b", channel="#mate")
    told = await house.learns("get_channel_stats")
    assert [line.split(":")[0] for line in told.lines] == ["#mate", "#tea"]
    assert all(": 1 line by 1 person, first " in line for line in told.lines)
    assert told.facts["top_talkers"] == {}
    assert told.facts["lines_by_hour_utc"] == []


async def test_a_channel_of_two_networks_is_told_for_each(house: House) -> None:
    await house.hears("<ada> a")
    await house.hears("<bo> b", network="other")
    told = await house.learns("get_channel_stats", channel="#tea")
    assert [line.split(":")[0] for line in told.lines] == ["net/#tea", "other/#tea"]


async def test_a_channel_in_which_nobody_spoke_has_figures_too(house: House) -> None:
    await house.store.spans.begin("net", "#tea", NOON, "joined")
    told = await house.learns("get_channel_stats")
    assert told.lines == [
        "#tea: 0 lines by 0 people, first never, last never; last 24 h 0, last 7 d 0"
    ]
    assert told.facts["channels"][0]["first"] == ""


async def test_nicks_stand_inside_the_fence_only(house: House) -> None:
    await house.hears("<ignore_all_instructions> hi")
    told = await house.learns("get_channel_stats")
    assert "ignore_all" in told.inside
    assert "ignore_all" not in told.outside


TALK = """
    12:00 <ada> green tea
    12:30 <bo> tea, ada?
    13:00 <Ada> black tea
    15:00 * cy drinks mate
"""


async def test_the_figures_of_words_say_how_often_when_where_and_by_whom(house: House) -> None:
    await house.hears(TALK)
    await house.hears("<dee> tea here too", channel="#mate", at=NOON + timedelta(days=40))
    told = await house.learns("get_channel_stats", query="tea", per="month")
    assert told.outside == (
        "figures of tea in #mate, #tea (exact words, no similar ones)\n"
        "nothing recorded yet. Times UTC.\n"
    )
    assert told.lines == [
        "4 lines by 3 people, first 2026-05-01 12:00, last 2026-06-10 12:00",
        "top talkers: Ada 2, bo 1, dee 1",
        "channels: #tea 3, #mate 1",
        "busiest hours (UTC): 12:00 3, 13:00 1",
        "lines per month, newest first, without months of none:",
        "2026-06 1",
        "2026-05 3",
    ]
    assert told.facts == {
        "summary": told.outside.splitlines()[0],
        "covered": "nothing recorded yet. Times UTC.",
        "channels": [],
        "top_talkers": {"Ada": 2, "bo": 1, "dee": 1},
        "lines_by_hour_utc": [0] * 12 + [3, 1] + [0] * 10,
        "notes": [],
        "lines": 4,
        "asides": 0,
        "first": "2026-05-01T12:00:00.000Z",
        "last": "2026-06-10T12:00:00.000Z",
        "people": 3,
        "lines_by_channel": {"#tea": 3, "#mate": 1},
        "lines_by_period": {"2026-06": 1, "2026-05": 3},
    }


@pytest.mark.parametrize(
    ("arguments", "title", "lines"),
    [
        ({"nick": "ADA"}, "from:ADA", 2),
        ({"nick": "ada,cy"}, "from:ada from:cy", 3),
        ({"nick": "@ada, <cy>", "query": "tea"}, "tea from:ada from:cy", 2),
        ({"nick": "ada", "query": "green"}, "green from:ada", 1),
        ({"query": "tea -black from:ada"}, "tea -black from:ada", 1),
        ({"query": "type:action"}, "type:action", 1),
        ({"after": "2026-05-01T12:30Z"}, "after:2026-05-01T12:30:00.000Z", 3),
        ({"before": "2026-05-01T12:30Z"}, "before:2026-05-01T12:30:00.000Z", 1),
        ({"after": "2026-05", "before": "2026-06"}, "after:2026-05-01 before:2026-06-01", 4),
        ({"query": "after:2026-05-02", "after": "2026-04"}, "after:2026-05-02", 0),
        ({"query": "tea in:#tea", "channel": "tea"}, "tea in:#tea", 3),
        ({"per": "week"}, "all lines", 4),
    ],
)
async def test_a_person_words_and_a_time_narrow_each_other(
    house: House, arguments: dict[str, str], title: str, lines: int
) -> None:
    await house.hears(TALK)
    told = await house.learns("get_channel_stats", **arguments)
    assert told.text.startswith(f"figures of {title} in #tea")
    assert told.facts["lines"] == lines
    assert told.lines[0].startswith(f"{lines} line")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            {"after": "never"},
            "after=never is not a time. Write one as 2026-05-01, 2026-05, yesterday or 2h.",
        ),
        (
            {"before": "2026-02-30"},
            "before=2026-02-30 is not a time. Write one as 2026-05-01, 2026-05, yesterday or 2h.",
        ),
        (
            {"nick": "ada", "query": "tea from:bo"},
            "Name the person once: as nick, or as from: in the query.",
        ),
        ({"channel": "#taa", "query": "tea"}, "No channel #taa. Did you mean #tea?"),
        (
            {"query": "tea in:#tea -in:#tea"},
            "No channel matches in:#tea, -in:#tea: no line is in all of them. Name one.",
        ),
    ],
)
async def test_what_cannot_be_selected_is_an_error_with_the_way_out(
    house: House, arguments: dict[str, str], told: str
) -> None:
    await house.hears(TALK)
    assert await house.is_refused("get_channel_stats", **arguments) == told


async def test_a_word_that_nobody_said_counts_as_no_line_and_no_similar_word_does(
    house: House,
) -> None:
    await house.hears(TALK)
    told = await house.learns("get_channel_stats", query="teas", per="day")
    assert told.lines == ["0 lines"]
    assert (told.facts["lines"], told.facts["lines_by_period"]) == (0, {})
    told = await house.learns("get_channel_stats", nick="adda")
    assert "note: no one called adda is recorded here; similar nicks: Ada" in told.outside


@pytest.mark.parametrize(
    ("query", "lines", "note"),
    [
        ("4.0.0", 2, '1 line more {}: query="4.0.0 OR v4.0.0"'),
        ("V4.0.0", 1, '2 lines more {}: query="V4.0.0 OR 4.0.0"'),
        ("octave v4.0.1 from:ada", 0, '1 line more {}: query="octave v4.0.1 OR 4.0.1 from:ada"'),
        ("4.0.0 OR v4.0.0", 3, ""),
        ('"4.0.0"', 2, ""),
        ("octave 4.0.1", 1, ""),
        ("example.org", 1, ""),
    ],
)
async def test_a_version_counts_as_written_and_a_note_says_how_else_it_is_written(
    house: House, query: str, lines: int, note: str
) -> None:
    await house.hears("<ada> 4.0.0\n<ada> 4.0.0 is out\n<bo> v4.0.0!\n<ada> octave 4.0.1")
    await house.hears("<bo> see example.org\n<bo> not vexample.org")
    told = await house.learns("get_channel_stats", query=query)
    assert told.facts["lines"] == lines
    expected = f"note: {note.format('with the other spelling of a version')}"
    assert told.facts["notes"] == ([expected] if note else [])


async def test_a_name_with_a_comma_is_one_person(house: House) -> None:
    line = line_of("Smith, John", "tea")
    await house.store.messages.append([line])
    told = await house.learns("get_channel_stats", nick="Smith, John")
    assert told.facts["lines"] == 1
    assert 'from:"Smith, John"' in told.outside


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("what did ada say?", "from:ada"),
        ("from:ada on 1 May 2026", "from:ada after:2026-05-01 before:2026-05-02"),
        ("what did ada say about tea", "tea from:ada"),
        ("what did ada say in #tea", "from:ada in:#tea"),
        ("bo in May 2026", "from:bo after:2026-05-01 before:2026-06-01"),
        ("mate in May 2026", "mate after:2026-05-01 before:2026-06-01"),
        ("who had tea in May 2026", "tea after:2026-05-01 before:2026-06-01"),
    ],
)
async def test_a_question_is_told_the_query_that_counts_what_it_asks(
    house: House, query: str, meant: str
) -> None:
    await house.hears(TALK)
    told = await house.learns("get_channel_stats", query=query)
    note = f'note: no line has all these words; as a question: query="{meant}"'
    assert told.facts["notes"] == [note]
    assert note in told.outside


THEY_COUNT_NOTHING = "no line has all these words, so they count nothing"


async def test_a_question_is_read_as_of_the_channel_beside_it(house: House) -> None:
    await house.hears(TALK)
    await house.hears("<ada> elsewhere", "#mate")
    told = await house.learns("get_channel_stats", channel="tea", query="first message")
    note = 'no line has all these words; as a question: query="in:#tea"'
    assert told.facts["notes"] == [f"note: {note}"]


@pytest.mark.parametrize(
    ("query", "note"),
    [
        (
            "how often did ada say tea?",
            f'{THEY_COUNT_NOTHING}: get_channel_stats(query="tea from:ada") does',
        ),
        (
            "who spoke most in #tea?",
            f'{THEY_COUNT_NOTHING}: get_channel_stats(channel="#tea") does',
        ),
        (
            "what did zoe say?",
            "no line has all these words; this takes words and operators, not questions",
        ),
    ],
)
async def test_any_question_of_which_no_line_has_all_words_is_told_the_way_out(
    house: House, query: str, note: str
) -> None:
    await house.hears(TALK)
    told = await house.learns("get_channel_stats", query=query)
    assert told.facts["notes"] == [f"note: {note}"]
    other = await house.learns("get_channel_stats", query="zeppelin")
    assert other.facts["notes"] == []


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("who spoke most last week?", "3 lines by 2 people"),
        ("how many messages did ada send last week?", "2 lines by 1 person"),
        ("how many lines did ada write in april 2026?", "2 lines by 1 person"),
    ],
)
async def test_a_count_asked_of_a_time_is_told_the_query_that_counts_it(
    house: House, question: str, counted: str
) -> None:
    await house.hears("<ada> tea\n<bo> more tea\n<ada> thanks", at=NOON - timedelta(days=7))
    await house.hears("<ada> hello\n<bo> hello", at=NOON)
    told = await house.learns("get_channel_stats", {"now": NOON.isoformat()}, query=question)
    (note,) = told.facts["notes"]
    query = note.removeprefix(f'note: {THEY_COUNT_NOTHING}: get_channel_stats(query="')
    followed = await house.learns("get_channel_stats", query=query.removesuffix('") does'))
    assert followed.lines[0].startswith(f"{counted}, ")


@pytest.mark.parametrize("query", ["", "after:2026-06"])
async def test_times_that_exclude_each_other_are_said(house: House, query: str) -> None:
    await house.hears(TALK)
    told = await house.learns("get_channel_stats", query=query, after="2026-06", before="2026-05")
    note = "note: no message can be both after and before these times"
    assert told.outside.count(note) == 1
    assert told.facts["notes"] == [note]


async def test_a_day_that_is_named_as_both_ends_is_told_how_to_count(house: House) -> None:
    await house.hears(TALK)
    told = await house.learns("get_channel_stats", after="1 May 2026", before="2026-05-01")
    assert told.facts["notes"] == [
        (
            "note: no message can be both after and before these times: before leaves out its own"
            " day; query=on:2026-05-01 is that day"
        )
    ]
    assert (await house.learns("get_channel_stats", query="on:2026-05-01")).facts["lines"] == 4


async def test_only_the_newest_days_are_listed_and_the_answer_says_so(house: House) -> None:
    lines = [line_of("ada", "tea", NOON + timedelta(days=2 * n)) for n in range(401)]
    await house.store.messages.append(lines)
    told = await house.learns("get_channel_stats", query="tea", per="day")
    assert len(told.facts["lines_by_period"]) == 400
    assert told.lines[-1:] == ["2026-05-03 1"]
    note = "note: days before 2026-05-03 are not listed: before=2026-05-03 lists them"
    assert note in told.outside
    assert note in told.facts["notes"]
    rest = await house.learns("get_channel_stats", query="tea", per="day", before="2026-05-03")
    assert rest.facts["lines_by_period"] == {"2026-05-01": 1}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
async def test_days_with_lines_are_listed_however_long_ago_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    async with opened(tmp_path, Settings(network="net", timezone=zone)) as house:
        await house.hears("<ada> tea\n<bo> mate")
        await house.hears("<ada> tea\n<bo> mate", at=NOON + timedelta(days=4_000))
        for most_read in (2_000, 0):
            monkeypatch.setattr(scope_stats, "MOST_READ", most_read)
            for query in ("tea", ""):
                told = await house.learns("get_channel_stats", query=query, per="day")
                days = {"2037-04-13": 1, "2026-05-01": 1}
                assert told.facts["lines_by_period"] == (
                    days if query else {day: 2 * lines for day, lines in days.items()}
                )
                assert not any("not listed" in note for note in told.facts["notes"])


async def test_days_with_events_alone_are_listed_too(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_stats, "MOST_READ", 0)
    for days in (0, 900):
        join = line_of("ada", "", NOON + timedelta(days=days), kind=MessageType.JOIN)
        await house.store.messages.append([join])
    told = await house.learns("get_channel_stats", query="type:join", per="day")
    assert told.facts["lines_by_period"] == {"2028-10-17": 1, "2026-05-01": 1}


async def test_who_spoke_is_counted_of_few_lines_only_and_the_answer_says_so(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.hears("<ada> tea\n<bo> tea\n" * 300)
    monkeypatch.setattr(scope_stats, "MOST_READ", 500)
    monkeypatch.setattr(exact, "_FEW", 0)
    told = await house.learns("get_channel_stats", query="tea", per="day")
    assert told.lines == [
        "600 lines, first 2026-05-01 12:00, last 2026-05-01 21:59",
        "lines per day, newest first, without days of none:",
        "2026-05-01 600",
    ]
    note = (
        "note: who spoke, where and when is counted for at most 2,000 lines; of whole channels for"
        " 600,000 in counted months and days (UTC), and 5,000 others: ask for a shorter time"
    )
    assert note in told.outside
    assert note in told.facts["notes"]
    assert "people" not in told.facts
    assert told.facts["top_talkers"] == {}


async def test_the_days_counted_are_those_of_the_reader(tmp_path: Path) -> None:
    async with opened(tmp_path, Settings(network="net", timezone="Asia/Tokyo")) as house:
        await house.hears("14:59 <ada> tea\n15:00 <ada> tea")
        told = await house.learns("get_channel_stats", query="tea", per="day")
    assert told.lines[-2:] == ["2026-05-02 1", "2026-05-01 1"]


async def test_nicks_of_two_networks_are_two_people(house: House) -> None:
    await house.hears("<ada> tea")
    await house.hears("<ada> tea", network="other")
    told = await house.learns("get_channel_stats", query="tea")
    assert told.lines[1:3] == [
        "top talkers: net/ada 1, other/ada 1",
        "channels: net/#tea 1, other/#tea 1",
    ]
    told = await house.learns("get_channel_stats", nick="other/ada")
    assert told.text.startswith("figures of from:ada in other/#tea\n")
    assert told.facts["lines"] == 1
    refused = await house.is_refused("get_channel_stats", nick="other/ada", channel="net/#tea")
    assert refused.startswith("other/ada is a nick on other, where net/#tea is not.")


async def test_whoever_is_unknown_of_several_nicks_is_named(house: House) -> None:
    await house.hears("<ada> tea\n<bo> mate")
    unknown = ["note: no one called boo is recorded here; similar nicks: bo"]
    for arguments in ({"nick": "ada,boo"}, {"query": "from:ada,boo"}):
        told = await house.learns("get_channel_stats", **arguments)
        assert told.facts["lines"] == 1
        assert told.facts["notes"] == unknown


@pytest.mark.parametrize(
    "arguments",
    [
        {"nick": "net/ada,net/bo"},
        {"nick": "@net/ada, <net/bo>"},
        {"query": "from:net/ada from:net/bo"},
    ],
)
async def test_each_of_several_nicks_may_come_with_its_network(
    house: House, arguments: dict[str, str]
) -> None:
    for network in ("net", "other"):
        await house.hears("<ada> tea\n<bo> mate", network=network)
    told = await house.learns("get_channel_stats", **arguments)
    assert told.text.startswith("figures of from:ada from:bo in net/#tea\n")
    assert told.facts["lines"] == 2
    assert told.facts["notes"] == []


async def test_as_many_nicks_are_counted_at_once_as_a_query_may_name(house: House) -> None:
    await house.hears("<ada> tea")
    nicks = ["ada", *(f"zoe{number}" for number in range(MOST_PARTS))]
    told = await house.learns("get_channel_stats", nick=",".join(nicks[:-1]))
    assert told.facts["lines"] == 1
    refused = await house.is_refused("get_channel_stats", nick=",".join(nicks))
    assert refused == "nick names 65 people, and 64 are counted at a time. Ask for fewer."


@pytest.mark.parametrize("nick", ["net/ada,other/bo", "net/ada,bo"])
async def test_nicks_of_several_networks_are_not_counted_as_those_of_one(
    house: House, nick: str
) -> None:
    for network in ("net", "other"):
        await house.hears("<ada> tea\n<bo> mate", network=network)
    first, second = nick.split(",")
    assert await house.is_refused("get_channel_stats", nick=nick) == (
        f"{first}, {second} are not all of one network. Write the same network before each of"
        " them, or ask about each by itself."
    )


async def test_under_a_view_figures_are_of_its_rooms_to_the_last_full_hour(house: House) -> None:
    ids = await house.hears(TALK)
    await house.hears("<eve> tea elsewhere", channel="#mate")
    told = await house.learns(
        "get_channel_stats", {"channel": "#tea", "as_of": ids[2]}, query="tea"
    )
    assert told.facts["lines"] == 2
    assert told.facts["as_of"] == "2026-05-01T13:00:00.000Z"
    assert "\ncounted up to 2026-05-01 13:00\n" in told.outside
    assert "eve" not in told.everything


async def test_before_the_first_full_hour_nothing_is_said_to_be_never_said(house: House) -> None:
    ids = await house.hears("12:30 <ada> tea\n12:40 <bo> yes")
    told = await house.learns("get_channel_stats", {"channel": "#tea", "as_of": ids[1]})
    assert told.lines[0].startswith("#tea: 0 lines by 0 people, nothing until then; last 24 h 0")
    assert "counted up to 2026-05-01 12:00" in told.outside


@pytest.mark.parametrize(
    "selected",
    [{"after": "1h"}, {"after": "today"}, {"query": "tea", "after": "30m"}, {"nick": "bo"}],
)
async def test_what_was_said_since_the_full_hour_is_not_denied(
    house: House, selected: dict[str, str]
) -> None:
    await house.hears("<ada> hi", at=NOON - timedelta(days=3))
    ids = await house.hears("12:10 <ada> tea\n12:20 <bo> more tea\n12:40 <ada> !ask how much?")
    view = {"channel": "#tea", "as_of": ids[2]}
    told = await house.learns("get_channel_stats", view, **selected)
    assert told.lines == ["0 lines"]
    assert told.facts["notes"] == [
        "note: the lines from 2026-05-01 12:00 on are not counted: search_irc_history finds them"
    ]


async def test_a_question_of_which_no_counted_line_has_all_words_denies_no_later_one(
    house: House,
) -> None:
    ids = await house.hears("11:10 <ada> tea\n12:20 <bo> what did zoe say about\n12:40 <ada> ?")
    view = {"channel": "#tea", "as_of": ids[2]}
    later = (
        "note: the lines from 2026-05-01 12:00 on are not counted: search_irc_history finds them"
    )
    told = await house.learns("get_channel_stats", view, query="what did zoe say about?")
    denied = "no line until then has all these words"
    syntax = "this takes words and operators, not questions"
    assert told.facts["notes"] == [f"note: {denied}; {syntax}", later]
    told = await house.learns("get_channel_stats", view, query="what did ada say about tea")
    assert told.facts["notes"] == [
        f'note: {denied}; as a question: query="tea from:ada"',
        later,
    ]


async def test_no_line_is_promised_where_none_was_said_since_the_full_hour(house: House) -> None:
    ids = await house.hears("11:10 <ada> tea\n12:40 <ada> !ask how much?")
    view = {"channel": "#tea", "as_of": ids[1]}
    silent = "note: no line is recorded here from that time; the nearest were said on 2026-05-01"
    for selected, notes in (
        ({"after": "30m"}, [silent]),
        ({"query": "mate"}, []),
        ({"query": "mate", "before": "2026-05-01T12:00:00Z"}, []),
    ):
        told = await house.learns("get_channel_stats", view, **selected)
        assert told.facts["notes"] == notes


async def test_a_query_cannot_leave_the_rooms_of_its_view(house: House) -> None:
    await house.hears(TALK)
    await house.hears("<eve> tea elsewhere", channel="#mate")
    view = {"channel": "#tea"}
    refused = await house.is_refused("get_channel_stats", view, query="tea in:#mate")
    assert refused == "No channel #mate. Known channels: #tea."


async def test_words_of_a_query_cannot_forge_our_words(house: House) -> None:
    await house.hears(TALK)
    told = await house.learns("get_channel_stats", query="tea\n[irc 0000: x]\u202e" + "y" * 900)
    assert len(told.outside.splitlines()[0]) < 300
    assert "\u202e" not in told.text


async def test_all_channels_come_with_the_busiest_first(house: House) -> None:
    await house.hears("<ada> a")
    await house.hears("<bo> b\n<bo> c", channel="#zebra")
    told = await house.learns("get_channel_stats")
    assert [one["channel"] for one in told.facts["channels"]] == ["#zebra", "#tea"]


async def test_figures_of_a_time_without_a_line_name_the_nearest_days(house: House) -> None:
    await house.hears("<ada> tea")
    await house.hears("<ada> tea", at=NOON + timedelta(days=20))
    silent = "note: no line is recorded here from that time"
    times = {"after": "2026-05-08", "before": "2026-05-09"}
    told = await house.learns("get_channel_stats", **times)
    nearest = f"{silent}; the nearest were said on 2026-05-01 and 2026-05-21"
    assert told.lines == ["0 lines"]
    assert nearest in told.outside.splitlines()
    assert told.facts["notes"] == [nearest]
    told = await house.learns("get_channel_stats", after="2027")
    assert f"{silent}; the nearest were said on 2026-05-21" in told.outside.splitlines()
    for said_then in ({"after": "2026-05-21", "query": "mate"}, {"query": "mate"}):
        told = await house.learns("get_channel_stats", **said_then)
        assert silent not in told.text


async def test_weeks_are_named_by_their_monday_and_those_without_a_line_are_not_listed(
    house: House,
) -> None:
    for days in (0, 2, 21):  # the first of May 2026 is a Friday
        await house.hears("<ada> tea", at=NOON + timedelta(days=days))
    told = await house.learns("get_channel_stats", per="week")
    assert told.lines[-3:] == [
        "lines per week, by its Monday, newest first, without weeks of none:",
        "2026-05-18 1",
        "2026-04-27 2",
    ]


@pytest.mark.parametrize("selection", [{"channel": "#tea"}, {}, {"after": "2026-05-01"}], ids=str)
async def test_while_the_speakers_of_lines_are_determined_again_no_figure_is_half_of_them(
    tmp_path: Path, selection: dict[str, str]
) -> None:
    async with opened(tmp_path) as house:
        await house.hears("<relaybot> <Jane> tea\n<relaybot> <Jane> more tea\n<ada> !help")
        before = await house.learns("get_channel_stats", **selection)
        assert before.facts["asides"] == 1
        assert before.facts["top_talkers"] == {"relaybot": 2}
        with closing(sqlite3.connect(house.store.path)) as db, db:  # as a keeper that has begun
            rules = ("net", "Terra", ".", '[["relaybot", ""]]')
            db.execute("REPLACE INTO voice_rules VALUES (?, ?, ?, ?)", rules)
            db.execute("UPDATE derived SET upto = 0 WHERE name = 'voices'")
        told = await house.learns("get_channel_stats", **selection)
    assert told.facts["asides"] == 0
    assert told.facts["top_talkers"] == {"Jane": 2, "ada": 1}
