"""What is no longer quoted is summarised: after the answer, never before, and nothing is lost."""

import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.answer.budget import HARD_LIMIT, SUMMARY_SHARE
from terrarium_mcp.irc_bridge.answer.past_turns import MOST_STEPS
from terrarium_mcp.irc_bridge.dialogue import summaries
from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summaries import Summarizer
from terrarium_mcp.irc_bridge.dialogue.summary_prompt import (
    KEPT_TURNS,
    MOST_TURNS,
    SUMMARY_TOKENS,
    is_due,
    summary_request,
    summary_text,
)
from terrarium_mcp.irc_bridge.model import model_queue
from terrarium_mcp.irc_bridge.model.chat_types import ChatMessage
from terrarium_mcp.irc_bridge.model.model_queue import ModelQueue
from terrarium_mcp.store import DialoguePlace, DialogueSummary, StoredDialogue, ToolStep
from tests.irc_bridge.dialogue.test_turns import check_valid, questions, turn
from tests.irc_bridge.house import Study, study
from tests.irc_bridge.test_bridge import playing
from tests.patience import PATIENCE
from tests.servers.agent import (
    Answer,
    StrictAgent,
    calls,
    fails,
    hangs,
    is_summary,
    reasons,
    says,
    strict_agent,
)
from tests.servers.beside import beside
from tests.servers.ircd import Ircd
from tests.store.scene import rows_of

TEA = DialoguePlace("local", "#tea")
ADA = Identity("local", "ada", "ada", "example.org")


@pytest.fixture(autouse=True)
def unhurried_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a dialogue loses that cannot be read in a second is for test_memory.py.

    A question is then asked without the turns, and of two hundred reads one may take that long on
    a busy machine.
    """
    monkeypatch.setattr("terrarium_mcp.irc_bridge.dialogue.memory.READ_WITHIN", PATIENCE)


def dialogue(*numbers: int, summary: DialogueSummary | None = None) -> StoredDialogue:
    return StoredDialogue(
        1, max(numbers), summary, tuple(turn(number, f"fact {number}?") for number in numbers)
    )


@dataclass
class Talk:
    """A dialogue in #tea that is held without a network."""

    study: Study
    dialogues: DialogueMemory
    summarizer: Summarizer

    async def asks(self, text: str) -> list[str]:
        """Hold one turn, as the responder would; returns the lines said."""
        before = await self.dialogues.current(TEA)
        with self.dialogues.turn(
            TEA, before, ADA, text, message_id=0, is_off_record=lambda: False
        ) as held:
            async with self.study.llm.queue.question():
                found = await self.study.asks(text, dialogue=before)
            held.answer("\n".join(found.lines), found.steps, found.shown)
            held.said()
        self.summarizer.consider(TEA, replace(before, turns=(*before.turns, held.turn)))
        return list(found.lines)

    async def has_summary(self, last: int) -> DialogueSummary:
        """Wait until the summary reaches a turn."""
        with anyio.fail_after(PATIENCE):
            while True:
                summary = (await self.dialogues.current(TEA)).summary
                if summary and summary.last >= last:
                    return summary
                await anyio.sleep(0.01)


@asynccontextmanager
async def talk(folder: Path, agent: StrictAgent, **more: Any) -> AsyncIterator[Talk]:
    async with study(folder, agent, **more) as scene:
        dialogues = DialogueMemory(scene.store, "local", lambda: scene.settings.stale_after)
        summarizer = Summarizer(dialogues, scene.llm, lambda: scene.settings)
        async with beside(dialogues.run), beside(summarizer.run):
            try:
                yield Talk(scene, dialogues, summarizer)
            finally:
                dialogues.finish()


async def test_the_twenty_first_turn_has_the_older_ones_summarised(tmp_path: Path) -> None:
    def think(request: dict[str, Any]) -> Answer:
        return says("ada asked about facts 1 to 15" if is_summary(request) else "yes")

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, MOST_TURNS + 1):
            await scene.asks(f"fact {number}?")
        assert not any(map(is_summary, agent.requests))
        await scene.asks("fact 21?")
        summary = await scene.has_summary(15)
        await scene.asks("fact 22?")
    assert (summary.first, summary.last) == (1, 15)
    (asked,) = filter(is_summary, agent.requests)
    assert agent.requests.index(asked) == 21  # after the answer, and before the next question
    last = agent.requests[-1]
    assert last["messages"][0]["content"].endswith("ada asked about facts 1 to 15")
    assert questions(last) == [f"fact {number}?" for number in range(16, 23)]


