"""Question analysis: its people, times and words, as far as the history knows them."""

from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Search
from terrarium_mcp.store.search.relevance.question import ParsedQuestion, PlainQuestion
from terrarium_mcp.store.search.relevance.question_analysis import MOST_WORDS, parse_question
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.search.corpus import SqliteCorpus
from terrarium_mcp.store.sqlite.search.snapshot import current_snapshot
from tests.store.scene import NOON, chat, line_of


async def analysed(store: Store, text: str, *, channel: str = "") -> ParsedQuestion:
    every = await store.rooms.all()
    rooms = [room for room in every if not channel or room.channel == channel]
    scope = SearchScope(query=Query(), rooms=rooms, all_rooms=rooms == every)
    question = PlainQuestion(text=text, scope=scope, now=NOON, zone=UTC, hits=20)
    search = Search(query=Query(), rooms=rooms, limit=1)
    snapshot = await current_snapshot(store._indexer, search)  # noqa: SLF001 -- what every search begins with
    assert snapshot is not None
    return await parse_question(question, SqliteCorpus(store._database, snapshot, question))  # noqa: SLF001


async def words_for(store: Store, word: str) -> dict[str, float]:
    (group,) = (await analysed(store, word)).groups
    return dict(group.words)


async def said(store: Store, *lines: str) -> None:
    await store.messages.append([line_of("x", line) for line in lines])


async def test_the_size_of_the_history_and_of_the_rooms_is_known(store: Store) -> None:
    await store.messages.append(chat("<ada> one two\n<ada> three\n<bo_1> one"))
    await store.messages.append(chat("<ada> four five", channel="#mate"))
    parsed = await analysed(store, "what did ada say of bo_1 or cy", channel="#tea")
    assert (parsed.lines, parsed.lines_in_rooms, parsed.length) == (4, 3, 1.5)
    assert dict(parsed.lines_by) == {"ada": 2, "bo_1": 1}
    everywhere = await analysed(store, "what did ada say")
    assert (everywhere.lines_in_rooms, dict(everywhere.lines_by)) == (4, {"ada": 3})
    assert parsed.people == ("ada", "bo_1")


async def test_a_history_without_any_line_is_taken_for_one_line(store: Store) -> None:
    await store.messages.append(chat("-ada- hi"))
    parsed = await analysed(store, "what is tea", channel="#nowhere")
    assert (parsed.lines_in_rooms, parsed.groups[0].lines, parsed.groups[0].found_in) == (1, 0, 0)


async def test_words_come_rarest_first_and_those_nobody_said_last(store: Store) -> None:
    await said(store, "tea gate milk", "tea gate", "tea", "nothing")
    parsed = await analysed(store, "tea zebra gate milk")
    assert [(group.word, group.lines) for group in parsed.groups] == [
        ("milk", 1),
        ("gate", 2),
        ("tea", 3),
        ("zebra", 0),
    ]


async def test_words_with_the_same_stem_are_one(store: Store) -> None:
    await said(store, "paint", "painted")
    parsed = await analysed(store, "painted paints paint")
    assert [group.word for group in parsed.groups] == ["painted"]


async def test_no_word_is_mended_into_a_stop_word(store: Store) -> None:
    stop_words = ["just", "must", "most", "us", "use just most"]
    await said(store, *stop_words * 9, "rusty", "ruse", "musk", "mosk")
    assert await words_for(store, "rust") == {"rust": 1.0, "rusty": 0.9, "ruse": 0.9}
    assert await words_for(store, "mosh") == {"mosh": 1.0, "mosk": 0.9}


async def test_a_version_weighs_as_if_its_numbers_met_by_chance(store: Store) -> None:
    await said(store, *["11.04"] * 7, *["9.04 or 9.10"] * 9, "the 11th", "2.6.32", "gate", "x")
    parsed = await analysed(store, "gate 11.04 2.6.32 7.7")
    assert parsed.lines == 20
    assert [(group.word, group.lines, group.found_in) for group in parsed.groups] == [
        ("gate", 1, 1),
        ("2.6.32", 1, 1),
        ("11.04", 6, 7),  # 20 * 7/20 * 16/20
        ("7.7", 0, 0),
    ]
    assert all(group.words == {group.word: 1.0} for group in parsed.groups)


