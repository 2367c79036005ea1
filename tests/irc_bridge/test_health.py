"""A model that is not well is reported when the bridge starts, and stops nothing."""

from pathlib import Path

import pytest

from tests.irc_bridge.house import living, settings_for
from tests.servers.agent import strict_agent
from tests.servers.ircd import Ircd


async def test_a_degraded_model_is_told_of_although_it_answers_200(
    ngircd: Ircd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with strict_agent() as agent:
        agent.degraded = True
        async with living(settings_for(ngircd, tmp_path, agent.url)) as house:
            await house.bridge._check_model()  # noqa: SLF001 -- what run() does at its start
            assert "model endpoint unhealthy (degraded)" in caplog.text
            agent.degraded = False
            caplog.clear()
            await house.bridge._check_model()  # noqa: SLF001
            assert "not well" not in caplog.text