async def test_a_dialogue_is_read_again_only_for_a_summary_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        current, reads = scene.dialogues.current, list[DialoguePlace]()

        async def counted(place: DialoguePlace) -> StoredDialogue:
            reads.append(place)
            return await current(place)

        monkeypatch.setattr(scene.dialogues, "current", counted)
        agent.thinks = lambda _: says("yes")
        for number in range(1, MOST_TURNS + 1):
            await scene.asks(f"fact {number}?")
            await anyio.wait_all_tasks_blocked()
        assert reads == [TEA] * MOST_TURNS  # before each question
        await scene.asks("fact 21?")
        with anyio.fail_after(PATIENCE):
            await agent.asked(1, is_summary)
            async with scene.study.llm.queue.question():  # until that summary has ended
                await anyio.wait_all_tasks_blocked()
        assert reads == [TEA] * (MOST_TURNS + 2)
        assert (await current(TEA)).summary


async def test_turns_that_are_too_long_are_summarised_sooner(tmp_path: Path) -> None:
    def think(request: dict[str, Any]) -> Answer:
        return says("notes" if is_summary(request) else "word " * 200)

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, KEPT_TURNS + 2):
            await scene.asks(f"fact {number}?")
        summary = await scene.has_summary(1)
    assert (summary.first, summary.last) == (1, 1)


async def test_two_hundred_turns_lose_no_turn_and_no_fact_that_the_notes_kept(
    tmp_path: Path,
) -> None:
    """Every tenth question states a fact; the notes keep the facts of the notes and the turns."""
    facts = {number: f"KEY{number:03}" for number in range(10, 201, 10)}
    sizes: list[int] = []

    def think(request: dict[str, Any]) -> Answer:
        text = "\n".join(message["content"] for message in request["messages"])
        sizes.append(estimated_tokens(text))
        if is_summary(request):
            return says(" ".join(sorted(set(re.findall(r"KEY\d+", text)))))
        return says("noted")

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, 201):
            await scene.asks(f"{number}: {facts.get(number, 'hello')} {'chatter ' * 10}?")
        await scene.asks("which keys do you know?")
        stored = await scene.dialogues.current(TEA)
    final = [request for request in agent.requests if not is_summary(request)][-1]
    known = set(re.findall(r"KEY\d+", "\n".join(one["content"] for one in final["messages"])))
    assert known == set(facts.values())
    assert max(sizes) <= HARD_LIMIT
    assert stored.newest == 201
    file = tmp_path / "irc_logs.db"
    assert rows_of(file, "SELECT count(*), sum(state = 'done') FROM dialogue_turns") == [(201, 201)]


async def test_after_a_summary_every_tool_message_still_follows_its_call(tmp_path: Path) -> None:
    def think(request: dict[str, Any]) -> Answer:
        if is_summary(request):
            return says("notes")
        answered = request["messages"][-1]["role"] == "tool"
        return says("yes") if answered else calls("search_irc_history", query="gate")

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, MOST_TURNS + 2):
            await scene.asks(f"fact {number}?")
        await scene.has_summary(1)
        await scene.asks("and now?")
    for request in agent.requests:
        check_valid(request)
    last = agent.requests[-1]["messages"]
    assert sum(one["role"] == "tool" for one in last) > KEPT_TURNS
    assert last[0]["content"].endswith("notes")


async def test_the_notes_so_far_are_in_the_prompt_of_the_next() -> None:
    omitted, sources = frozenset({3}), frozenset({7})
    before = DialogueSummary("Bo fixed the gate.", 1, 10, datetime.now(UTC), omitted, sources)
    earlier = dialogue(*range(11, 22), summary=before)
    turns = tuple(replace(one, message_id=one.number * 10) for one in earlier.turns)
    request = summary_request(replace(earlier, turns=turns), UTC)
    assert request
    _, user = request.talk
    assert isinstance(user, ChatMessage)
    assert user.text.startswith("The notes so far:\nBo fixed the gate.\n\n")
    assert (request.first, request.last, request.omitted) == (1, 15, omitted)
    assert request.rests_on == {7, 110, 120, 130, 140, 150}


async def test_a_turn_that_was_stopped_or_removed_is_not_what_a_summary_rests_on() -> None:
    request = summary_request(dialogue(1, 2, 5, *range(7, 13)), UTC)
    assert request
    assert (request.first, request.last, request.omitted) == (1, 5, frozenset({3, 4}))


