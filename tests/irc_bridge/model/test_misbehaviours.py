"""Whatever an endpoint does, a question ends as it was fixed beforehand."""

import logging
from collections import Counter
from pathlib import Path

import anyio
import pytest

from tests.irc_bridge.house import said, study
from tests.irc_bridge.model.misbehaviours import MISBEHAVIOURS, Misbehaviour
from tests.servers.endpoints.stand_in import standing_in

GATE = said("I fixed the garden gate on Tuesday")


def test_there_are_ten_for_each_of_six_kinds() -> None:
    kinds = Counter(one.endpoint().name for one in MISBEHAVIOURS)
    assert len(MISBEHAVIOURS) == 60
    assert set(kinds.values()) == {10}


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
            with anyio.fail_after(15):
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
