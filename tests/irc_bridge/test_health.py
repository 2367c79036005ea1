"""A model that is not well is reported when the bridge starts, and stops nothing."""

from pathlib import Path

import pytest

from terrarium_mcp.irc_bridge.model.check import check_endpoint
from tests.irc_bridge.house import living, settings_for
from tests.servers.agent import strict_agent
from tests.servers.ircd import Ircd


async def test_a_degraded_model_is_told_of_although_it_answers_200(
    ngircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with strict_agent() as agent:
        agent.degraded = True
        async with living(settings_for(ngircd, tmp_path, agent.url)) as house:
            await check_endpoint(house.llm)  # as at the start
            assert "model endpoint unhealthy (degraded)" in caplog.text
            assert caplog.text.count("unhealthy") == 1  # though it was checked twice
            agent.degraded = False
            await check_endpoint(house.llm)
            assert "the model answers again" in caplog.text