@pytest.mark.parametrize("searched", ["садовая калитка " * 18, "the garden gate " * 18, "gate"])
async def test_long_calls_of_a_turn_leave_its_answer_to_the_summary(searched: str) -> None:
    step = ToolStep(1, "search_irc_history", f'{{"query": "{searched}"}}', "")
    steps = (step,) * MOST_STEPS
    turns = tuple(
        replace(turn(number, "кто чинил калитку?", "Борис; ключ под горшком."), steps=steps)
        for number in range(1, KEPT_TURNS + 2)
    )
    request = summary_request(StoredDialogue(1, len(turns), None, turns), UTC)
    assert request
    told = request.talk[1]
    assert isinstance(told, ChatMessage)
    assert told.text.endswith("\nanswer: Борис; ключ под горшком.")
    assert f'looked up: search_irc_history {{"query": "{searched[:200]}' in told.text
    assert estimated_tokens(told.text) <= 500


async def test_turns_that_do_not_fit_wait_for_the_next_summary() -> None:
    turns = tuple(turn(number, "so?", "word " * 1_000) for number in range(1, 30))
    request = summary_request(StoredDialogue(1, 29, None, turns), UTC)
    assert request
    assert 1 < request.last < 23
    assert estimated_tokens("".join(getattr(one, "text", "") for one in request.talk)) < 3_600


def test_the_newest_turns_are_never_summarised() -> None:
    assert summary_request(dialogue(*range(1, KEPT_TURNS + 1)), UTC) is None
    assert not is_due(dialogue(*range(1, KEPT_TURNS + 1)), UTC)
    assert not is_due(dialogue(*range(1, MOST_TURNS + 1)), UTC)
    assert is_due(dialogue(*range(1, MOST_TURNS + 2)), UTC)


def test_a_summary_is_harmless_and_keeps_to_its_share() -> None:
    assert summary_text("a\x02b\u202e\r\n\n c ") == "ab\nc"
    assert estimated_tokens(summary_text("word " * 5_000)) <= SUMMARY_SHARE


async def test_a_bug_costs_one_summary_and_none_of_those_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def think(request: dict[str, Any]) -> Answer:
        return says("notes" if is_summary(request) else "yes")

    def fails_to_read(_: str) -> str:
        raise KeyError("a bug of ours")

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, KEPT_TURNS + 2):
            await scene.asks(f"fact {number}?")
        with anyio.fail_after(PATIENCE):
            with monkeypatch.context() as patch:
                patch.setattr(summaries, "summary_text", fails_to_read)
                assert await scene.summarizer.compact(TEA) is None
            made = await scene.summarizer.compact(TEA)
    assert made
    assert made.text == "notes"
    assert "KeyError: 'a bug of ours'" in caplog.text


@pytest.mark.parametrize("failure", [fails(500), says(""), reasons(), fails(400)])
async def test_a_failed_summary_changes_nothing_and_is_tried_after_the_next_answer(
    tmp_path: Path, failure: Answer
) -> None:
    failed, mended = anyio.Event(), False

    def think(request: dict[str, Any]) -> Answer:
        nonlocal mended
        if not is_summary(request):
            # A question waits until no summary is being made.
            mended = "fact 22?" in request["messages"][-1]["content"]
            return says("yes")
        failed.set()
        return says("notes") if mended else failure

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, MOST_TURNS + 2):
            await scene.asks(f"fact {number}?")
        with anyio.fail_after(PATIENCE):
            await failed.wait()
        before = await scene.dialogues.current(TEA)
        assert (len(before.turns), before.summary) == (MOST_TURNS + 1, None)
        await scene.asks("fact 22?")
        summary = await scene.has_summary(16)
    assert (summary.first, summary.last) == (1, 16)


@pytest.mark.parametrize("max_tokens", [50, 512, 2_000])
async def test_a_model_that_only_reasoned_gets_more_room_for_the_summary(
    tmp_path: Path, max_tokens: int
) -> None:
    def think(request: dict[str, Any]) -> Answer:
        if not is_summary(request):
            return says("word " * 200)
        return reasons() if request["max_tokens"] < 1_000 else says("notes")

    more = {"agent_max_tokens": max_tokens}
    async with strict_agent() as agent, talk(tmp_path, agent, **more) as scene:
        agent.thinks = think
        for number in range(1, KEPT_TURNS + 2):
            await scene.asks(f"fact {number}?")
        summary = await scene.has_summary(1)
    assert summary.text == "notes"
    first, second = filter(is_summary, agent.requests)
    assert first["max_tokens"] == SUMMARY_TOKENS
    assert 1_000 < second["max_tokens"] <= 2_500
    assert first["messages"] == second["messages"]
    assert len(agent.forwarded[-1]) == 2  # nothing of a whole prompt is cut by the agent


