"""What a plain question asks for beside its words, and the notes that say how it was read."""

import re
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from terrarium_mcp.chat.query.notes import NO_TIME_LEFT
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.time_expressions import time_expressions
from terrarium_mcp.store import Hits, Person, Search
from terrarium_mcp.store.sqlite.search.message_search import MessageSearch
from terrarium_mcp.store.sqlite.topics.people import People
from tests.store.scene import NOON, line_of
from tests.tools.scene import House, Told, opened

TALK = """
    <ada> the gate key hangs behind the shed
    <bo> ada: thanks, see https://gate.example/key
    <ada> bo: you are welcome
    <cy> lunch?
"""
NOW = {"now": (NOON + timedelta(days=40)).isoformat()}  # 10 June 2026
APRIL = datetime(2023, 4, 2, 12, tzinfo=UTC)


async def asked(house: House, query: str, **more: object) -> Told:
    return await house.learns("search_irc_history", NOW, query=query, **more)


def notes(told: Told) -> list[str]:
    return [line for line in told.text.splitlines() if line.startswith("note: ")]


@pytest.fixture(scope="module")
async def talked_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One in which TALK was said, for all tests that only ask."""
    async with opened(tmp_path_factory.mktemp("talked_house")) as house:
        await house.hears(TALK)
        yield house


@pytest.mark.parametrize(
    ("query", "read_as", "ids"),
    [
        ("what did ada say?", "from:ada", [3, 1]),
        ("what did from:ada say?", "from:ada", [3, 1]),
        ("what was ada's last message?", "from:ada", [3, 1]),
        ("what did ada announce in May?", "from:ada after:2026-05-01 before:2026-06-01", [1, 3]),
        (
            "what did ada say on the day after 30 April?",
            "from:ada after:2026-05-01 before:2026-05-02",
            [1, 3],
        ),
        (
            "what did ada say over the two weeks before 9 May?",
            "from:ada after:2026-04-25 before:2026-05-09",
            [1, 3],
        ),
        ("what did ada say recently?", "from:ada", [3, 1]),
        ("what did ada say the other day?", "from:ada", [3, 1]),
        ("what has ada been saying lately in #tea", "from:ada in:#tea", [3, 1]),
        ("what happened recently in #tea?", "in:#tea", [4, 3, 2, 1]),
        ("any news lately?", "every line", [4, 3, 2, 1]),
        ("What was the first thing ada said?", "from:ada", [1, 3]),
        ("when did ada first speak in #tea?", "from:ada in:#tea", [1, 3]),
        ("what was the first message in #tea?", "in:#tea", [1, 2, 3, 4]),
        ("what was the first message?", "every line", [1, 2, 3, 4]),
        ("first message in #tea", "in:#tea", [1, 2, 3, 4]),
        ("latest message in:#tea", "in:#tea", [4, 3, 2, 1]),
        ("latest messages", "every line", [4, 3, 2, 1]),
        ("last 5 messages in #tea", "in:#tea", [4, 3, 2, 1]),
        ("recent messages by ada", "from:ada", [3, 1]),
        (
            "recent messages from May 2026",
            "after:2026-05-01 before:2026-06-01",
            [4, 3, 2, 1],
        ),
        ("what was the last message from:ada", "from:ada", [3, 1]),
        ("from:ada what has she said", "from:ada", [3, 1]),
        ("what did ada say in May?", "from:ada after:2026-05-01 before:2026-06-01", [1, 3]),
        ("What was the last thing ada said?", "from:ada", [3, 1]),
        ("what did ada and cy say?", "from:ada from:cy", [4, 3, 1]),
        (
            "what did ada, bo and cy say in May?",
            "from:ada from:bo from:cy after:2026-05-01 before:2026-06-01",
            [1, 2, 3, 4],
        ),
        (
            "which links were shared in #tea in May?",
            "in:#tea has:link after:2026-05-01 before:2026-06-01",
            [2],
        ),
        ("show me all the links", "has:link", [2]),
        ("latest links", "has:link", [2]),
        ("links in May", "has:link after:2026-05-01 before:2026-06-01", [2]),
        ("urls from may", "has:link after:2026-05-01 before:2026-06-01", [2]),
        ("links posted last month", "has:link after:2026-05-01 before:2026-06-01", [2]),
        ("any links last month?", "has:link after:2026-05-01 before:2026-06-01", [2]),
        ("links from last month", "has:link after:2026-05-01 before:2026-06-01", [2]),
        ("bo's links", "from:bo has:link", [2]),
        ("show me the links bo posted", "from:bo has:link", [2]),
        ("who was the last to talk?", "every line", [4, 3, 2, 1]),
        ("what did ada say to bo in #tea", "from:ada in:#tea mentions:bo", [3]),
        (
            "what links did bo share in 2026",
            "from:bo has:link after:2026-01-01 before:2027-01-01",
            [2],
        ),
    ],
)
async def test_a_person_without_a_topic_is_who_said_it(
    talked_house: House, query: str, read_as: str, ids: list[int]
) -> None:
    told = await asked(talked_house, query)
    assert notes(told) == [f"note: read as {read_as}"]
    assert told.ids == ids


async def test_all_but_a_person_are_the_others(house: House) -> None:
    await house.hears("<ada> one\n<bo> two\n<ada> three\n<cy> four\n<ada> five")
    for query, read_as, ids in (
        ("everything not by ada", "-from:ada", [4, 2]),
        ("all lines except from ada, in May", None, [2, 4]),
        ("what did everyone except ada say in May?", None, [2, 4]),
        ("what did people other than ada say?", "-from:ada", [4, 2]),
    ):
        told = await asked(house, query)
        in_may = "-from:ada after:2026-05-01 before:2026-06-01"
        assert notes(told) == [f"note: read as {read_as or in_may}"]
        assert told.ids == ids


async def test_a_verb_in_the_place_of_a_nick_is_one(house: House) -> None:
    await house.hears("""
        <will> the gate is painted
        <ada> that will rust
        <may> will: it will, ask bo
    """)
    for query, read_as, ids in (
        ("what did will say?", "from:will", [1]),
        ("what did will say in May?", "from:will after:2026-05-01 before:2026-06-01", [1]),
        ("what did may say in may?", "from:may after:2026-05-01 before:2026-06-01", [3]),
        ("what was the last thing may said in #tea?", "from:may in:#tea", [3]),
    ):
        told = await asked(house, query)
        assert notes(told) == [f"note: read as {read_as}"]
        assert told.ids == ids
    assert 'lookup_nick(nick="will")' in (await asked(house, "who is will?")).text
    general = await asked(house, "what did they say in May?")
    assert notes(general) == ["note: read as after:2026-05-01 before:2026-06-01"]


async def test_the_last_words_of_somebody_come_first(talked_house: House) -> None:
    told = await asked(talked_house, "what was the last thing ada said", limit=1)
    assert "newest first" in told.text.splitlines()[0]
    assert told.ids == [3]


CALLED_LIKE_TIMES = """
    <jan> the gate opens at four, see https://gate.example/key
    <june> the shed key hangs behind it
    <summer> the gate is open
    <cy> lunch?
