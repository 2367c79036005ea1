"""What the bot is in the middle of is stored whole, and comes back as it was said."""

import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import aiosqlite
import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.store import (
    DialoguePlace,
    DialogueSummary,
    DialogueTurn,
    PurgeTarget,
    Store,
    StoredDialogue,
    StoreFailed,
    ToolStep,
    TurnState,
    open_store,
)
from tests.conftest import STORIES
from tests.store.dialogues import ADA, IN_PRIVATE, TEA, numbers, put, summary, talk, turn
from tests.store.scene import SETTINGS, chat, rows_of, write

LATER = datetime(2026, 6, 1, tzinfo=UTC)
Write = Callable[[], Awaitable[object]]
STEPS = (
    ToolStep(1, "search_irc_history", '{"query": "kettle"}', "2 lines"),
    ToolStep(1, "find_links", "{}", "caf\u00e9, \u65e5\u672c\u8a9e"),
    ToolStep(2, "get_message_context", '{"message_id": "7"}', "\0 \ud800 '); DROP TABLE"),
)


async def test_a_dialogue_that_does_not_exist_yet_is_an_empty_one(store: Store) -> None:
    assert await store.dialogues.load(TEA) == StoredDialogue()


async def test_a_turn_comes_back_whole(store: Store) -> None:
    whole = turn(steps=STEPS, answer="\x02bold\x02 \U0001f375\n\nand more")
    await put(store, whole)
    readable = (*STEPS[:2], replace(STEPS[2], result="\0 ? '); DROP TABLE"))
    assert await store.dialogues.load(TEA) == StoredDialogue(
        newest=1, turns=(replace(whole, steps=readable),)
    )