async def test_a_summary_that_failed_often_is_tried_less_and_less_often(tmp_path: Path) -> None:
    tried_after: list[int] = []
    answers = 0

    def think(request: dict[str, Any]) -> Answer:
        nonlocal answers
        if is_summary(request):
            tried_after.append(answers)
            return says("")
        answers += 1
        return says("yes")

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        due = [21, 22, 24, 28, 36, 44, 52, 60]
        for number in range(1, due[-1] + 1):
            await scene.asks(f"fact {number}?")
            if number in due:
                with anyio.fail_after(PATIENCE):
                    await agent.asked(due.index(number) + 1, is_summary)
                    async with scene.study.llm.queue.question():  # until that summary has ended
                        await anyio.wait_all_tasks_blocked()
        assert tried_after == due
        assert await scene.summarizer.compact(TEA) is None
        assert tried_after[-1] == 60
    assert len(tried_after) == 9


async def test_a_model_that_is_away_is_in_the_log_once_and_then_no_summary_is_tried(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "terrarium_mcp.irc_bridge")
    is_away = False

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = lambda _: fails(500) if is_away else says("yes")
        for number in range(1, MOST_TURNS + 1):
            await scene.asks(f"fact {number}?")
        is_away = True
        for number in range(MOST_TURNS + 1, MOST_TURNS + 10):
            await scene.asks(f"fact {number}?")
        with anyio.fail_after(PATIENCE):
            assert await scene.summarizer.compact(TEA) is None
    told = [one.message for one in caplog.records if one.levelno >= logging.INFO]
    assert len([text for text in told if "500" in text]) == 1
    tried = [text for text in caplog.messages if text.startswith("a summary failed")]
    assert tried
    assert not [text for text in tried if "It gets no requests" in text]


async def test_a_turn_that_arrives_meanwhile_is_not_lost(tmp_path: Path) -> None:
    def think(request: dict[str, Any]) -> Answer:
        return hangs(says("notes")) if is_summary(request) else says("yes")

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, MOST_TURNS + 2):
            await scene.asks(f"fact {number}?")
        with anyio.fail_after(PATIENCE):
            await agent.asked(MOST_TURNS + 2)
            before = await scene.dialogues.current(TEA)
            with scene.dialogues.turn(
                TEA, before, ADA, "late?", message_id=0, is_off_record=lambda: False
            ) as late:
                late.answer("yes", (), frozenset())
                late.said()
            agent.release()
        await scene.has_summary(15)
        after = await scene.dialogues.current(TEA)
    assert [one.question for one in after.turns] == [
        *(f"fact {number}?" for number in range(16, 22)),
        "late?",
    ]


async def test_a_question_does_not_wait_for_a_summary_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_queue, "GRACE", 0.05)

    def think(request: dict[str, Any]) -> Answer:
        return hangs() if is_summary(request) else says("yes")

    async with strict_agent() as agent, talk(tmp_path, agent) as scene:
        agent.thinks = think
        for number in range(1, MOST_TURNS + 2):
            await scene.asks(f"fact {number}?")
        with anyio.fail_after(PATIENCE):
            await agent.asked(MOST_TURNS + 2)
            assert await scene.asks("still there?") == ["yes"]
        assert (await scene.dialogues.current(TEA)).summary is None


async def test_a_summary_waits_for_every_question() -> None:
    queue, done = ModelQueue(), list[str]()
    asked = anyio.Event()

    async def ask(name: str) -> None:
        async with queue.question():
            await asked.wait()
            done.append(name)

    async def summarise() -> None:
        async def work() -> None:
            done.append("summary")

        assert await queue.in_spare_time(work, 5)

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "first")
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(summarise)
            tasks.start_soon(ask, "second")
            await anyio.wait_all_tasks_blocked()
            asked.set()
    assert done == ["first", "second", "summary"]


async def test_compact_summarises_at_once_and_says_what(ngircd: Ircd, tmp_path: Path) -> None:
    def think(request: dict[str, Any]) -> Answer:
        return says("notes" if is_summary(request) else "yes")

    async with playing(ngircd, tmp_path) as scene:
        scene.agent.thinks = think
        await scene.asks("!compact", "There is nothing to summarise", "0 turns long")
        for number in range(8):
            await scene.asks(f"!ask fact {number}?", "yes")
        await scene.asks("!compact", "Summarised: turns 1 to 2 of our talk here")
        await scene.asks("!compact", "8 turns long, the older 2 are a summary already")
        await scene.asks("!clear", "Cleared: 8 turns")


async def test_compact_says_that_the_model_gave_nothing(ngircd: Ircd, tmp_path: Path) -> None:
    def think(request: dict[str, Any]) -> Answer:
        return fails(500) if is_summary(request) else says("yes")

    async with playing(ngircd, tmp_path) as scene:
        scene.agent.thinks = think
        for number in range(8):
            await scene.asks(f"!ask fact {number}?", "yes")
        await scene.asks("!compact", "The model gave no summary. Nothing has changed")
        await scene.asks("!clear", "Cleared: 8 turns")
