"""Settings that change in a house lived in: channels, keys, prefix, rules, model, retention."""
# ruff: noqa: ASYNC110  # no event announces what is removed, or heard by a server

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.settings import Settings
from terrarium_mcp.settings.channels import channels_of
from terrarium_mcp.store import open_store
from tests.irc_bridge.house import QUICK, House, lines_of, living, settings_for
from tests.patience import PATIENCE
from tests.servers.agent import says, strict_agent
from tests.servers.fake_ircd import FakeIrcd, fake_ircd

ADA = ":ada!a@host.example PRIVMSG"


def altered(settings: Settings, **more: object) -> Settings:
    if "irc_channels" in more:
        more["irc_channels"] = channels_of(more["irc_channels"])
    return settings.model_copy(update=more)


async def reloads(house: House, ircd: FakeIrcd, **more: object) -> None:
    """Change some settings of the house, as SIGHUP does."""
    changed = altered(house.settings, **more)
    await house.store.service.change_settings(changed)
    house.bridges.change_settings(changed)
    await ircd.settles()


async def test_a_channel_gets_its_new_key_for_the_next_time(tmp_path: Path) -> None:
    async with fake_ircd() as ircd:
        settings = settings_for(ircd.port, tmp_path, irc_channels=("#tea old", "#mate"))
        async with living(settings) as house:
            await reloads(house, ircd, irc_channels=("#tea new", "#mate"))
            assert not ircd.heard("PART")
            await ircd.says(":op!o@h KICK #tea Terra :out")
            with anyio.fail_after(PATIENCE):
                assert await ircd.hears("JOIN #tea new")


async def test_each_channel_that_is_left_is_one_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        await ircd.says(":op!o@h KICK #tea Terra :out")
        await ircd.settles()
        await reloads(house, ircd, irc_channels=("#tea",))
    told = [text for text in caplog.messages if "#tea" in text or "#mate" in text]
    assert told == [
        "local/#tea: kicked by op: out. Returning later.",
        "local/#mate: no longer in the settings, and left.",
    ]


async def test_channels_that_stay_are_neither_left_nor_joined_again(tmp_path: Path) -> None:
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        joins = ircd.heard("JOIN")
        await reloads(house, ircd, irc_channels=("#TEA", "#mate", "#coffee"))
        with anyio.fail_after(PATIENCE):
            await ircd.hears("JOIN #coffee")
        assert not ircd.heard("PART")
        assert ircd.heard("JOIN") == [*joins, "JOIN #coffee"]


async def test_a_channel_that_was_added_and_removed_at_once_is_left(tmp_path: Path) -> None:
    async with fake_ircd() as ircd, living(settings_for(ircd.port, tmp_path)) as house:
        await reloads(house, ircd, irc_channels=("#tea", "#mate", "#coffee"))
        await reloads(house, ircd, irc_channels=("#tea", "#mate"))
        with anyio.fail_after(PATIENCE):
            if ircd.heard("JOIN #coffee"):
                await ircd.hears("PART #coffee")
        await ircd.says(f"{ADA} #coffee :not yours")
        await ircd.settles()
        await house.bridge.flush()
        assert await lines_of(house.store, "#coffee") == []


async def test_a_channel_that_was_removed_and_added_at_once_is_left_and_joined_again(
    tmp_path: Path,
) -> None:
    async with (
        fake_ircd(answer=lambda line: [] if line.startswith("PART") else None) as ircd,
        living(settings_for(ircd.port, tmp_path)) as house,
    ):
        await reloads(house, ircd, irc_channels=("#mate",))
        with anyio.fail_after(PATIENCE):
            await ircd.hears("PART #tea")
        await reloads(house, ircd, irc_channels=("#tea", "#mate"))
        ircd.answer = None
        await ircd.says(":Terra!u@host.example PART #tea :no longer in my settings")
        with anyio.fail_after(PATIENCE):
            await ircd.hears("JOIN #tea", times=2)
        await ircd.settles()
        await house.bridge.flush()
        (tea,) = [room for room in await house.store.rooms.all() if room.channel == "#tea"]
        spans = (await house.store.spans.coverage([tea])).spans
        assert [(span.why_began, span.why_ended) for span in spans] == [
            ("joined", "no longer in the settings"),
            ("recorded from now on, by the settings", "parted: no longer in my settings"),
            ("joined", ""),
        ]


