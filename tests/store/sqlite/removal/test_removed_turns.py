"""A turn of the bot's goes with what it rests on, and nothing that comes late brings it back."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.settings import RoomDays, Settings
from terrarium_mcp.store import (
    DialoguePlace,
    PurgeTarget,
    RemovalReason,
    Store,
    StoredDialogue,
    TurnState,
    open_store,
)
from tests.patience import PATIENCE
from tests.store.children import PURGED, child
from tests.store.dialogues import ADA, BO, IN_PRIVATE, TEA, put, summary, talk, turn
from tests.store.scene import NOON, SETTINGS, chat, line_of, redact, rows_of
from tests.store.sqlite.imports.logs import bring, logged
from tests.store.sqlite.removal.test_retention import retention

LATER = datetime(2026, 6, 1, tzinfo=UTC)
SOON = NOON + timedelta(hours=2)
MONTH = Settings(network="net", retention_days=30)
TABLES = ("dialogue_turns", "dialogue_sources", "dialogue_summaries")
Remove = Callable[[Store], Awaitable[object]]


async def redacted(store: Store) -> None:
    assert await redact(store, 1, SOON)


async def purged(store: Store) -> None:
    await store.removal.purge(PurgeTarget("ada"), asked_by="the operator", at=SOON)


async def forgotten(store: Store) -> None:
    await store.removal.purge(PurgeTarget.asking(ADA), asked_by="!forget", at=SOON)


async def aged(store: Store) -> None:
    assert await retention(store, MONTH).apply(NOON + timedelta(days=30, seconds=30)) == 1


async def undone(store: Store) -> None:
    await store.imports.undo(1)


async def opted_out(store: Store) -> None:
    await store.opt_outs.add(ADA, SOON)


WAYS: Sequence[Remove] = (redacted, purged, forgotten, aged, undone)


async def scene(store: Store) -> None:
    """A line of ada's, imported, and three of bo's, a minute later."""
    hers = [line._replace(account="countess") for line in chat("<ada> the zwiebel is out")]
    await bring(store, logged(hers))
    later = NOON + timedelta(minutes=1)
    await store.messages.append(chat("<bo> what?\n<bo> tea\n<bo> who has it?", at=later))


@pytest.mark.parametrize("remove", WAYS)
async def test_with_a_message_go_the_turns_that_rest_on_it_and_no_others(
    store: Store, file: Path, remove: Remove
) -> None:
    await scene(store)
    await put(
        store,
        turn(1, asker=BO, message_id=1, answer="zwiebel"),
        turn(2, asker=BO, sources=frozenset((1, 2, 3)), answer="zwiebel"),
        turn(3, asker=BO, message_id=4, sources=frozenset((2, 3))),
    )
    await put(store, turn(1, asker=BO, sources=frozenset((1,))), place=IN_PRIVATE)
    await remove(store)
    assert (await talk(store), await talk(store, IN_PRIVATE)) == ([3], [])
    counts = [rows_of(file, f"SELECT count(*) FROM {table}") for table in TABLES]  # noqa: S608 -- names
    assert counts == [[(1,)], [(2,)], [(0,)]]
    assert (await store.removal.audit())[-1].turns == 3


@pytest.mark.parametrize("remove", WAYS)
async def test_with_a_turn_goes_its_summary_and_the_others_are_part_of_the_talk_again(
    store: Store, remove: Remove
) -> None:
    await scene(store)
    await put(store, *(turn(number, asker=BO) for number in range(1, 7)))
    await put(store, turn(3, asker=BO, sources=frozenset((1,))))
    await store.dialogues.put_window(TEA, 1, summary(1, 4))
    assert await talk(store) == [5, 6]
    await remove(store)
    dialogue = await store.dialogues.load(TEA)
    assert dialogue.summary is None
    assert await talk(store) == [1, 2, 4, 5, 6]


@pytest.mark.parametrize("remove", WAYS)
async def test_a_summary_that_does_not_rest_on_the_removed_turn_stays(
    store: Store, remove: Remove
) -> None:
    await scene(store)
    await put(store, *(turn(number, asker=BO) for number in range(1, 7)))
    await put(store, *(turn(n, asker=BO, sources=frozenset((1,))) for n in (1, 3, 6)))
    made = summary(2, 4, omitted=[3])
    await store.dialogues.put_window(TEA, 1, made)
    await remove(store)
    dialogue = await store.dialogues.load(TEA)
    assert dialogue.summary == made
    assert await talk(store) == [5]
    assert dialogue.newest == 6


@pytest.mark.parametrize("remove", WAYS)
async def test_what_was_removed_is_no_longer_recorded(store: Store, remove: Remove) -> None:
    await scene(store)
    assert await store.messages.recorded([1, 2, 99]) == {1, 2}
    await remove(store)
    assert await store.messages.recorded([1, 2, 99]) == {2}


@pytest.mark.parametrize("remove", [purged, forgotten])
async def test_everything_that_a_person_asked_goes_and_nothing_of_others(
    store: Store, file: Path, remove: Remove
) -> None:
    logged_out = ADA._replace(account="")
    namesake = Identity("net", "ada", "~eve", "elsewhere.example", "eve")
    there = DialoguePlace("other", "#tea")
    await put(store, turn(1), turn(2, asker=BO), turn(3, asker=namesake), turn(4, window=2))
    await put(store, turn(1, asker=logged_out), turn(2, state=TurnState.OPEN), place=IN_PRIVATE)
    await put(store, turn(1, asker=ADA._replace(network="other")), place=there)
    traces = await store.removal.traces(PurgeTarget("ada"))
    assert (traces.turns, traces.total) == (6, 6)
    await remove(store)
    left = rows_of(
        file,
        "SELECT network, account, number FROM dialogue_turns t JOIN dialogues d"
        " ON d.id = t.dialogue ORDER BY t.id",
    )
    kept: dict[Remove, list[tuple[str, str, int]]] = {
        purged: [("net", "", 2)],
        forgotten: [("net", "", 2), ("net", "eve", 3), ("other", "countess", 1)],
    }
    assert left == kept[remove]


async def test_the_purge_of_another_network_s_person_leaves_them(store: Store) -> None:
    await put(store, turn())
    await store.removal.purge(PurgeTarget("ada", "other"), asked_by="the operator", at=SOON)
    assert await talk(store) == [1]


async def test_a_person_s_traces_count_the_turns_that_rest_on_their_lines(store: Store) -> None:
    await scene(store)
    await put(
        store,
        turn(1, asker=BO, message_id=1),
        turn(2, asker=BO, sources=frozenset((1, 2))),
        turn(3, asker=BO, message_id=2, sources=frozenset((2, 3))),
        turn(4, message_id=1),
    )
    for target in (PurgeTarget("Ada"), PurgeTarget.asking(ADA)):
        assert (await store.removal.traces(target)).turns == 3
        assert (await store.removal.traces(replace(target, network="net"))).total == 4
    result = await store.removal.purge(PurgeTarget("ada"), asked_by="the operator", at=SOON)
    assert (result.messages, result.turns) == (1, 3)
    [entry] = await store.removal.audit()
    assert (entry.why, entry.messages, entry.turns) == (RemovalReason.PURGE, 1, 3)


async def test_a_purge_of_turns_alone_is_audited(store: Store) -> None:
    await put(store, turn())
    await purged(store)
    [entry] = await store.removal.audit()
    assert (entry.nick, entry.messages, entry.turns) == ("ada", 0, 1)


@pytest.mark.parametrize("remove", [*WAYS, opted_out])
@pytest.mark.parametrize("changes", [{"message_id": 1}, {"sources": frozenset((1, 3))}])
async def test_what_comes_late_brings_nothing_back(
    store: Store, remove: Remove, changes: dict[str, object]
) -> None:
    await scene(store)
    asked = turn(2, state=TurnState.OPEN, **changes)
    answered = replace(asked, answer="the zwiebel", state=TurnState.DONE)
    await put(store, turn(1, asker=BO), asked)
    await remove(store)
    assert not await store.dialogues.put_turn(TEA, answered)
    await store.dialogues.put_window(TEA, 1, summary(1, 2))
    assert await store.dialogues.load(TEA) == StoredDialogue(newest=2, turns=(turn(1, asker=BO),))


@pytest.mark.parametrize("remove", [purged, forgotten, opted_out])
@pytest.mark.parametrize("later", [timedelta(), timedelta(milliseconds=1)], ids=["late", "since"])
async def test_what_a_person_asked_that_rests_on_nothing_does_not_come_back_either(
    store: Store, remove: Remove, later: timedelta
) -> None:
    await put(store, turn(1), turn(2, asker=BO))
    await remove(store)
    is_stored = await store.dialogues.put_turn(TEA, turn(1, asked_at=SOON + later))
    assert is_stored == (bool(later) and remove is not opted_out)
    assert await talk(store) == ([1, 2] if is_stored else [2])


@pytest.mark.parametrize("remove", [redacted, purged, forgotten])
async def test_what_comes_late_removes_what_is_stored_of_its_turn_and_the_summary_of_it(
    store: Store, remove: Remove
) -> None:
    await scene(store)
    await put(store, turn(1, asker=BO), turn(2, asker=BO))
    await store.dialogues.put_window(TEA, 1, summary(1, 2))
    await remove(store)
    assert await talk(store) == []
    late = turn(2, asker=BO, sources=frozenset((1,)))
    assert not await store.dialogues.put_turn(TEA, late)
    assert await talk(store) == [1]


async def test_what_somebody_asks_after_a_removal_is_stored(store: Store) -> None:
    await scene(store)
    await redacted(store)
    await forgotten(store)
    await purged(store)
    await put(store, turn(asked_at=SOON + timedelta(milliseconds=1)))
    assert await talk(store) == [1]


async def test_a_tombstone_is_a_source_of_what_was_asked_later(store: Store) -> None:
    await scene(store)
    await redacted(store)
    rests = turn(asker=BO, sources=frozenset((1, 2)))
    assert not await store.dialogues.put_turn(TEA, replace(rests, asked_at=SOON))
    await put(store, replace(rests, asked_at=SOON + timedelta(milliseconds=1)))


async def test_a_private_question_is_a_line_too(store: Store) -> None:
    [line] = await store.messages.append(chat("<ada> where?", channel="Terra"))
    assert not await store.dialogues.put_turn(IN_PRIVATE, turn(message_id=line + 1))
    await put(store, turn(message_id=line, asker=BO), place=IN_PRIVATE)
    await purged(store)
    assert await talk(store, IN_PRIVATE) == []


async def test_a_removed_number_is_not_given_twice(store: Store) -> None:
    await put(store, turn(1, asker=BO), turn(2))
    await store.dialogues.put_window(TEA, 3, None)
    await purged(store)
    assert await store.dialogues.load(TEA) == StoredDialogue(window=3, newest=2)


@pytest.mark.parametrize(
    ("channel", "days"), [("#tea", 10), ("#mate", 30), ("#cocoa", 0), ("", 30)]
)
async def test_turns_are_kept_as_long_as_their_channel_s_lines(
    store: Store, channel: str, days: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    rooms = (RoomDays("#TEA", 10), RoomDays("#cocoa", 0))
    settings = Settings(network="net", retention_days=30, retention_by_channel=rooms)
    kept = retention(store, settings)
    place = DialoguePlace("net", channel) if channel else IN_PRIVATE
    await put(store, turn(1), turn(2, asked_at=NOON + timedelta(days=1)), place=place)
    await store.dialogues.put_window(place, 1, summary(1, 1))
    old = NOON + timedelta(days=days or 1000, minutes=1)
    assert await kept.apply(old) == 0
    assert (await store.dialogues.load(place)).summary
    await kept.apply(old + timedelta(milliseconds=1))
    assert await talk(store, place) == [2]
    assert (await store.dialogues.load(place)).summary == (None if days else summary(1, 1))
    told = "removed 0 messages and 1 turn of dialogues past their retention period"
    assert (told in caplog.messages) == bool(days)
    audited = [(one.why, one.messages, one.turns) for one in await store.removal.audit()]
    assert audited == ([(RemovalReason.RETENTION, 0, 1)] if days else [])


async def test_the_keeper_removes_old_turns_by_itself(file: Path) -> None:
    async with open_store(file, SETTINGS) as store:
        await put(store, turn(1), turn(2, asked_at=datetime.now(UTC)))
    async with open_store(file, MONTH) as store:
        with anyio.fail_after(PATIENCE):
            while await talk(store) != [2]:
                pass


async def test_who_somebody_is_in_private_is_in_no_table_once_they_are_forgotten(
    store: Store, file: Path
) -> None:
    place = DialoguePlace("net", person="user@host ~ada@host.example")
    await put(store, turn(), place=place)
    await forgotten(store)
    [row] = rows_of(file, "SELECT * FROM dialogues")
    assert not any("ada" in str(value) or "host" in str(value) for value in row)


async def test_no_turn_of_another_process_rests_on_what_this_one_removes(
    store: Store, file: Path
) -> None:
    said = [line_of(f"nick{number % 8}", "tea", NOON) for number in range(80)]
    await store.messages.append(said)
    async with child("answer", file, len(said)) as bridge:
        await bridge.go()
        for nick in PURGED[:4]:
            await bridge.says()
            at = datetime.now(UTC)
            await store.removal.purge(PurgeTarget(nick), asked_by="the operator", at=at)
        for _ in range(20):
            await bridge.says()
        await bridge.kill()
    gone = "message NOT IN (SELECT id FROM messages)"
    assert rows_of(file, f"SELECT * FROM dialogue_sources WHERE {gone}") == []  # noqa: S608 -- a constant
    left = "turn NOT IN (SELECT id FROM dialogue_turns)"
    assert rows_of(file, f"SELECT * FROM dialogue_sources WHERE {left}") == []  # noqa: S608 -- the same
    assert await talk(store)
    assert sum(entry.turns for entry in await store.removal.audit()) > 0