"""


@pytest.fixture(scope="module")
async def timely_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """One in which CALLED_LIKE_TIMES was said, for all tests that only ask."""
    async with opened(tmp_path_factory.mktemp("timely_house")) as house:
        await house.hears(CALLED_LIKE_TIMES)
        yield house


@pytest.mark.parametrize(
    ("query", "read_as", "ids"),
    [
        ("everything by jan", "from:jan", [1]),
        ("what was said by jan?", "from:jan", [1]),
        ("what was said by June in May?", "from:June after:2026-05-01 before:2026-06-01", [2]),
        ("links by jan", "from:jan has:link", [1]),
        ("last message by june", "from:june", [2]),
        ("the last message of june", "from:june", [2]),
        ("everything by summer", "from:summer", [3]),
        ("what was said by february?", "before:2026-03-01", []),  # nobody here is called so
        ("what was said by the summer?", "before:2026-09-01", [1, 2, 3, 4]),
        ("what was said by June 2026?", "before:2026-07-01", [1, 2, 3, 4]),
        ("what was said since May by june?", "from:june after:2026-05-01 before:2026-06-11", [2]),
        ("what happened in june?", "after:2026-06-01 before:2026-07-01", []),
        ("what happened before june?", "before:2026-06-01", [1, 2, 3, 4]),
    ],
)
async def test_by_a_word_that_names_a_time_is_by_somebody_called_so(
    timely_house: House, query: str, read_as: str, ids: list[int]
) -> None:
    told = await asked(timely_house, query)
    assert notes(told)[0] == f"note: read as {read_as}"
    assert told.ids == ids


@pytest.mark.parametrize(
    ("times", "read_as", "ids"),
    [
        ("since 30 April until 2 May", "after:2026-04-30 before:2026-05-03", [1, 2, 3, 4]),
        (
            "after 1 May 8am and before 1 May 11:30",
            "after:2026-05-01T08:00:00.000Z before:2026-05-01T11:30:00.000Z",
            [],
        ),
        ("since 30 April by February", "before:2026-06-11", [1, 2, 3, 4]),
        ("from 30 April until 2 May", "after:2026-04-30 before:2026-05-03", [1, 2, 3, 4]),
        ("from April onwards", "after:2026-04-01 before:2026-06-11", [1, 2, 3, 4]),
        ("from April until now", "after:2026-04-01 before:2026-06-11", [1, 2, 3, 4]),
        ("from April on", "after:2026-04-01 before:2026-06-11", [1, 2, 3, 4]),
    ],
)
async def test_since_and_until_are_read_as_what_lies_between(
    talked_house: House, times: str, read_as: str, ids: list[int]
) -> None:
    told = await asked(talked_house, f"what was said {times}?")
    assert notes(told)[0] == f"note: read as {read_as}"
    assert told.ids == ids


async def test_a_time_that_ends_before_it_begins_is_told(talked_house: House) -> None:
    told = await asked(talked_house, "what was said from yesterday until 30 April?")
    assert notes(told)[:2] == [
        "note: read as after:2026-06-09 before:2026-05-01",
        f"note: {NO_TIME_LEFT}",
    ]
    assert told.ids == []


async def test_in_a_ranked_search_both_times_are_what_lies_between(talked_house: House) -> None:
    told = await asked(talked_house, "where is the shed key since 30 April until 2 May?")
    during = "after:2026-04-30 before:2026-05-03: any hits of that time, or near it, rank higher"
    assert f"note: since 30 April is {during}" in notes(told)
    assert f"note: until 2 May is {during}" in notes(told)


async def test_a_topic_by_somebody_called_like_a_time_is_theirs(house: House) -> None:
    await house.hears("<cy> the gate is open\n" * 4)
    await house.hears(CALLED_LIKE_TIMES)
    ranked = await asked(house, "gate by summer")
    assert ranked.ids[0] == 7
    assert not any("before:" in note for note in notes(ranked))
    by_time = await asked(house, "the gate key by june", sort="newest")
    assert not any("before:" in note for note in notes(by_time))


async def test_somebody_beyond_the_view_makes_no_time_a_person(house: House) -> None:
    await house.hears(TALK)
    await house.hears("<june> hello", channel="#secret")
    told = await house.learns(
        "search_irc_history", NOW | {"channel": "#tea"}, query="everything by june"
    )
    assert notes(told)[0] == "note: read as before:2026-07-01"


@pytest.mark.parametrize("about", ["", " about the key", " to bo", " in May"])
async def test_a_person_of_whom_nothing_is_recorded_is_a_word_and_a_note_says_so(
    talked_house: House, about: str
) -> None:
    told = await asked(talked_house, f"what did adda say{about}?")
    assert not any("read as" in note for note in notes(told))
    assert "note: no one called adda is recorded here; similar nicks: ada" in notes(told)


async def test_a_misspelt_person_is_named_where_a_time_narrows_the_search_too(
    talked_house: House,
) -> None:
    told = await asked(talked_house, "what did adda say about the key in May?", sort="oldest")
    assert notes(told) == [
        "note: no one called adda is recorded here; similar nicks: ada",
        "note: read as adda key after:2026-05-01 before:2026-06-01",
    ]


@pytest.mark.parametrize(
    "query",
    [
        "everything from scratch",
        "list everything by size",
        "what does adda say",
        "what did aida say",
        "adda's last message",
        "what did adda find",
    ],
)
async def test_a_word_that_may_be_no_nick_is_not_said_to_be_unknown(
    house: House, query: str
) -> None:
    await house.hears("<scratchy> the gate\n<si_ze> tea\n<ada> lunch?\n<bo> what did aida say")
    assert "no one called" not in (await asked(house, query)).outside


async def test_news_from_a_nick_of_several_lines_are_its_lines(house: House) -> None:
    await house.hears("<ada> one\n<ada> two\n<ada> three\n<ubuntu> hi")
    told = await asked(house, "any news from ada")
    assert notes(told) == ["note: read as from:ada"]
    assert told.ids == [3, 2, 1]
    assert not any("read as" in note for note in notes(await asked(house, "news from ubuntu")))
    await house.hears("<bo> any news from ada?")
    assert (await asked(house, "any news from ada")).ids[0] == 5


@pytest.mark.parametrize(
    "query",
    [
        "what does grep find",
        "what did ada recommend?",
        "what did ada warn about?",
        "grep's messages",
    ],
)
async def test_a_program_and_a_verb_that_a_line_may_show_are_words(
    house: House, query: str
) -> None:
    await house.hears("<ada> I recommend the gate, and I warn of grep: it does find it\n<ada> hm")
    await house.store.messages.append([line_of("grep", "", NOON, kind=MessageType.JOIN)])
    told = await asked(house, query)
    assert not any("read as" in note for note in notes(told))
    assert told.ids[0] == 1


async def test_a_person_beyond_the_view_is_a_word_like_one_that_does_not_exist(
    house: House,
) -> None:
    await house.hears(TALK)
    await house.hears("<quex> hello", channel="#secret")
    view = NOW | {"channel": "#tea"}
    texts = [
        (await house.learns("search_irc_history", view, query=f"what did {nick} say?")).outside
        for nick in ("quex", "zoe")
    ]
    assert texts[0].replace("quex", "zoe") == texts[1]


async def test_a_person_and_a_topic_are_ranked_unless_sorted_by_time(talked_house: House) -> None:
    ranked = await asked(talked_house, "what did ada say about the key?")
    assert "by relevance" in ranked.text.splitlines()[0]
    by_time = await asked(talked_house, "what did ada say about the key in May?", sort="oldest")
    assert notes(by_time) == ["note: read as key from:ada after:2026-05-01 before:2026-06-01"]
    assert by_time.ids == [1]


async def test_sorted_by_time_a_time_narrows_and_only_telling_words_are_searched_for(
    house: House,
) -> None:
    await house.hears(TALK)
    await house.hears("<ada> the key is lost", at=NOON + timedelta(days=35))
    told = await asked(house, "where was the key in May", sort="oldest")
    assert notes(told) == ["note: read as key after:2026-05-01 before:2026-06-01"]
    assert told.ids == [1, 2]


@pytest.mark.parametrize(
    ("query", "read_as", "ids"),
    [
        ('"gate key" in May', '"gate key"', [1]),
        ('who said "the" in May?', '"the"', [1]),
        ('what did ada say about "the gate key" in May?', '"the gate key" from:ada', [1]),
        ('is "the gate" key behind in #tea in May', '"the gate" key behind in:#tea', [1]),
    ],
)
async def test_a_phrase_is_a_topic_of_a_question_and_stays_whole(
    talked_house: House, query: str, read_as: str, ids: list[int]
) -> None:
    by_time = await asked(talked_house, query, sort="oldest")
    assert notes(by_time) == [f"note: read as {read_as} after:2026-05-01 before:2026-06-01"]
    assert by_time.ids == ids
    ranked = await asked(talked_house, query)
    assert notes(ranked)[-1].startswith("note: in May is after:2026-05-01 before:2026-06-01:")


async def test_words_of_a_phrase_name_no_time(talked_house: House) -> None:
    for sort in ("relevance", "oldest"):
        told = await asked(talked_house, 'who said "see you in May"?', sort=sort)
        assert not any("after:" in note for note in notes(told))


@pytest.mark.parametrize(("sort", "ids"), [("oldest", [1, 2, 3, 4]), ("newest", [4, 3, 2, 1])])
async def test_a_time_and_no_topic_is_that_time_in_every_order(
    house: House, sort: str, ids: list[int]
) -> None:
    await house.hears(TALK)
    await house.hears("<eve> later\n<fay> eve: yes", at=NOON + timedelta(days=35))
    told = await asked(house, "what happened on 1 May 2026", sort=sort)
    assert notes(told) == ["note: read as after:2026-05-01 before:2026-05-02"]
    assert told.ids == ids


async def test_who_said_nothing_at_the_time_of_a_question_is_told(house: House) -> None:
    await house.hears(TALK)
    await house.hears("<cy> is the key there?", at=NOON + timedelta(days=35))
    told = await asked(house, "what did ada say about the key in June?")
    silent = "note: the query from:ada after:2026-06-01 before:2026-07-01 finds no line"
    assert f"{silent}: no hit is what they said then" in notes(told)
    for question in (
        "what did cy say about the key in June?",
        "what did ada say about the key in May?",
        "what did people say about the key in June?",
    ):
        assert " finds no line" not in "".join(notes(await asked(house, question)))


EVERY_LINE = [
    ("from:ada on 1 May 2026", "from:ada after:2026-05-01 before:2026-05-02", [1, 3]),
    ("from:ada in 2026?", "from:ada after:2026-01-01 before:2027-01-01", [1, 3]),
    ("on 1 May 2026 -from:ada", "-from:ada after:2026-05-01 before:2026-05-02", [2, 4]),
    ("has:link since April", "has:link after:2026-04-01 before:2026-06-11", [2]),
    ("in:#tea in May", "in:#tea after:2026-05-01 before:2026-06-01", [1, 2, 3, 4]),
    ("#tea 1 May 2026", "in:#tea after:2026-05-01 before:2026-05-02", [1, 2, 3, 4]),
    ("mentions:bo in May", "mentions:bo after:2026-05-01 before:2026-06-01", [3]),
    ("what did from:ada say in May", "from:ada after:2026-05-01 before:2026-06-01", [1, 3]),
    ("messages from:ada in May", "from:ada after:2026-05-01 before:2026-06-01", [1, 3]),
    ("type:kick in May", "type:kick after:2026-05-01 before:2026-06-01", [5]),
    ("type:kick events in May", "type:kick after:2026-05-01 before:2026-06-01", [5]),
]


@pytest.mark.parametrize(("query", "read_as", "ids"), EVERY_LINE)
async def test_operators_and_a_time_without_a_topic_are_every_line_of_them(
    house: House, query: str, read_as: str, ids: list[int]
) -> None:
    await house.hears(TALK)
    await house.store.messages.append(
        [line_of("ada", "eve enough", NOON, "#tea", MessageType.KICK)]
    )
    told = await asked(house, query)
    assert notes(told) == [f"note: read as {read_as}"]
    assert told.text.splitlines()[0].endswith("(every line, oldest first)")
    assert told.ids == ids


@pytest.mark.parametrize(
    ("query", "sort", "ids"),
    [
        ("from:ada on:2026-05-01", "", [1, 3]),
        ("on:2026-05-01", "", [1, 2, 3, 4]),
        ("from:ada after:2026-05-01 before:2026-06-01", "", [1, 3]),
        ("from:ada on:2026-05-01", "newest", [3, 1]),
        ("from:ada after:2026-05-01", "", [3, 1]),
        ("from:ada before:2026-06-01", "", [3, 1]),
        ("from:ada", "", [3, 1]),
    ],
)
async def test_operators_with_the_beginning_and_end_of_a_time_read_as_it_went_on(
    talked_house: House, query: str, sort: str, ids: list[int]
) -> None:
    told = await asked(talked_house, query, sort=sort)
    assert told.ids == ids
    order = "oldest" if ids == sorted(ids) else "newest"
    assert told.text.splitlines()[0].endswith(f"(every line, {order} first)")
    page = await asked(talked_house, query, sort=sort, limit=1)
    cursor = page.facts.get("next_cursor") or page.text.split("cursor=")[1].split()[0]
    following = await asked(talked_house, query, sort=sort, limit=1, cursor=cursor)
    assert page.ids + following.ids == ids[:2]


async def test_a_time_in_a_channel_is_every_line_of_it(talked_house: House) -> None:
    told = await asked(talked_house, "1 May 2026", channel="#tea")
    assert notes(told) == ["note: read as in:#tea after:2026-05-01 before:2026-05-02"]
    assert told.ids == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("first message", "read as in:tea"),
        ("latest message?", "read as in:tea"),
        ("oldest line", "read as in:tea"),
        ("what did ada say?", "read as from:ada in:tea"),
        ("what happened?", "in:tea, sorted by newest, shows what was said last"),
        ("news", "in:tea, sorted by newest, shows what was said last"),
        ("what are people talking about?", "in:tea, sorted by newest, shows what was said last"),
        (
            "when was the gate last mentioned?",
            "gate in:tea, sorted by newest, shows the last such line",
        ),
    ],
)
async def test_a_channel_beside_a_question_is_read_as_one_in_it(
    talked_house: House, query: str, note: str
) -> None:
    await talked_house.hears("<ada> elsewhere", "#mate")
    inside = await asked(talked_house, f"{query} in:tea")
    beside = await asked(talked_house, query, channel="tea")
    assert f"note: {note}" in notes(beside)
    assert (notes(beside), beside.ids) == (notes(inside), inside.ids)


async def test_a_channel_in_a_query_is_not_widened_by_one_beside_it(talked_house: House) -> None:
    told = await asked(talked_house, "what did ada say? in:net/#tea", channel="tea")
    assert notes(told) == ["note: read as from:ada in:net/#tea"]


@pytest.mark.parametrize(
    ("query", "more"), [("friday?", {"channel": "#tea"}), ("Friday? in:#tea", {})]
)
async def test_a_weekday_that_was_said_in_a_channel_stays_a_word(
    house: House, query: str, more: dict[str, str]
) -> None:
    await house.hears(TALK)
    silent = await asked(house, query, **more)
    assert notes(silent)[0].startswith("note: read as ")
    said = await house.hears("<ada> friday is fine\n<bo> the gate closes on friday")
    told = await asked(house, query, **more)
    assert set(told.ids) == set(said)
    assert any("searched for as words" in note for note in notes(told))


async def test_operators_and_a_silent_time_name_the_nearest_days(talked_house: House) -> None:
    told = await asked(talked_house, "in:#tea yesterday")
    assert notes(told) == [
        "note: read as in:#tea after:2026-06-09 before:2026-06-10",
        "note: no line is recorded here from that time; the nearest were said on 2026-05-01",
    ]


async def test_the_conversations_of_a_channel_are_still_those_of_a_question(
    talked_house: House,
) -> None:
    told = await asked(talked_house, "in:#tea what happened in May?", limit=2)
    assert "the line that opens each conversation" in told.text.splitlines()[0]


async def test_events_with_a_topic_are_those_of_the_time(house: House) -> None:
    await house.hears(TALK)
    kicks = [
        line_of("ada", "eve enough", NOON + timedelta(days=n), "#tea", MessageType.KICK)
        for n in range(2)
    ]
    await house.store.messages.append(kicks)
    told = await asked(house, "type:kick eve on 2 May 2026")
    assert notes(told) == ["note: read as eve type:kick after:2026-05-02 before:2026-05-03"]
    assert told.ids == [6]


async def test_a_time_of_day_is_of_its_day(talked_house: House) -> None:
    told = await asked(talked_house, "what was discussed in #tea on 1 May between 10:00 and noon?")
    assert notes(told)[0] == (
        "note: read as in:#tea after:2026-05-01T10:00:00.000Z before:2026-05-01T12:01:00.000Z"
    )
    assert told.ids == [1]
    told = await asked(talked_house, "what did ada say on the evening of 1 May?")
    assert notes(told)[0] == (
        "note: read as from:ada after:2026-05-01T18:00:00.000Z before:2026-05-02"
    )
    told = await asked(talked_house, "what did ada say after 2026-05-01T12:00:30Z?")
    assert notes(told)[0] == (
        "note: read as from:ada after:2026-05-01T12:00:30.000Z before:2026-06-11"
    )
    told = await asked(talked_house, "2026-05-01T12:00:00Z")
    assert notes(told)[0] == (
        "note: read as after:2026-05-01T11:30:00.000Z before:2026-05-01T12:30:00.000Z"
    )


@pytest.mark.parametrize(
    ("query", "read_as", "ids"),
    [
        ("what happened in the last hour?", "after:{-60}", [2, 3]),
        ("what happened in the past 24 hours?", "after:{-1440}", [2, 3]),
        ("what did ada say in the last hour?", "from:ada after:{-60}", [2, 3]),
        ("from:ada in the last 2 hours", "from:ada after:{-120}", [2, 3]),
        ("what did ada say 20 minutes ago?", "from:ada after:{-30} before:{-10}", [2, 3]),
        ("what happened an hour ago?", "after:{-90} before:{-30}", []),
    ],
)
async def test_hours_and_minutes_are_counted_from_the_clock_of_the_view(
    house: House, query: str, read_as: str, ids: list[int]
) -> None:
    await house.hears("<bo> the lunch hour", at=NOON - timedelta(days=3))
    await house.hears("<ada> tea now\n<ada> the gate is open", at=NOON - timedelta(minutes=20))
    await house.hears("<ada> later", at=NOON + timedelta(minutes=20))
    told = await house.learns("search_irc_history", {"as_of": NOON.isoformat()}, query=query)
    since = re.sub(r"\{(-\d+)\}", lambda found: shortly_before_noon(int(found[1])), read_as)
    until = "" if "before:" in read_as else " before:2026-05-02"
    assert notes(told)[0] == f"note: read as {since}{until}"
    assert told.ids == ids


def shortly_before_noon(minutes: int) -> str:
    return f"{NOON + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%S}.000Z"


async def test_the_last_hour_is_a_time_for_digests_and_figures_too(house: House) -> None:
    await house.hears("<bo> good night", at=NOON - timedelta(hours=9))
    await house.hears("<ada> tea now", at=NOON - timedelta(minutes=20))
    view = {"now": NOON.isoformat()}
    digest = await house.learns("catch_up", view, since="last hour")
    assert "since 2026-05-01 11:00" in digest.outside
    figures = await house.learns("get_channel_stats", view, after="last hour")
    assert "1 line by 1 person" in figures.inside


@pytest.mark.parametrize("query", ["recently", "key recently", "the news lately"])
async def test_recently_among_words_is_one(house: House, query: str) -> None:
    await house.hears(TALK + "<fay> the news: I lost the key recently, or lately")
    told = await asked(house, query)
    assert told.ids[0] == 5
    assert [note for note in notes(told) if "without any word" not in note] == []


@pytest.mark.parametrize("query", ["last message", "first line", '"recent messages"'])
async def test_words_that_may_be_searched_for_stay_words(house: House, query: str) -> None:
    await house.hears(TALK + "<fay> my last message, the first line of recent messages")
    told = await asked(house, query)
    assert told.ids[0] == 5
    assert [note for note in notes(told) if "read as" in note] == []


@pytest.mark.parametrize(
    ("query", "read_as", "ids"),
    [
        ("1 May 2026", "after:2026-05-01 before:2026-05-02", [1, 2, 3, 4]),
        ("in May?", "after:2026-05-01 before:2026-06-01", [1, 2, 3, 4]),
        ("last May", "after:2026-05-01 before:2026-06-01", [1, 2, 3, 4]),
        ("early 2026", "after:2026-01-01 before:2026-05-01", []),
        ("before June", "before:2026-06-01", [1, 2, 3, 4]),
        (
            "on 1 May between 11:50 and 12:10",
            "after:2026-05-01T11:50:00.000Z before:2026-05-01T12:11:00.000Z",
            [1, 2, 3, 4],
        ),
        ("yesterday", "after:2026-06-09 before:2026-06-10", [5]),
        ("today", "after:2026-06-10 before:2026-06-11", []),
    ],
)
async def test_a_time_alone_is_every_line_of_it(
    house: House, query: str, read_as: str, ids: list[int]
) -> None:
    await house.hears(TALK)
    await house.hears("<cy> I may be in town", at=NOON + timedelta(days=39))
    told = await asked(house, query)
    assert notes(told)[0] == f"note: read as {read_as}"
    assert told.ids == ids


async def test_a_time_alone_that_was_said_stays_words_and_a_note_names_the_query_for_it(
    house: House,
) -> None:
    await house.hears("<ada> yesterday was fine\n<bo> in May we met")
    for query, line, during in (
        ("yesterday", 1, "after:2026-06-09 before:2026-06-10"),
        ("in May", 2, "after:2026-05-01 before:2026-06-01"),
    ):
        told = await asked(house, query)
        assert told.ids[0] == line
        assert notes(told)[-1] == (
            f"note: searched for as words; for the lines of that time: {during}"
        )


@pytest.mark.parametrize(
    ("query", "during"),
    [
        ("friday", "after:2026-06-05 before:2026-06-06"),
        ("Fri?", "after:2026-06-05 before:2026-06-06"),
        ("friday in:#tea", "in:#tea after:2026-06-05 before:2026-06-06"),
        ("june", "after:2026-06-01 before:2026-07-01"),
        ("may", "after:2026-05-01 before:2026-06-01"),
        ("nov.", "after:2025-11-01 before:2025-12-01"),
        ("2026", "after:2026-01-01 before:2027-01-01"),
    ],
)
async def test_a_word_that_may_name_a_time_stays_one_and_a_note_names_the_query_for_that(
    house: House, query: str, during: str
) -> None:
    word = query.split(maxsplit=1)[0].strip("?.")
    await house.hears(f"<ada> we met in {word}", at=NOON - timedelta(days=170))  # in November
    await house.hears("<bo> tea", at=NOON)
    await house.hears("<cy> tea", at=NOON + timedelta(days=35))  # on Friday, 5 June
    told = await asked(house, query)
    assert told.ids == [1]
    assert notes(told)[-1] == f"note: searched for as words; for the lines of that time: {during}"


async def test_the_note_on_a_month_names_the_latest_in_which_anything_was_said(
    house: House,
) -> None:
    await house.hears("<ada> we met in april", at=APRIL)
    told = await asked(house, "april")
    assert notes(told)[-1].endswith("of that time: after:2023-04-01 before:2023-05-01")


@pytest.mark.parametrize("query", ["monday", "2019", "december", "summer", "friday gate"])
async def test_a_word_for_a_time_without_a_line_or_beside_others_needs_no_note(
    talked_house: House, query: str
) -> None:
    assert not any("of that time" in note for note in notes(await asked(talked_house, query)))


async def test_a_time_alone_that_is_a_nick_stays_a_word(house: House) -> None:
    await house.hears("<today> the gate is open", at=NOON + timedelta(days=39))
    told = await asked(house, "today")
    assert not any("read as" in note for note in notes(told))


async def test_lines_before_a_time_are_not_those_of_it(talked_house: House) -> None:
    told = await asked(talked_house, "what happened before May 2026?")
    assert told.ids == []
    assert notes(told) == [
        "note: read as before:2026-05-01",
        "note: no line is recorded here from that time; the nearest were said on 2026-05-01",
    ]


async def test_of_two_readings_of_a_time_that_with_lines_is_meant(house: House) -> None:
    await house.hears(TALK, at=NOON - timedelta(days=100))  # 21 January
    told = await asked(house, "what happened in winter 2026?")
    assert notes(told) == ["note: read as after:2025-12-01 before:2026-03-01"]
    assert told.ids == [1, 2, 3, 4]


async def test_lines_of_the_time_of_a_topic_rank_higher_and_a_note_says_which_time(
    talked_house: House,
) -> None:
    said = await asked(talked_house, "where did the key hang in May?")
    assert notes(said)[-1] == (
        "note: in May is after:2026-05-01 before:2026-06-01"
        ": any hits of that time, or near it, rank higher"
    )
    silent = await asked(talked_house, "where did the key hang last year?")
    assert notes(silent)[-1] == (
        "note: last year is after:2025-01-01 before:2026-01-01:"
        " nothing was said here then, so any hits are of other times"
    )


async def test_a_month_without_a_year_is_the_latest_in_which_anything_was_said(
    house: House,
) -> None:
    (of_2022,) = await house.hears("<ada> the key hangs by the door", at=APRIL.replace(year=2022))
    (of_2023,) = await house.hears("<ada> the key hangs here", at=APRIL)
    await house.hears("<bo> the key is gone", at=APRIL + timedelta(days=100))
    of_another = "note: in April is read as that of 2023: nothing was said here in any later one"
    ranked = await asked(house, "where does the key hang in April?")
    assert notes(ranked)[-2:] == [
        of_another,
        (
            "note: in April is after:2023-04-01 before:2023-05-01"
            ": any hits of that time, or near it, rank higher"
        ),
    ]
    assert ranked.ids[0] == of_2023
    said = await asked(house, "what did ada say in April?")
    assert notes(said) == [of_another, "note: read as from:ada after:2023-04-01 before:2023-05-01"]
    assert said.ids == [of_2023]
    whole = await asked(house, "what happened in april?")
    assert whole.ids == [of_2023]
    early = await asked(house, "what did ada say in early April", sort="newest")
    assert (early.ids, of_2022 in early.ids) == ([of_2023], False)


@pytest.mark.parametrize(
    ("query", "printed"),
    [
        ("key in April 2026", "after:2026-04-01 before:2026-05-01"),
        ("key last April", "after:2026-04-01 before:2026-05-01"),
        ("key since April", "after:2026-04-01 before:2026-06-11"),
        ("key in April this year", "after:2026-04-01 before:2026-05-01"),
        ("key in July", "after:2023-07-01 before:2023-08-01"),
        ("key in March", "after:2026-03-01 before:2026-04-01"),
        ("key on 2 April", "after:2023-04-02 before:2023-04-03"),
        ("key in the week of 2 April", "after:2023-03-27 before:2023-04-03"),
        ("key on 12 April", "after:2026-04-12 before:2026-04-13"),
        ("key in spring", "after:2023-03-01 before:2023-06-01"),
        ("key on 12 April 2026", "after:2026-04-12 before:2026-04-13"),
        ("key after 12 April", "after:2026-04-13 before:2026-06-11"),
    ],
)
async def test_only_a_time_without_a_year_that_was_recorded_is_an_earlier_one(
    house: House, query: str, printed: str
) -> None:
    await house.hears(TALK, at=APRIL)
    await house.hears("<bo> the key is gone", at=APRIL + timedelta(days=100))
    assert f" is {printed}: " in notes(await asked(house, query))[-1]


async def test_a_part_of_a_month_that_was_still_to_come_is_that_of_the_year_before(
    house: House,
) -> None:
    await house.hears(TALK, at=APRIL.replace(year=2022, day=25))
    await house.hears(TALK, at=APRIL)
    told = notes(await asked(house, "key in late April"))
    assert told[-2:] == [
        "note: in late April is read as that of 2022: nothing was said here in any later one",
        (
            "note: in late April is after:2022-04-21 before:2022-05-01:"
            " any hits of that time, or near it, rank higher"
        ),
    ]


async def test_each_time_of_a_topic_has_its_note(talked_house: House) -> None:
    told = await asked(talked_house, "where did the key hang in May and yesterday")
    assert notes(told)[-2:] == [
        (
            "note: in May is after:2026-05-01 before:2026-06-01"
            ": any hits of that time, or near it, rank higher"
        ),
        (
            "note: yesterday is after:2026-06-09 before:2026-06-10:"
            " nothing was said here then, so any hits are of other times"
        ),
    ]


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("on friday and saturday", "read as after:2026-06-05 before:2026-06-07"),
        ("what was said on 1 May and 3 May", "read as after:2026-05-01 before:2026-05-04"),
        ("key on 1 and 3 May", "on 1 and 3 May is after:2026-05-01 before:2026-05-04: any hits"),
    ],
)
async def test_both_of_two_days_are_searched(house: House, query: str, note: str) -> None:
    await house.hears(TALK)
    await house.hears("<ada> the key again", at=NOON + timedelta(days=2))
    told = await asked(house, query)
    assert any(one.startswith(f"note: {note}") for one in notes(told))


async def test_times_that_exclude_each_other_are_said_to(talked_house: House) -> None:
    told = await asked(talked_house, "what was said on:2026-05-01 on 3 May")
    assert told.ids == []
    assert "note: no message can be both after and before these times" in notes(told)


async def test_where_enough_lines_hold_the_words_for_a_time_no_line_of_it_is_said_to_lead(
    house: House,
) -> None:
    await house.hears("<ada> the gate key was lost yesterday\n" * 3)
    (of_then,) = await house.hears("<bo> the gate key is here", at=NOON + timedelta(days=39))
    told = await asked(house, "gate key yesterday")
    assert of_then not in told.ids
    query = "gate key after:2026-06-09 before:2026-06-10"
    note = f"note: searched for as words; for the lines of that time: {query}"
    assert notes(told) == [note]
    assert (await asked(house, query)).ids == [of_then]
    assert (await asked(house, "where is the gate key of yesterday?")).ids[0] == of_then


async def test_where_no_line_holds_all_words_a_silent_time_is_said_to_be_silent(
    house: House,
) -> None:
    await house.hears("<ada> my wireless mouse works\n<bo> which card is it?\n" * 3)
    told = await asked(house, "wireless card yesterday")
    assert told.ids
    assert notes(told)[0] == (
        "note: yesterday is after:2026-06-09 before:2026-06-10:"
        " nothing was said here then, so any hits are of other times"
    )


@pytest.mark.parametrize("query", ["zeppelin in 2010", "who left on 3 May?"])
async def test_of_a_silent_time_nothing_is_said_of_lines_where_none_is_found(
    house: House, query: str
) -> None:
    await house.hears(TALK)
    leave = line_of("bo", "bye", NOON + timedelta(days=2), "#tea", MessageType.QUIT)
    await house.store.messages.append([leave])
    told = await asked(house, query)
    assert told.ids == []
    note = notes(told)[-1]
    assert note.endswith(": nothing was said here then, so any hits are of other times")


@pytest.mark.parametrize("query", ['"in May"', "key OR gate in May", "ma*", "key"])
async def test_what_is_no_sentence_is_read_word_by_word(talked_house: House, query: str) -> None:
    told = await asked(talked_house, query, sort="oldest")
    assert not any("read as" in note for note in notes(told))


async def test_a_time_without_a_line_names_the_nearest_days(house: House) -> None:
    await house.hears(TALK)
    await house.hears("<ada> again", at=NOON + timedelta(days=20))
    told = await asked(house, "key on:2026-05-10")
    (note,) = notes(told)
    assert note == (
        "note: no line is recorded here from that time;"
        " the nearest were said on 2026-05-01 and 2026-05-21"
    )
    other = await asked(house, "zeppelin on:2026-05-01")
    assert "That does not mean it was never said." in other.text


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ("what did they say at 6pm on 20 May?", "2026-05-20 12:00 and 18:45"),
        ("what did they say between 7pm and 8pm on 20 May?", "2026-05-20 18:45"),
        ("what did they say at 11am on 20 May?", "2026-05-01 12:00 and 2026-05-20 12:00"),
    ],
)
async def test_hours_of_a_day_without_a_line_name_the_nearest_minutes(
    house: House, query: str, nearest: str
) -> None:
    for moment in (NOON, NOON + timedelta(days=19), NOON + timedelta(days=19, hours=6.75)):
        await house.hears("<ada> tea now", at=moment)
    told = await asked(house, query)
    assert told.ids == []
    assert notes(told)[1] == (
        f"note: no line is recorded here from that time; the nearest were said at {nearest}"
    )


async def test_hours_without_a_line_name_the_nearest_day(talked_house: House) -> None:
    told = await asked(talked_house, "from:ada", hours=24)
    assert notes(told) == [
        "note: no line is recorded here from that time; the nearest were said on 2026-05-01"
    ]
    assert "Try other words" not in told.text


async def test_pages_of_conversations_are_said_to_be_by_size(house: House) -> None:
    for hour in range(3):
        await house.hears(TALK, at=NOON + timedelta(hours=8 * hour - 12))
    told = await asked(house, "what happened in May?", limit=2)
    assert told.text.splitlines()[0].endswith(
        "(the line that opens each conversation,"
        " the largest on the first page, oldest first on each)"
    )


async def test_the_times_of_a_question_are_read_beside_the_event_loop(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = list[int]()

    def noted(*question: Any) -> Any:
        threads.append(threading.get_ident())
        return time_expressions(*question)

    monkeypatch.setattr("terrarium_mcp.tools.question_times.time_expressions", noted)
    await house.hears("<ada> the kettle is on")
    await asked(house, "what was said about the kettle yesterday?")
    assert threads
    assert threading.get_ident() not in threads


async def test_a_channel_without_its_sign_is_the_place_or_is_named_in_a_note(house: House) -> None:
    for channel in ("#tea", "#mate"):
        await house.hears("<ada> tea was bought", channel)
        await house.hears("<ada> the shop shut\n<bo> so early", channel, NOON + timedelta(days=39))
    told = await asked(house, "what happened in tea yesterday?", format="json")
    assert told.ids == [2, 3]
    assert told.facts["notes"] == ["note: read as in:tea after:2026-06-09 before:2026-06-10"]
    told = await asked(house, "when was milk bought in tea?")
    assert notes(told)[-1] == "note: if #tea is meant, write in:tea"
    told = await asked(house, "when was milk bought in tea?", channel="#tea")
    assert "in:tea" not in told.text


async def test_times_beside_a_channel_are_not_read_on_the_event_loop(
    talked_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = list[int]()

    def noted(*question: Any) -> Any:
        threads.append(threading.get_ident())
        return time_expressions(*question)

    monkeypatch.setattr("terrarium_mcp.chat.questions.places.time_expressions", noted)
    await asked(talked_house, "what about #tea on 1 May?")
    assert threads
    assert threading.get_ident() not in threads


async def test_a_question_that_names_no_time_is_read_without_leaving_the_event_loop(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = list[object]()

    async def noted(think: Callable[[], Any]) -> Any:
        left.append(think)
        return think()

    monkeypatch.setattr("terrarium_mcp.tools.question_times.offload", noted)
    await house.hears("<ada> the kettle is on")
    await asked(house, "what was said about the kettle?")
    assert not left
    await asked(house, "what was said about the kettle yesterday?")
    assert len(left) == 1


async def test_a_nick_that_a_question_misspells_is_looked_up_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = list[str]()

    async def noted(people: People, nick: str, *where: Any, **limits: Any) -> Person:
        looked_up.append(nick)
        return await lookup(people, nick, *where, **limits)

    lookup = People.lookup
    monkeypatch.setattr(People, "lookup", noted)
    await house.hears("<grace> the kettle is on")
    told = await asked(house, "what did grac say?")
    assert "similar nicks: grace" in told.text
    assert looked_up == ["grac"]


async def test_lines_are_counted_only_by_the_search_whose_answer_tells_their_number(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, exact = list[bool](), list[bool]()

    async def noted(search: MessageSearch, asked_for: Search, fingerprint: str) -> Hits:
        counted.append(asked_for.wants_total)
        exact.append(asked_for.is_exact)
        return await answer(search, asked_for, fingerprint)

    answer = MessageSearch.__call__
    monkeypatch.setattr(MessageSearch, "__call__", noted)
    await house.hears("<ada> the kettle is on")
    told = await asked(house, "who spoke of the kettle in May?")
    assert "rank higher" in told.text
    # Which May has lines; is it said just so; was anything said in that May; the page.
    assert counted == [False, False, False, True]
    assert exact == [True, True, True, False]  # no other rung is tried, and no aside counted