async def test_channels_that_change_while_it_reconnects_are_those_it_joins(tmp_path: Path) -> None:
    slow = replace(QUICK, backoff=(0.2,))
    async with (
        fake_ircd() as ircd,
        living(settings_for(ircd.port, tmp_path), timeouts=slow) as house,
    ):
        await ircd.drops()
        with anyio.fail_after(PATIENCE):
            await house.bridge.is_cut_off()
            changed = altered(house.settings, irc_channels=("#coffee",))
            house.bridges.change_settings(changed)
            await ircd.hears("JOIN #coffee")
        assert ircd.connections == 2
        assert [line for line in ircd.heard("JOIN")[1:] if "#coffee" not in line] == []


async def test_another_model_answers_the_next_question(tmp_path: Path) -> None:
    async with strict_agent() as old, strict_agent() as new, fake_ircd() as ircd:
        new.will(*[says("I am the new one.")] * 2)  # the bridge tries it out, in its own time
        async with living(settings_for(ircd.port, tmp_path, old.url)) as house:
            await reloads(house, ircd, agent_api_url=new.url, command_prefix=".")
            await ircd.says(f"{ADA} #tea :.ask who are you?")
            with anyio.fail_after(PATIENCE):
                while not any("I am the new one." in line for line in ircd.heard("PRIVMSG #tea")):
                    await anyio.sleep(0.01)


async def test_the_next_question_is_answered_by_the_new_rules(tmp_path: Path) -> None:
    async with strict_agent() as agent, fake_ircd() as ircd:
        agent.will(*[says("tea")] * 3)  # the bridge tries it out, in its own time
        async with living(settings_for(ircd.port, tmp_path, agent.url)) as house:
            with anyio.fail_after(PATIENCE):
                await reloads(house, ircd, llm_mark="[AI]")
                await ircd.says(f"{ADA} #tea :!ask what?")
                await ircd.hears("PRIVMSG #tea :ada: [AI] tea")
                await reloads(house, ircd, guardians=("countess",))
                await ircd.says(f"{ADA} #tea :!ask what?")
                await ircd.hears("PRIVMSG #tea :ada: No guardian of this bot is here")


async def test_what_does_not_concern_the_model_leaves_it_alone() -> None:
    settings = Settings(agent_model="one", agent_api_key="secret")
    llm = LLM.from_settings(settings)
    endpoint = llm._endpoint  # noqa: SLF001 -- the same one
    assert not llm.change_settings(settings.model_copy(update={"irc_nick": "Luna"}))
    assert llm._endpoint is endpoint  # noqa: SLF001
    assert llm.change_settings(settings.model_copy(update={"agent_model": "two"}))
    assert llm.model == "two"
    await llm.aclose()


@pytest.mark.parametrize(("first", "then"), [(0, 30), (3650, 30)])
async def test_another_retention_is_applied_at_once(tmp_path: Path, first: int, then: int) -> None:
    old = Settings(network="local", retention_days=first)
    async with open_store(tmp_path / "irc_logs.db", old) as store:
        for days in (60, 2):
            at = datetime.now(UTC) - timedelta(days=days)
            line = NewMessage(
                network="local", channel="#tea", nick="bo", text=f"{days} days old", said_at=at
            )
            await store.messages.append([line])
        await store.service.change_settings(old.model_copy(update={"retention_days": then}))
        with anyio.fail_after(PATIENCE):
            while len(await lines_of(store)) > 1:
                await anyio.sleep(0.01)


async def test_retention_that_is_switched_off_removes_nothing_more(tmp_path: Path) -> None:
    month = Settings(network="local", retention_days=30)
    async with open_store(tmp_path / "irc_logs.db", month) as store:
        await store.service.change_settings(month.model_copy(update={"retention_days": 0}))
        assert store.service._retaining.cancel_called is False  # noqa: SLF001 -- a new one, with no task
        at = datetime.now(UTC) - timedelta(days=60)
        await store.messages.append(
            [NewMessage(network="local", channel="#tea", nick="bo", text="old", said_at=at)]
        )
        assert len(await lines_of(store)) == 1
