"""What the bot is in the middle of is stored whole, and comes back as it was said."""

from dataclasses import replace

import pytest

from terrarium_mcp.store import (
    DialoguePlace,
    Store,
    StoredDialogue,
    ToolStep,
    TurnState,
)
from tests.store.dialogues import ADA, IN_PRIVATE, TEA, numbers, put, summary, turn

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


async def test_only_turns_that_are_done_are_part_of_the_talk(store: Store) -> None:
    states = [TurnState.OPEN, TurnState.DONE, TurnState.STOPPED, TurnState.CUT, TurnState.DONE]
    await put(store, *(turn(number, state=state) for number, state in enumerate(states, 1)))
    dialogue = await store.dialogues.load(TEA)
    assert (numbers(dialogue), dialogue.newest) == ([2, 5], 5)


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
        asker = replace(ADA, network=place.network)
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