async def test_a_turn_goes_to_the_thread_of_its_connection_once_and_so_does_a_dialogue(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.messages.append(chat("<bo> one\n<bo> two"))
    us, hops, execute = anyio.get_current_task().id, 0, aiosqlite.Connection._execute  # noqa: SLF001 -- every hop

    async def counted(*args: Any) -> Any:
        nonlocal hops
        hops += anyio.get_current_task().id == us  # the keeper has its own
        return await execute(*args)  # type: ignore[no-untyped-call]  # as said

    monkeypatch.setattr(aiosqlite.Connection, "_execute", counted)
    await put(store, turn(sources=frozenset((1, 2))))
    assert hops == 1
    assert numbers(await store.dialogues.load(TEA)) == [1]
    assert hops == 2


async def test_a_summary_rests_on_the_lines_of_its_turns(store: Store) -> None:
    await store.messages.append(chat("<bo> one\n<bo> two\n<bo> three\n<bo> four\n<bo> five"))
    lines = (frozenset((1,)), frozenset((1, 2)), frozenset((1, 2, 3, 5)))
    await put(store, *(turn(number, sources=ids) for number, ids in enumerate(lines, 1)))
    await put(store, turn(2, message_id=3, sources=lines[1]))
    await store.dialogues.put_window(TEA, 1, summary(1, 2))
    dialogue = await store.dialogues.load(TEA)
    assert dialogue.summary
    assert dialogue.summary.rests_on == {1, 2, 3}
    assert dialogue.rests_on == {1, 2, 3, 5}
    assert numbers(dialogue) == [3]


async def test_only_turns_that_are_done_are_part_of_the_talk(store: Store) -> None:
    states = [TurnState.OPEN, TurnState.DONE, TurnState.STOPPED, TurnState.CUT, TurnState.DONE]
    await put(store, *(turn(number, state=state) for number, state in enumerate(states, 1)))
    dialogue = await store.dialogues.load(TEA)
    assert (numbers(dialogue), dialogue.newest) == ([2, 5], 5)


async def test_turns_stand_in_the_order_of_their_numbers_whenever_they_were_written(
    store: Store,
) -> None:
    await put(store, turn(3), turn(1), turn(4), turn(2))
    assert await talk(store) == [1, 2, 3, 4]


async def test_a_question_becomes_its_answer_and_never_a_question_again(store: Store) -> None:
    asked = turn(answer="", state=TurnState.OPEN)
    looked_up = replace(asked, steps=STEPS[:1])
    answered = replace(looked_up, steps=STEPS[:2], answer="at four", state=TurnState.DONE)
    await put(store, asked, looked_up, answered, looked_up, asked)
    assert (await store.dialogues.load(TEA)).turns == (answered,)
    corrected = replace(answered, answer="at five")
    await put(store, corrected)
    assert (await store.dialogues.load(TEA)).turns == (corrected,)
    await put(store, replace(corrected, state=TurnState.STOPPED), corrected)
    assert (await store.dialogues.load(TEA)).turns == ()


@pytest.mark.parametrize(
    ("casemapping", "same"), [("rfc1459", ["#tea{", "#TEA["]), ("ascii", ["#tea[", "#TEA["])]
)
async def test_a_channel_is_found_in_any_spelling_that_its_network_takes_for_the_same(
    store: Store, casemapping: str, same: list[str]
) -> None:
    await store.rooms.set_casemapping("net", casemapping)
    await put(store, turn(), place=DialoguePlace("net", "#Tea["))
    found = [
        name
        for name in ("#tea[", "#tea{", "#TEA[", "#te")
        if (await store.dialogues.load(DialoguePlace("net", name))).newest
    ]
    assert set(found) == {*same, "#tea["}


async def test_places_are_apart(store: Store) -> None:
    places = [
        TEA,
        DialoguePlace("other", "#tea"),
        DialoguePlace("net", "#mate"),
        IN_PRIVATE,
        DialoguePlace("net", person="user@host ~ada@host.example"),
        DialoguePlace("other", person="account countess"),
    ]
    for number, place in enumerate(places, 1):
        asker = ADA._replace(network=place.network)
        await put(store, turn(number, asker=asker), place=place)
    for number, place in enumerate(places, 1):
        dialogue = await store.dialogues.load(place)
        assert numbers(dialogue) == [number]
        assert dialogue.turns[0].asker.network == place.network


async def test_a_new_window_begins_without_turns_and_never_ends_by_an_older_one(
    store: Store,
) -> None:
    await put(store, turn(1), turn(2))
    await store.dialogues.put_window(TEA, 2, None)
    assert await store.dialogues.load(TEA) == StoredDialogue(window=2, newest=2)
    await store.dialogues.put_window(TEA, 1, summary(1, 2))
    await put(store, turn(3, window=2), turn(2))
    assert await store.dialogues.load(TEA) == StoredDialogue(2, 3, None, (turn(3, window=2),))


async def test_a_turn_of_a_newer_window_begins_it(store: Store) -> None:
    await put(store, turn(1))
    await store.dialogues.put_window(TEA, 1, summary(1, 1))
    await put(store, turn(2, window=2))
    assert await store.dialogues.load(TEA) == StoredDialogue(2, 2, None, (turn(2, window=2),))


async def test_a_summary_stands_for_its_turns_and_for_no_others(store: Store) -> None:
    await put(store, *map(turn, range(1, 9)))
    made = summary(2, 6, omitted=[4])
    await store.dialogues.put_window(TEA, 1, made)
    dialogue = await store.dialogues.load(TEA)
    assert dialogue.summary == made
    assert numbers(dialogue) == [1, 4, 7, 8]


async def test_a_newer_summary_replaces_an_older_one_and_not_the_reverse(store: Store) -> None:
    await put(store, *map(turn, range(1, 9)))
    older, newer = summary(1, 3), summary(1, 6, minute=1)
    for made in (older, newer, older):
        await store.dialogues.put_window(TEA, 1, made)
    await store.dialogues.put_window(TEA, 1, None)
    dialogue = await store.dialogues.load(TEA)
    assert (dialogue.summary, numbers(dialogue)) == (newer, [7, 8])


@pytest.mark.parametrize("last", [3, 5])
async def test_a_summary_of_a_turn_that_is_not_stored_is_not_stored(
    store: Store, last: int
) -> None:
    await put(store, turn(1), turn(2), turn(4))
    await store.dialogues.put_window(TEA, 1, summary(1, last))
    dialogue = await store.dialogues.load(TEA)
    assert (dialogue.summary, numbers(dialogue)) == (None, [1, 2, 4])
    made = summary(1, 4, omitted=[3])
    await store.dialogues.put_window(TEA, 1, made)
    assert (await store.dialogues.load(TEA)).summary == made


async def test_a_summary_of_an_earlier_window_s_turns_is_not_stored(store: Store) -> None:
    await put(store, turn(1), turn(2, window=2))
    await store.dialogues.put_window(TEA, 2, summary(1, 2))
    await store.dialogues.put_window(TEA, 1, summary(2, 2))
    assert (await store.dialogues.load(TEA)).summary is None


async def test_open_turns_of_one_network_are_cut_off(store: Store) -> None:
    here, there = TEA, DialoguePlace("other", "#tea")
    for place in (here, there, IN_PRIVATE):
        await put(store, turn(1, state=TurnState.OPEN), turn(2), place=place)
    assert await store.dialogues.mark_cut("net") == 2
    assert await store.dialogues.mark_cut("net") == 0
    await put(store, turn(1, state=TurnState.OPEN, steps=STEPS))
    assert await store.dialogues.mark_cut("net") == 0
    assert await store.dialogues.mark_cut("other") == 1
    assert numbers(await store.dialogues.load(here)) == [2]


@pytest.mark.parametrize("newest", ["#a[", "#a{"])
async def test_of_channels_that_turn_out_to_be_one_the_newest_dialogue_goes_on(
    store: Store, file: Path, newest: str
) -> None:
    await store.rooms.set_casemapping("net", "ascii")
    places = {name: DialoguePlace("net", name) for name in ("#a[", "#a{", "#b")}
    for name, place in places.items():
        await put(store, turn(5 if name == newest else 4), place=place)
    await store.rooms.set_casemapping("net", "rfc1459")
    assert await talk(store, places["#a["]) == await talk(store, places["#a{"]) == [5]
    assert await talk(store, places["#b"]) == [4]
    await store.rooms.set_casemapping("net", "ascii")
    for name, place in places.items():
        assert await talk(store, place) == [5 if name == newest else 4]
    await store.rooms.set_casemapping("net", "rfc1459")
    await store.removal.purge(PurgeTarget("ada"), asked_by="the operator", at=LATER)
    assert rows_of(file, "SELECT * FROM dialogue_turns") == []


async def test_a_network_that_gets_its_name_keeps_its_dialogues(file: Path) -> None:
    async with open_store(file) as store:
        here = DialoguePlace("irc", "#tea")
        await put(store, turn(), place=here)
        await put(store, turn(2), place=replace(IN_PRIVATE, network="irc"))
        await store.rooms.name_network("net")
        assert await store.dialogues.load(TEA) == StoredDialogue(newest=1, turns=(turn(),))
        assert await talk(store, IN_PRIVATE) == [2]
        assert await talk(store, here) == []


async def test_what_a_full_disk_refused_can_be_stored_later(store: Store) -> None:
    await put(store, turn(1))
    async with store._database.writing() as writer:  # noqa: SLF001 -- a full disk, made cheaply
        pages = await writer.value("PRAGMA page_count")
        await writer.rows(f"PRAGMA max_page_count={pages + 1}")
    long = turn(2, answer="tea " * 10_000)
    with pytest.raises(StoreFailed, match="The disk is full"):
        await store.dialogues.put_turn(TEA, long)
    with pytest.raises(StoreFailed, match="The disk is full"):
        await store.dialogues.put_window(TEA, 1, replace(summary(1, 1), text="tea " * 10_000))
    assert await store.dialogues.load(TEA) == StoredDialogue(newest=1, turns=(turn(1),))
    async with store._database.writing() as writer:  # noqa: SLF001 -- and there is room again
        await writer.rows("PRAGMA max_page_count=1000000")
    await put(store, long)
    assert await talk(store) == [1, 2]


async def test_two_hundred_turns_with_summaries_are_all_there(store: Store, file: Path) -> None:
    for number in range(1, 201):
        await put(store, turn(number, steps=STEPS[:1]))
        dialogue = await store.dialogues.load(TEA)
        covered = dialogue.summary.last if dialogue.summary else 0
        assert numbers(dialogue) == [*range(covered + 1, number + 1)]
        if len(dialogue.turns) > 20:
            made = summary(1, number - 6, minute=number)
            await store.dialogues.put_window(TEA, 1, made)
    assert len(await talk(store)) <= 20
    stored = rows_of(file, "SELECT number, question FROM dialogue_turns ORDER BY number")
    assert stored == [(number, f"question {number}") for number in range(1, 201)]


MANY = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
INSERT INTO dialogue_turns (dialogue, number, window, asked_at, nick, user, host, account,
  question, steps, answer, state)
SELECT CASE WHEN i <= 50000 THEN 1 ELSE 2 END, i, 1, '2026-05-01 12:00:00.000', 'ada', '', '', '',
  'question ' || i, '[]', 'an answer', 'done' FROM n"""
"""A hundred thousand turns, half of them in the window of one dialogue."""

QUICK = 0.01
"""Seconds of CPU that loading a dialogue may take: ten times as long as it does (2.5 GHz Xeon)."""


async def test_a_hundred_thousand_turns_do_not_slow_a_dialogue_down(
    store: Store, file: Path
) -> None:
    await put(store, turn(1), place=DialoguePlace("net", "#tea"))
    await put(store, turn(1), place=DialoguePlace("net", "#mate"))
    for sql in ("DELETE FROM dialogue_turns", MANY):
        write(file, sql)
    await store.dialogues.put_window(TEA, 1, summary(1, 49_980))
    took = []
    for _ in range(20):
        began = time.process_time()
        dialogue = await store.dialogues.load(TEA)
        took.append(time.process_time() - began)
    assert numbers(dialogue) == [*range(49_981, 50_001)]
    assert median(took) < QUICK


def written(store: Store) -> tuple[list[Write], list[Write]]:
    """The writes of a dialogue: of its turns, and of its windows with their summaries."""

    def of_turn(one: DialogueTurn) -> Write:
        return lambda: store.dialogues.put_turn(TEA, one)

    def of_window(window: int, made: DialogueSummary | None) -> Write:
        return lambda: store.dialogues.put_window(TEA, window, made)

    states = {TurnState.OPEN: 0, TurnState.DONE: 2}
    turns = [
        turn(number, window=1 + number // 5, state=state, steps=STEPS[:steps])
        for number in range(1, 9)
        for state, steps in states.items()
    ]
    stopped = turn(6, window=2, state=TurnState.STOPPED)
    windows = [(1, None), (1, summary(1, 3)), (2, None), (2, summary(5, 6, minute=1))]
    return (
        [of_turn(one) for one in (*turns, stopped)],
        [of_window(*one) for one in (*windows, (2, summary(5, 7, minute=2)))],
    )


@settings(max_examples=STORIES)
@given(st.integers(0, 2**32))
async def test_the_order_of_writes_and_how_often_they_are_repeated_makes_no_difference(
    seed: int,
) -> None:
    chance = Random(seed)  # noqa: S311 -- any order will do
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder) / "irc.db", SETTINGS) as store:
            turns, windows = written(store)
            anything = chance.choices([*turns, *windows], k=20)
            # A summary is written once its turns are.
            for write_one in (
                *anything,
                *chance.sample(turns, len(turns)),
                *chance.sample(windows, len(windows)),
            ):
                await write_one()
            dialogue = await store.dialogues.load(TEA)
            assert (dialogue.window, dialogue.newest) == (2, 8)
            assert dialogue.summary == summary(5, 7, minute=2)
            assert dialogue.turns == (turn(8, window=2, steps=STEPS[:2]),)
