"""What a dialogue loses when the disk cannot be read or written: nothing that was there before."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.irc_bridge.dialogue import memory as dialogue_memory
from terrarium_mcp.irc_bridge.dialogue import unwritten
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory, DialogueUnreadable
from terrarium_mcp.irc_bridge.dialogue.unwritten import UnwrittenState
from terrarium_mcp.store import (
    DialoguePlace,
    DialogueTurn,
    Store,
    StoredDialogue,
    TurnState,
    open_store,
)
from tests.irc_bridge.dialogue.test_turns import TEA, execute_in, turn
from tests.irc_bridge.house import said
from tests.patience import PATIENCE
from tests.servers.beside import beside


@asynccontextmanager
async def unreadable(file: Path) -> AsyncIterator[None]:
    """A database whose dialogues cannot be read inside the block."""
    execute_in(file, "ALTER TABLE dialogues RENAME COLUMN newest TO gone")
    yield
    execute_in(file, "ALTER TABLE dialogues RENAME COLUMN gone TO newest")


def memory_of(store: Store) -> DialogueMemory:
    return DialogueMemory(store, "local", lambda: timedelta(hours=2))


async def ask(memory: DialogueMemory, question: str, sources: frozenset[int] = frozenset()) -> None:
    """A question that is answered from messages."""
    before, asked = await memory.current(TEA), turn(1, question)
    with memory.turn(
        TEA, before, asked.asker, question, message_id=0, is_off_record=lambda: False
    ) as opened:
        opened.answer("yes", (), sources)
        opened.said()


async def write_all(memory: DialogueMemory) -> None:
    """Write as at the end of the program."""
    memory.finish()
    await memory.run()


async def test_a_dialogue_that_could_not_be_read_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    async with open_store(file) as store:
        await store.dialogues.put_turn(TEA, turn(1, "who fixed the gate?"))
        memory = memory_of(store)
        async with unreadable(file):
            await ask(memory, "so?")
        await write_all(memory)
        kept = (await store.dialogues.load(TEA)).turns
    assert [one.question for one in kept] == ["who fixed the gate?"]


async def test_a_dialogue_that_was_read_before_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    async with open_store(file) as store:
        await store.dialogues.put_window(TEA, 3, None)
        memory = memory_of(store)
        await ask(memory, "who?")
        async with unreadable(file):
            await ask(memory, "when?")
        await write_all(memory)
        kept = (await store.dialogues.load(TEA)).turns
    assert [(one.number, one.window, one.question) for one in kept] == [
        (1, 3, "who?"),
        (2, 3, "when?"),
    ]


async def test_a_turn_that_is_written_while_its_dialogue_is_read_is_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(tmp_path / "irc_logs.db") as store:
        memory, load = memory_of(store), store.dialogues.load

        async def load_slowly(place: DialoguePlace) -> StoredDialogue:
            found = await load(place)
            await write_all(memory)
            return found

        await ask(memory, "who?")
        monkeypatch.setattr(store.dialogues, "load", load_slowly)
        found = await memory.current(TEA)
    assert [one.question for one in found.turns] == ["who?"]


async def test_a_question_that_is_answered_at_once_is_written_with_its_answer_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogue_memory, "OPENED_AFTER", PATIENCE)
    written = list[TurnState]()
    async with open_store(tmp_path / "irc_logs.db") as store:
        memory, put_turn = memory_of(store), store.dialogues.put_turn

        async def noted(place: DialoguePlace, turn: DialogueTurn) -> bool:
            written.append(turn.state)
            return await put_turn(place, turn)

        monkeypatch.setattr(store.dialogues, "put_turn", noted)
        async with beside(memory.run):
            before, who = await memory.current(TEA), turn(1, "who?").asker
            with memory.turn(
                TEA, before, who, "who?", message_id=0, is_off_record=lambda: False
            ) as opened:
                await anyio.wait_all_tasks_blocked()
                opened.answer("bo", (), frozenset())
                opened.said()
            memory.finish()
        kept = (await store.dialogues.load(TEA)).turns
    assert written == [TurnState.DONE]
    assert [one.answer for one in kept] == ["bo"]


async def test_a_talk_that_rests_on_too_many_lines_starts_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogue_memory, "MOST_SOURCES", 3)
    async with open_store(tmp_path / "irc_logs.db") as store:
        ids = await store.messages.append([said(f"line {number}") for number in range(4)])
        kept = memory_of(store)
        await ask(kept, "who?", frozenset(ids[:2]))
        await ask(kept, "when?", frozenset(ids[1:3]))
        assert [one.question for one in (await kept.current(TEA)).turns] == ["who?", "when?"]
        await ask(kept, "where?", frozenset(ids))
        assert await kept.current(TEA) == StoredDialogue(window=2, newest=3)
        await write_all(kept)
        assert await store.dialogues.load(TEA) == StoredDialogue(window=2, newest=3)


async def test_clear_does_not_claim_to_clear_what_it_cannot_read(tmp_path: Path) -> None:
    file = tmp_path / "irc_logs.db"
    async with open_store(file) as store:
        await store.dialogues.put_turn(TEA, turn(1, "who?"))
        memory = memory_of(store)
        async with unreadable(file):
            with pytest.raises(DialogueUnreadable, match="nothing is cleared"):
                await memory.clear(TEA)


async def test_a_write_that_fails_for_good_takes_no_newer_one_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unwritten, "TRIES", 1)
    state, written = UnwrittenState(), anyio.Event()

    async def newer() -> None:
        written.set()

    async def older() -> None:
        state.put((TEA, 0), "newer", newer)  # comes while this one is tried
        raise TerrariumError("no room")

    state.put((TEA, 0), "older", older)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(state.run)
        with anyio.move_on_after(5):
            await written.wait()
        state.finish()
    assert written.is_set()
