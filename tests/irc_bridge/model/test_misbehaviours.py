"""Whatever an endpoint does, a question ends as it was fixed beforehand."""

import logging
from collections import Counter
from pathlib import Path

import anyio
import pytest

from tests.irc_bridge.house import living, said, settings_for, study
from tests.irc_bridge.model.misbehaviours import MISBEHAVIOURS, Misbehaviour
from tests.patience import PATIENCE
from tests.servers.endpoints.stand_in import standing_in
from tests.servers.ircd import Ircd
from tests.servers.person import person

GATE = said("I fixed the garden gate on Tuesday")


def test_there_are_eleven_for_each_of_six_kinds() -> None:
    kinds = Counter(one.endpoint().name for one in MISBEHAVIOURS)
    assert len(MISBEHAVIOURS) == 66
    assert set(kinds.values()) == {11}


@pytest.mark.parametrize(
    "it", MISBEHAVIOURS, ids=[f"{one.endpoint().name}: {one.name}" for one in MISBEHAVIOURS]
)
async def test_a_misbehaviour_ends_as_the_table_says(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, it: Misbehaviour
) -> None:
    async with standing_in(it.endpoint()) as endpoint:
        endpoint.will(*it.script(endpoint))
        settings = {
            "agent_model": it.model or endpoint.model,
            "agent_timeout": it.timeout,
            "agent_api_key": "sk-secret",
        }
        async with study(tmp_path, it.address(endpoint.url), [GATE], **settings) as scene:
            with anyio.fail_after(PATIENCE):
                found = await scene.asks("who fixed the garden gate?")
            error_id = scene.llm.condition.error_id
    assert found.by_model is it.by_model
    if it.by_model:
        assert found.lines[0] == it.outcome
    else:
        why = f"{it.outcome} (error {error_id} in the log)." if error_id else f"{it.outcome}."
        assert found.lines[0] == why
        assert f"error {error_id}" in caplog.text or not error_id
        assert "I fixed the garden gate on Tuesday" in found.lines[-1]
        assert not [one for one in found.lines if "127.0.0.1" in one or "AGENT_" in one]
    assert len(endpoint.requests) == it.requests
    assert "sk-secret" not in caplog.text
    assert not [one for one in caplog.records if one.exc_info or one.levelno >= logging.ERROR]


async def test_a_run_of_misbehaviours_disturbs_neither_the_channel_nor_the_record(
    ngircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = MISBEHAVIOURS[::4]  # more than twenty in a row are taken for a bot's
    typed: list[str] = []

    async def types(text: str) -> None:
        typed.append(text)
        await ada.types(f"PRIVMSG #tea :{text}")

    async with person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        async with living(settings_for(ngircd, tmp_path)) as house:
            await types("I fixed the garden gate on Tuesday")
            for number, it in enumerate(run):
                async with standing_in(it.endpoint()) as endpoint:
                    endpoint.will(*it.script(endpoint))
                    changes = {
                        "agent_api_url": it.address(endpoint.url),
                        "agent_model": it.model or endpoint.model,
                        "agent_timeout": it.timeout,
                    }
                    house.llm.change_settings(house.settings.model_copy(update=changes))
                    before = len(ada.lines)
                    await types(f"line {number}")
                    await types("!ask who fixed the garden gate?")
                    await types(f"and line {number}")
                    mark = "[LLM] " if it.by_model else ""
                    with anyio.fail_after(PATIENCE):
                        await ada.sees_after(before, "PRIVMSG #tea :ada:", f"{mark}{it.outcome}")
            await house.has_heard(ada)
            recorded = [line.text for line in await house.lines("#tea") if line.nick == "ada"]
    replies = [line for line in ada.lines if line.startswith(":Terra!") and " PRIVMSG " in line]
    assert recorded == typed
    assert len(run) <= len(replies) <= 4 * len(run)
    assert not [one for one in caplog.records if one.exc_info or one.levelno >= logging.ERROR]
