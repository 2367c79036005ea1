"""The ladder: where all words find too little, looser look-ups go on, and the exact lines lead."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Hits, Rung, Search, Sort
from terrarium_mcp.store.search.hits import ENOUGH
from tests.store.beginnings import holding
from tests.store.scene import NOON, chat, find, line_of, texts

SCENE = """
    <ada> the gate is painted
    <bo> nice weather
    <ada> who has paint
    <bo> the garden gate stands open
    <cy> lunch
"""


async def asked(store: Store, words: str, limit: int = 20, after: Hits | None = None) -> Hits:
    """What a search by relevance finds; from the page `after` on."""
    search = Search(
        query=parse_query(words),
        rooms=await store.rooms.all(),
        limit=limit,
        cursor=after.next if after else None,
    )
    return await store.search(search, words)


async def test_hardly_any_line_with_all_words_leads_and_others_follow(store: Store) -> None:
    await store.messages.append(chat(SCENE))
    hits = await asked(store, "garden gate painted open")
    assert hits.with_all_words == 0
    hits = await asked(store, "gate open")
    assert texts(hits.messages)[0] == "the garden gate stands open"
    assert "the gate is painted" in texts(hits.messages)
    assert (hits.rung, hits.with_all_words) == (Rung.ANY_WORD, 1)
    assert hits.tried == (Rung.ALL_WORDS, Rung.ANY_WORD)


async def test_what_holds_all_words_leads_also_where_another_line_would_rank_higher(
    store: Store,
) -> None:
    await store.messages.append(
        chat("<bo> is it the gate, ada?\n<cy> tea\n<ada> I painted my gate\n<ada> my gate, yes")
    )
    hits = await asked(store, "ada gate")
    assert texts(hits.messages)[0] == "is it the gate, ada?"
    why = await store.search.explained(
        Search(query=parse_query("ada gate"), rooms=await store.rooms.all(), limit=5)
    )
    assert why.answer is not None
    assert why.answer.ranked[0].line.nick == "ada"


async def test_enough_lines_with_all_words_stay_among_themselves(store: Store) -> None:
    await store.messages.append([line_of("ada", f"gate open {n}") for n in range(ENOUGH)])
    await store.messages.append(chat("<bo> the other gate"))
    hits = await asked(store, "gate open")
    assert (hits.rung, hits.with_all_words, hits.total) == (Rung.ALL_WORDS, 0, ENOUGH)


@pytest.mark.parametrize("sort", [Sort.NEWEST, Sort.OLDEST])
async def test_in_the_order_of_time_a_single_exact_line_stays_alone(
    store: Store, sort: Sort
) -> None:
    await store.messages.append(chat(SCENE))
    hits = await find(store, "gate open", sort=sort)
    assert (hits.rung, hits.total, hits.with_all_words) == (Rung.ALL_WORDS, 1, 0)
    assert texts(hits.messages) == ["the garden gate stands open"]


@pytest.mark.parametrize(("sort", "ids"), [(Sort.NEWEST, [2, 1]), (Sort.OLDEST, [1, 2])])
async def test_in_the_order_of_time_any_word_is_one_that_says_something(
    store: Store, sort: Sort, ids: list[int]
) -> None:
    await store.messages.append(chat("<ada> install docker\n<bo> docker it is"))
    await store.messages.append(chat("<cy> how do I get home\n<dee> that's what I say"))
    hits = await find(store, "how do I run docker on debian? that's it", sort=sort)
    assert hits.rung is Rung.ANY_WORD
    assert [line.id for line in hits.messages] == ids


async def test_a_ranked_page_does_not_end_in_lines_that_share_only_stop_words(store: Store) -> None:
    await store.messages.append(chat("<ada> the rack costs forty"))
    await store.messages.append(chat("<bo> how do I get to the pub?", at=NOON + timedelta(days=1)))
    hits = await asked(store, "how much does the colocation cost?")
    assert (texts(hits.messages), hits.rung) == (["the rack costs forty"], Rung.ANY_WORD)
    nothing = await asked(store, "how much does the colocation weigh?")
    assert (nothing.messages, nothing.tried) == (
        [],
        (Rung.ALL_WORDS, Rung.ANY_WORD, Rung.SIMILAR),
    )


async def test_words_like_those_said_are_looked_for_without_the_stop_words(store: Store) -> None:
    await store.messages.append(chat("<ada> I ride a tandembicycle"))
    hits = await asked(store, "is there anybody with a tandemb?")
    assert (texts(hits.messages), hits.rung) == (["I ride a tandembicycle"], Rung.SIMILAR)


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("how is it there", [3]),  # nothing but stop words
        ('zeppelin "how do"', [3]),
        ("how zeppelin \U0001f375", [2]),
    ],
)
async def test_only_stop_words_as_typed_give_way_to_words_that_say_something(
    store: Store, words: str, ids: list[int]
) -> None:
    await store.messages.append(chat("<ada> docker\n<bo> tea \U0001f375\n<cy> how do I get home"))
    hits = await find(store, words)
    assert [line.id for line in hits.messages] == ids


async def test_words_like_one_that_was_said_are_not_looked_for(store: Store) -> None:
    await store.messages.append(
        chat("<ada> migr is short\n<bo> the migration ran\n<cy> immigrants\n<cy> tea")
    )
    hits = await asked(store, "migr")
    assert texts(hits.messages) == ["migr is short"]
    assert (hits.rung, hits.tried, hits.total) == (Rung.ALL_WORDS, (Rung.ALL_WORDS,), 1)


async def test_words_like_one_that_nobody_said_are_found(store: Store) -> None:
    await store.messages.append(chat("<bo> the migration ran\n<cy> immigrants\n<cy> tea"))
    hits = await asked(store, "migr")
    assert texts(hits.messages) == ["the migration ran", "immigrants"]
    assert (hits.rung, hits.with_all_words, hits.total) == (Rung.SIMILAR, 0, 2)
    assert (hits.unsaid, hits.stand_ins) == (("migr",), ("immigrants", "migration"))


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("the add-on is broken", "addon"),
        ("put it into the front matter", "frontmatter"),
        ("cache_dir is full", "cachedir"),
        ("read the rss feed", "rssfeed"),
        ("who feels a burn out", "burnout"),
        ("use utf-8 for that", "utf8"),
    ],
)
async def test_a_compound_is_found_as_the_two_words_that_others_write(
    store: Store, said: str, typed: str
) -> None:
    await store.messages.append(chat(f"<ada> {said}\n<cy> tea"))
    await store.messages.append(chat(f"<bo> {' or '.join(reversed(said.split()))} tea"))
    hits = await asked(store, typed)
    assert texts(hits.messages)[:1] == [said]
    (pair,) = (one for one in hits.stand_ins if one.replace(" ", "") == typed)
    for sort in (Sort.NEWEST, Sort.OLDEST):
        assert said in texts((await find(store, typed, sort=sort)).messages)
    hits = await asked(store, f"what about the {typed}?")
    assert texts(hits.messages)[:1] == [said]
    assert hits.unsaid == (typed,)
    assert pair in hits.stand_ins


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("gate3 is closed", "gate 3"),
        ("the frontmatter is wrong", "front matter"),
        ("utf8 filenames", "utf-8 file names"),
    ],
)
async def test_two_words_are_found_as_the_compound_that_others_write(
    store: Store, said: str, typed: str
) -> None:
    talk = "<cy> the gate\n<cy> a file\n<bo> what is the matter\n<cy> 3 cups of tea\n<bo> a log"
    await store.messages.append(chat(f"<ada> {said}\n{talk}"))
    hits = await asked(store, typed)
    assert texts(hits.messages)[:1] == [said]


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("картошку", "картошка"),
        ("картошку", "картшку"),
        ("йогурт", "иогурт"),
        ("οδυσσευς", "οδισσευς"),
        ("λόγος", "λογος"),
        ("kartoffel", "kartofel"),
    ],
)
async def test_a_misspelt_word_is_found_in_its_own_alphabet(
    store: Store, said: str, typed: str
) -> None:
    await store.messages.append(chat(f"<ada> {said}\n<cy> tea"))
    assert texts((await asked(store, typed)).messages) == [said]
    hits = await asked(store, f"did anybody want {typed}?")
    assert texts(hits.messages)[:1] == [said]


@pytest.mark.parametrize(
    ("word", "line"),
    [
        *[("installing", "did you install the valve?"), ("worked", "the pump works")],
        *[("testing", "I tested it"), ("pump's", "the pump works")],
        *[("Pump\u2019s", "the pump works")],
    ],
)
async def test_a_word_alone_is_found_in_its_other_forms(store: Store, word: str, line: str) -> None:
    await store.messages.append(chat("<ada> the pump works\n<bo> I tested it"))
    await store.messages.append(chat("<cy> did you install the valve?\n<cy> at the gate"))
    hits = await asked(store, word)
    assert (texts(hits.messages), hits.rung) == ([line], Rung.SIMILAR)
    assert texts((await asked(store, f'"{word}"')).messages) == []


async def test_a_word_that_nobody_said_is_no_misspelt_stop_word(store: Store) -> None:
    await store.messages.append(chat("<bo> tea was late\n<cy> it was\n<cy> wise"))
    assert (await asked(store, "wasm")).messages == []
    assert texts((await asked(store, "wisse")).messages) == ["wise"]


async def test_what_was_likely_meant_leads_a_nick_with_another_first_letter(store: Store) -> None:
    await store.messages.append(chat("<ada> how do I stop kubernetes?\n<bo> no idea"))
    await store.messages.append(chat("<cy> ubernets: hi\n<cy> ubernets: no"))
    hits = await asked(store, "kubernets", 1)
    assert texts(hits.messages) == ["how do I stop kubernetes?"]
    assert (hits.unsaid, hits.stand_ins, hits.total) == (("kubernets",), ("kubernetes",), 3)
    rest = await asked(store, "kubernets", 5, after=hits)
    assert sorted(texts(rest.messages)) == ["ubernets: hi", "ubernets: no"]
    assert rest.stand_ins == ("ubernets",)


async def test_a_word_of_another_time_is_held_by_no_line_searched(store: Store) -> None:
    await store.messages.append(chat("<ada> the system is down"))
    await store.messages.append(chat("<ada> systemd is up", at=NOON + timedelta(days=9)))
    hits = await asked(store, "systemd before:2026-05-03")
    assert (texts(hits.messages), hits.rung) == (["the system is down"], Rung.SIMILAR)
    assert (hits.unsaid, hits.stand_ins) == (("systemd",), ("system",))


async def test_of_several_words_only_those_that_no_line_at_all_holds_are_named(
    store: Store,
) -> None:
    await store.messages.append(chat("<ada> the gate is painted"))
    query = parse_query("gaet paintde")
    rooms = await store.rooms.all()
    hits = await store.search(Search(query=query, rooms=rooms, limit=5, sort=Sort.NEWEST), "x")
    assert (hits.rung, hits.unsaid) == (Rung.SIMILAR, ())
    assert hits.stand_ins == ("gate", "painted")
    hits = await asked(store, "did anybody paint the gaet with varnish?")
    assert hits.rung is Rung.ANY_WORD
    assert (set(hits.unsaid), hits.stand_ins) == ({"gaet", "varnish"}, ("gate",))
    assert (await asked(store, "who painted a gate, and why?")).unsaid == ()


async def test_hits_that_are_only_beside_the_words_are_named(store: Store) -> None:
    gate, nice, _, garden, _ = await store.messages.append(chat(SCENE))
    hits = await asked(store, "what about an open gate")
    assert nice in hits.wordless
    assert not {gate, garden}.intersection(hits.wordless)
    assert set(hits.wordless) < {message.id for message in hits.messages}
    assert (await asked(store, "what about an open gate", limit=1)).wordless == []


async def test_words_like_several_that_were_said_together_are_not_looked_for(
    store: Store,
) -> None:
    await store.messages.append(chat("<ada> gate, painted"))
    await store.messages.append(chat("<bo> repainted", channel="#mate"))
    hits = await asked(store, "gate painted")
    assert (texts(hits.messages), hits.rung) == (["gate, painted"], Rung.ALL_WORDS)
    assert hits.tried == (Rung.ALL_WORDS, Rung.ANY_WORD)


@pytest.mark.parametrize("words", ['"garden gate"', "gard*", "c++", "lunch"])
async def test_where_nothing_looser_finds_more_the_exact_lines_answer(
    store: Store, words: str
) -> None:
    await store.messages.append(chat(SCENE))
    await store.messages.append(chat("<ada> learn c++\n<bo> c is older"))
    hits = await asked(store, words)
    assert (hits.rung, hits.total, hits.with_all_words) == (Rung.ALL_WORDS, 1, 0)


async def test_restrictions_hold_on_every_rung(store: Store) -> None:
    await store.messages.append(chat(SCENE))
    hits = await asked(store, "gate open from:bo -weather")
    assert texts(hits.messages) == ["the garden gate stands open"]
    hits = await asked(store, "gate painted from:ada")
    assert {message.nick for message in hits.messages} == {"ada"}


@pytest.fixture(scope="module")
async def much_talk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """Many lines about gates, for tests that only ask."""
    talk = chat(SCENE * 3 + "<ada> pain\n" + "<bo> painter\n" * 9)
    file = tmp_path_factory.mktemp("talk") / "irc_logs.db"
    async with holding(file, talk, chat("<ada> a gate\n" * 30)) as store:
        yield store


@pytest.mark.parametrize("limit", [1, 2, 7])
@pytest.mark.parametrize("words", ["gate open", "garden gate painted", "pai"])
@pytest.mark.parametrize("is_restarted", [False, True])
async def test_pages_show_each_line_once_and_the_exact_ones_first(
    much_talk: Store, words: str, limit: int, is_restarted: bool
) -> None:
    whole = await asked(much_talk, words, limit=100)
    page = await asked(much_talk, words, limit=limit)
    seen = list(page.messages)
    while page.next:
        if is_restarted:
            much_talk.search._heads.clear()  # noqa: SLF001 -- all that a new process does not know
        page = await asked(much_talk, words, limit=limit, after=page)
        seen += page.messages
    assert [line.id for line in seen] == [line.id for line in whole.messages]
    assert len(seen) == len({line.id for line in seen})


async def test_an_explanation_climbs_the_same_rungs(store: Store) -> None:
    await store.messages.append(chat(SCENE))
    for words in ("gate open", "lunch", "the garden", "zebra", "weather nice lunch"):
        search = Search(query=parse_query(words), rooms=await store.rooms.all(), limit=5)
        hits = await store.search(search, words)
        why = await store.search.explained(search)
        shown = hits._replace(next=None, tried=())
        assert why.hits._replace(next=None, tried=()) == shown, words
        assert [one.rung for one in why.tried] == list(hits.tried), words
