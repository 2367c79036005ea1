"""Plain questions: which line answers best, and that nothing is looked at that may not be."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import Message, Origin
from terrarium_mcp.chat.times.timestamps import EVERY_LINE, Position
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Hits, Rung, Search
from terrarium_mcp.store.search.relevance.candidates import EACH
from terrarium_mcp.store.search.relevance.pipeline import FEW_HITS, FOR_FEW, IN_ONE_ROOM
from tests.store.scene import NOON, chat, room, texts


async def asked(
    store: Store,
    question: str,
    *,
    channels: Sequence[str] = (),
    now: datetime = NOON,
    until: Position = EVERY_LINE,
    limit: int = 20,
    after: Hits | None = None,
) -> Hits:
    """What a question by relevance finds."""
    rooms = [one for one in await store.rooms.all() if not channels or one.channel in channels]
    search = Search(
        query=parse_query(question, now=now),
        rooms=rooms,
        limit=limit,
        now=now,
        cursor=after.next if after else None,
        until=until,
    )
    return await store.search(search, question)


async def best(store: Store, question: str, now: datetime = NOON) -> str:
    """The text of the line that answers best."""
    return texts((await asked(store, question, now=now)).messages)[0]


FILLER = "<cy> hm\n<dan> well\n<cy> so it goes\n<dan> right\n<cy> fine\n<dan> bye\n<cy> hi\n"


async def test_the_person_named_comes_first(store: Store) -> None:
    await store.messages.append(
        chat(f"<bo> I painted the fence\n{FILLER}<ada> hi\n<ada> I painted the gate\n{FILLER}")
    )
    await store.messages.append(chat("<bo> lunch", at=NOON + timedelta(days=1)))
    assert await best(store, "what did ada paint") == "I painted the gate"
    assert await best(store, "what did bo paint, and when did he?") == "I painted the fence"


async def test_what_a_person_said_leads_lines_by_others_with_the_one_word_asked(
    store: Store,
) -> None:
    await store.messages.append(
        chat(
            f"<brumm> quitting guys, got a job in norway\n{FILLER}<cy> when do you leave?\n{FILLER}"
        )
    )
    await store.messages.append(chat(f"<dan> I leave at ten\n{FILLER}<cy> leave it\n{FILLER}"))
    assert await best(store, "why did Brumm leave?") == "quitting guys, got a job in norway"


async def test_what_was_said_on_a_day_answers_without_any_word_of_the_question(
    store: Store,
) -> None:
    for day, said in enumerate(["food, please", "the pizza is here, and sushi", "no food today"]):
        await store.messages.append(chat(f"<ada> {said}", at=NOON + timedelta(days=9 * day)))
    now = NOON + timedelta(days=10)
    assert await best(store, "what food came 10 May?", now=now) == "the pizza is here, and sushi"


async def test_a_word_is_found_in_a_room_where_the_two_rarest_were_never_said(store: Store) -> None:
    await store.messages.append(chat("<ada> both kettles boil", channel="#tea"))
    await store.messages.append(
        chat("<bo> zebra\n<bo> walrus\n<bo> kettle\n<bo> kettle", channel="#mate")
    )
    hits = await asked(store, "zebra walrus kettle", channels=["#tea"])
    assert texts(hits.messages) == ["both kettles boil"]


async def test_for_few_hits_less_is_read_around_and_the_best_are_the_same(store: Store) -> None:
    await store.messages.append(
        chat("".join(f"<ada> kettle number {number}\n{FILLER}" for number in range(60)))
    )
    few = await asked(store, "who broke the kettle?", limit=FEW_HITS)
    more = await asked(store, "who broke the kettle?", limit=2 * FEW_HITS)
    assert few.messages == more.messages[:FEW_HITS]
    each = 5  # a word counts for two lines on each side
    assert (few.total, more.total) == (FOR_FEW * each, IN_ONE_ROOM * each)


@pytest.mark.parametrize("visible_only", [False, True])
async def test_a_nick_is_no_word_that_it_only_holds(store: Store, *, visible_only: bool) -> None:
    """`g_` is a person, however often people say `g`."""
    await store.messages.append(
        chat("<g_> which ports are open?\n<bo> g_: netstat\n" + "<cy> g is a letter\n" * 40)
    )
    query = parse_query("how can g_ see what is listening?")
    search = Search(
        query=query,
        rooms=await store.rooms.all(),
        limit=20,
        now=NOON,
        visible_only=visible_only,
    )
    why = await store.search.explained(search)
    assert why.answer is not None
    assert why.answer.parsed.people == ("g_",)
    assert set(texts(why.hits.messages)[:2]) == {"which ports are open?", "g_: netstat"}


async def test_an_answer_inherits_the_words_of_the_question_before_it(store: Store) -> None:
    await store.messages.append(
        chat(f"<ada> what colour is the teapot?\n<bo> green\n{FILLER}<cy> the kettle is blue")
    )
    hits = await asked(store, "which colour has the teapot")
    assert texts(hits.messages)[:2] == ["what colour is the teapot?", "green"]
    query = parse_query("which colour has the teapot")
    why = await store.search.explained(
        Search(query=query, rooms=await store.rooms.all(), limit=20, now=NOON)
    )
    assert why.answer is not None
    points = {one.line.text: one.points for one in why.answer.ranked}
    assert points["green"]["answers a question"] > 0
    assert "answers a question" not in points["what colour is the teapot?"]


async def test_lines_of_a_time_that_the_question_names_come_first(store: Store) -> None:
    for days in (40, 1, 20):
        at = NOON - timedelta(days=days)
        talk = chat(f"<ada> the build broke {days}", at=at, origin=Origin.IMPORT)
        await store.messages.append(talk)
    assert await best(store, "why did the build break yesterday?") == "the build broke 1"
    ago = "why did the build break three weeks ago?"
    assert await best(store, ago) == "the build broke 20"
    later = NOON + timedelta(days=20)
    assert await best(store, ago, now=later) == "the build broke 1"


@pytest.mark.parametrize(
    ("question", "because"),
    [
        ("who fixed bicycles", "kindred words"),
        ("who repared the bike", "one letter away"),
        ("anybody with a tandemb", "cut short"),
        ("who did repairs of bikes", "other forms"),
    ],
)
async def test_a_line_in_other_words_is_found(store: Store, question: str, because: str) -> None:
    await store.messages.append(
        chat(f"{FILLER}<ada> I repaired my bike, a tandembicycle\n{FILLER}")
    )
    assert await best(store, question) == "I repaired my bike, a tandembicycle", because


async def test_where_enough_lines_hold_all_words_they_alone_are_shown_and_ranked(
    store: Store,
) -> None:
    await store.messages.append(
        chat(
            "<ada> the gate\n<bo> gate open\n<ada> who has the gate open?\n"
            f"<cy> open which gate?\n{FILLER}"
        )
    )
    hits = await asked(store, "gate open")
    assert (hits.rung, hits.total) == (Rung.ALL_WORDS, 3)
    assert texts(hits.messages)[0] == "gate open"
    assert "the gate" not in texts(hits.messages)


async def test_neither_another_room_nor_a_later_line_is_seen(store: Store) -> None:
    first, *_ = await store.messages.append(chat("<ada> we deploy on friday"))
    await store.messages.append(chat("<bo> we deploy on monday", channel="#mate"))
    last, *_ = await store.messages.append(
        chat("<cy> we deploy on sunday", at=NOON + timedelta(hours=1))
    )
    hits = await asked(store, "when do we deploy?", channels=["#tea"])
    assert {one.id for one in hits.messages} == {first, last}
    until = Position.at(NOON + timedelta(minutes=30))
    hits = await asked(store, "when do we deploy?", channels=["#tea"], until=until)
    assert [one.id for one in hits.messages] == [first]


async def test_operators_hold_for_every_line_that_is_shown(store: Store) -> None:
    await store.messages.append(
        chat("<ada> the gate broke\n<bo> what broke?\n<ada> the old gate\n<bo> the gate, I see")
    )
    hits = await asked(store, "who broke that gate from:bo")
    assert {one.nick for one in hits.messages} == {"bo"}
    hits = await asked(store, "who broke that gate -old")
    assert "the old gate" not in texts(hits.messages)


async def test_what_was_said_long_ago_is_found_among_newer_lines_with_its_words(
    store: Store,
) -> None:
    """All words together are in no line, and each alone in more newer ones than are looked at."""
    await store.messages.append(chat("<ada> the gate key hangs outside"))
    for word in ("gate", "key", "silver"):
        more = f"<bo> about a {word} again\n{FILLER}" * (2 * EACH + 1)
        await store.messages.append(chat(more, at=NOON + timedelta(days=1)))
    assert await best(store, "where is the silver gate key?") == "the gate key hangs outside"


async def test_the_ranking_of_the_first_page_holds_for_the_next_ones(store: Store) -> None:
    await store.messages.append(chat("<ada> gate\n" * 10 + FILLER + "<bo> kettle\n" * 12))
    question = "is it that gate or the kettle?"
    hits = await asked(store, question, limit=7)
    seen = texts(hits.messages)
    while hits.next:
        await store.messages.append(chat("<cy> gate\n" * 20, at=datetime.now(UTC)))
        hits = await asked(store, question, limit=7, after=hits)
        seen += texts(hits.messages)
    said = [text for text in seen if text in ("gate", "kettle")]
    assert said == ["gate"] * 10 + ["kettle"] * 12


async def test_pages_go_on_where_the_one_before_ended_while_people_talk(store: Store) -> None:
    await store.messages.append(chat(f"<ada> the gate broke\n{FILLER}<bo> my gate is fine\n" * 40))
    question = "why did that gate break?"
    hits = await asked(store, question, limit=7)
    seen: list[Message] = list(hits.messages)
    while hits.next:
        await store.messages.append(chat("<cy> did break, break, break", at=datetime.now(UTC)))
        hits = await asked(store, question, limit=7, after=hits)
        seen += hits.messages
    ids = [one.id for one in seen]
    assert len(ids) == len(set(ids))
    assert sum("gate" in one.text for one in seen) == 80


async def test_an_explanation_tells_what_was_understood_and_what_counted(store: Store) -> None:
    await store.messages.append(chat("<ada> I deployed it\n<bo> tea\n<ada> done"))
    search = Search(
        query=parse_query("what did ada deploy today?"),
        rooms=[await room(store)],
        limit=20,
        now=NOON,
    )
    why = await store.search.explained(search)
    assert [tried.rung for tried in why.tried] == [Rung.ALL_WORDS, Rung.ANY_WORD]
    assert why.answer is not None
    parsed = why.answer.parsed
    assert (parsed.people, [one.said for one in parsed.times]) == (("ada",), ["today"])
    assert {group.word: dict(group.words) for group in parsed.groups} == {
        "deploy": {"deploy": 1.0, "deployed": 0.8}
    }
    assert any(look.found for look in why.lookups)
    first = why.answer.ranked[0]
    assert first.line.text == "I deployed it"
    assert first.points["said by the person"] > 0
    assert [one.line.id for one in why.answer.ranked] == [one.id for one in why.hits.messages]


async def test_a_search_by_time_has_no_ranking_to_explain(store: Store) -> None:
    await store.messages.append(chat("<ada> tea"))
    why = await store.search.explained(
        Search(query=parse_query("tea"), rooms=await store.rooms.all(), limit=20)
    )
    assert (why.answer, texts(why.hits.messages)) == (None, ["tea"])
