"""!status: what anybody may know of the bot, and what only its operators do."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.irc_bridge.ask.short_commands.status import without_addresses
from tests.irc_bridge.ask.desk import desk
from tests.irc_bridge.house import said

TROUBLE = (
    "The model at https://agent.example:8080/v1 is not answering (connection refused). Check"
    " AGENT_API_URL, or try again in a minute."
)


async def test_anybody_reads_one_line(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("tea")]) as scene:
        (line,) = await scene.asks("!status")
        assert line == (
            "Up for 3d, connected for 2h. #tea: nothing recorded yet. Times UTC."
            " No trouble with the model."
        )
        (busy,) = await scene.at(questions=1, model_trouble=TROUBLE).asks("!status")
        assert busy.endswith(" The model is not answering. 1 question in work or waiting.")
        assert "agent.example" not in busy


async def test_an_operator_reads_one_line_more_without_any_address(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("tea")], agent_api_url="https://agent.example:8080") as scene:
        _, well = await scene.asks("!status", is_admin=True)
        assert well == "Model: scripted. Recording: 0 lines not on disk yet."
        since = datetime.now(UTC) - timedelta(minutes=5, seconds=1)
        ill = scene.at(
            model="", model_trouble=TROUBLE, waiting=1200, lost=3, unwritable_since=since
        )
        _, line = await ill.asks("!status", is_admin=True)
        assert line == (
            "Model: not known yet. The model at its address is not answering (connection refused)."
            " Check AGENT_API_URL, or try again in a minute. Recording: 1,200 lines not on disk yet"
            " (nothing can be written for 5m), 3 lost."
        )


async def test_in_private_it_covers_the_channels_that_we_share(tmp_path: Path) -> None:
    async with desk(tmp_path, [said("tea")]) as scene:
        (line,) = await scene.asks("!status", channel="", shared=["#tea"])
        assert "The channels that we share: nothing recorded yet." in line
        (none,) = await scene.asks("!status", channel="", shared=["#nowhere"])
        assert "Nothing is recorded here that this request may read." in none


@pytest.mark.parametrize(
    ("trouble", "left"),
    [
        ("at http://10.0.0.5:8080/v1?x=1 (no)", "at its address (no)"),
        ("at http://[::1]:8080/v1 (no)", "at its address (no)"),
        ("connect to 10.0.0.5:8080 failed", "connect to its address failed"),
        ("Host AGENT.example:8080 is unknown", "Host its address is unknown"),
        ("myagent.example.org is not it", "myagent.example.org is not it"),
        ("status 503: vLLM 0.9.1 is loading", "status 503: vLLM 0.9.1 is loading"),
        ("", ""),
    ],
)
def test_no_address_is_left(trouble: str, left: str) -> None:
    assert without_addresses(trouble, "https://agent.example:8080/v1") == left