@pytest.mark.parametrize(("asked", "other"), [("4.0.0", "v4.0.0"), ("V4.0.0", "4.0.0")])
async def test_a_version_may_begin_with_a_v(store: Store, asked: str, other: str) -> None:
    await said(store, f"octave {other} is out", "4.0.1", "v4 of 0 or 0")
    (octave, version) = (await analysed(store, f"octave {asked}")).groups
    assert (octave.word, version.word) == ("octave", asked.lower())
    assert version.words == {asked.lower(): 1.0, other: 0.8}
    assert not version.is_unsaid


async def test_the_rarest_twelve_words_are_searched_for(store: Store) -> None:
    words = [f"word{letter}" for letter in "abcdefghijklmnop"]
    for n, word in enumerate(words):
        await said(store, *[word] * (n + 1))
    parsed = await analysed(store, " ".join(reversed(words)))
    assert MOST_WORDS == 12
    assert [group.word for group in parsed.groups] == words[:12]


async def test_forty_words_of_a_question_are_considered(store: Store) -> None:
    await said(store, "tea", *["gate"] * 5)
    filler = " ".join(f"gate{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(39))
    assert (await analysed(store, f"{filler} tea")).groups[0].word == "tea"
    assert "tea" not in [group.word for group in (await analysed(store, f"xx {filler} tea")).groups]


async def test_a_word_stands_for_its_forms_and_words_akin_and_those_that_begin_alike(
    store: Store,
) -> None:
    await said(store, "painted", "painted", "paints", "drawing", "drawings", "painful", "painfully")
    (group,) = (await analysed(store, "painting")).groups
    assert group.words == {
        "painting": 1.0,
        "painted": 0.8,
        "paints": 0.8,
        "drawing": 0.3,
        "drawings": 0.3,
    }
    assert (group.lines, group.found_in) == (3, 5)
    await said(store, "paintbox", "paintwork")
    (group,) = (await analysed(store, "painting")).groups
    assert group.words["paintbox"] == group.words["paintwork"] == 0.5
    assert (group.lines, group.found_in) == (3, 7)


async def test_the_most_frequent_forms_and_relatives_stand_for_a_word(store: Store) -> None:
    endings = ["s", "ed", "ing", "ings", "er", "ers", "able", "ly", "ment", "ments"]
    for n, ending in enumerate(endings):
        await said(store, *[f"paint{ending}"] * (20 - n))
    family = [f"paint{letter}x" for letter in "abcdefghij"]
    for n, word in enumerate(family):
        await said(store, *[word] * (10 - n))
    words = await words_for(store, "paint")
    forms = [word for word, weight in words.items() if weight == 0.8]
    assert len(forms) <= 8
    assert "paints" in forms
    relatives = [word for word, weight in words.items() if weight == 0.5]
    assert relatives == [word for word in relatives if word not in forms]
    assert len(relatives) <= 8


@pytest.mark.parametrize(
    ("lines", "others", "weight"), [(20, 19, 0.5), (20, 80, 0.25), (25, 100, 0.25), (1, 4, 0.25)]
)
async def test_a_word_hardly_stands_for_a_much_more_frequent_one(
    store: Store, lines: int, others: int, weight: float
) -> None:
    await said(store, *["systemd"] * lines, *["systemic"] * others)
    assert await words_for(store, "systemd") == {"systemd": 1.0, "systemic": weight}


@pytest.mark.parametrize(("lines", "weight"), [(19, 0.5), (20, 0.25)])
async def test_a_word_in_few_lines_may_be_cut_short(
    store: Store, lines: int, weight: float
) -> None:
    await said(store, *["kubern"] * lines, *["kubernetes"] * 80)
    assert (await words_for(store, "kubern"))["kubernetes"] == weight


async def test_a_word_that_nobody_said_may_stand_for_any_of_its_family(store: Store) -> None:
    await said(store, *["photography"] * 9)
    words = await words_for(store, "photographer")
    assert words == {"photographer": 1.0, "photography": 0.5}


@pytest.mark.parametrize(
    ("word", "other"),
    [("internet", "interesting"), ("packard", "package"), ("complaint", "complete")],
)
async def test_words_that_only_begin_alike_are_no_family(
    store: Store, word: str, other: str
) -> None:
    await said(store, other)
    (group,) = (await analysed(store, word)).groups
    assert group.words == {word: 1.0}
    assert group.is_guessed


async def test_longer_words_of_a_family_have_at_most_five_letters_more(store: Store) -> None:
    await said(store, "paintbrush", "paintbrushx")
    words = await words_for(store, "paint")
    assert "paintbrush" in words
    assert "paintbrushx" not in words
    assert await words_for(store, "pain") == {"pain": 1.0}  # four letters are no beginning


async def test_an_unknown_word_may_be_cut_short_or_mistyped(store: Store) -> None:
    await said(store, "kubernetes", "garden")
    assert (await words_for(store, "kuberne"))["kubernetes"] == 0.8
    (group,) = (await analysed(store, "gardne")).groups
    assert group.words == {"gardne": 1.0, "garden": 0.9}
    assert (group.lines, group.found_in) == (1, 1)
    assert await words_for(store, "gardnex") == {"gardnex": 1.0}
    (group,) = (await analysed(store, "harden")).groups
    assert group.words == {"harden": 1.0, "garden": 0.45}  # few mistype the first letter
    assert group.is_unsaid
    await said(store, "tea")
    assert await words_for(store, "tee") == {"tee": 1.0}  # three letters are no slip
    assert (await words_for(store, "gard"))["garden"] == 0.8
    await said(store, *["220"] * 20)
    assert await words_for(store, "x220") == {"x220": 1.0}  # with digits it is the name of a thing


async def test_a_hardly_known_word_may_be_a_slip_of_a_much_more_frequent_one(store: Store) -> None:
    await store.messages.append(
        [
            line_of("x", "garden" if n < 10 else "hm", NOON + timedelta(seconds=n))
            for n in range(49_998)
        ]
    )
    await said(store, "gxrden")
    assert (await words_for(store, "gxrden")) == {"gxrden": 1.0}  # one in 49,999 is known
    await said(store, "hm", "hm")
    (group,) = (await analysed(store, "gxrden")).groups
    assert group.words == {"gxrden": 1.0, "garden": 0.5}
    assert (group.lines, group.found_in) == (1, 11)


async def test_a_long_word_counts_with_those_that_begin_alike(store: Store) -> None:
    long = "f" * 64
    await said(store, long, "f" * 50, "f" * 40, "f" * 39)
    (group,) = (await analysed(store, f"{long}")).groups
    assert (group.words[long], group.lines) == (1.0, 3)


@pytest.mark.parametrize(("text", "asks"), [("when was the gate painted", True), ("who", False)])
async def test_whether_it_asks_when_is_told(store: Store, text: str, asks: bool) -> None:
    await said(store, "the gate")
    assert (await analysed(store, text)).asks_when is asks


async def test_the_words_that_name_a_time_or_a_person_are_no_content(store: Store) -> None:
    await store.messages.append(chat("<ada> the gate was painted yesterday\n<ada> hi"))
    parsed = await analysed(store, "what did ada paint yesterday")
    assert [group.word for group in parsed.groups] == ["paint"]
    (time,) = parsed.times
    assert (time.since, time.until) == (
        NOON.replace(hour=0) - timedelta(days=1),
        NOON.replace(hour=0),
    )


async def test_since_one_time_and_until_another_is_what_lies_between(store: Store) -> None:
    await said(store, "the gate was painted")
    parsed = await analysed(store, "what was painted since 5 March until 9 March")
    ends = {(time.nearer, time.until) for time in parsed.times}
    assert ends == {(datetime(2026, 3, 5, tzinfo=UTC), datetime(2026, 3, 10, tzinfo=UTC))}


async def test_a_time_that_is_somebodys_nick_ends_no_other(store: Store) -> None:
    await store.messages.append(chat("<june> the gate is painted"))
    (time,) = (await analysed(store, "what was painted since March 2026 by june")).times
    assert (time.said, time.until) == ("since March 2026", NOON.replace(hour=0) + timedelta(1))
