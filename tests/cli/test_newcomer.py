"""Somebody with an empty environment and a terminal, from `init` to the first answer."""

import shlex
import time
from pathlib import Path

import anyio
import pytest
from dotenv import dotenv_values

from terrarium_mcp.store import open_store
from tests.cli.programs import quick_words
from tests.cli.terminal import terminal
from tests.irc_bridge.house import lines_of
from tests.servers.agent import calls, says, strict_agent
from tests.servers.ircd import Ircd
from tests.servers.person import person
from tests.settings.loaded import load_settings

TWO_MINUTES = 120
NOTHING: dict[str, str] = {}
"""The environment of `env -i`."""

SAID = "bo mended the latch of the garden gate"


async def test_a_newcomer_has_a_recorded_line_and_an_answer_within_two_minutes(
    ngircd: Ircd, tmp_path: Path
) -> None:
    began = time.monotonic()
    with anyio.fail_after(TWO_MINUTES):
        async with strict_agent() as agent, person("ada", ngircd.port) as ada:
            agent.will(calls("search_irc_history", query="garden gate"), says("It was bo."))
            await ada.joins("#tea")
            async with terminal(
                quick_words("terrarium-mcp init"), at=tmp_path, environ=NOTHING
            ) as init:
                await init.answers("IRC server", f"localhost:{ngircd.tls_port}")
                await init.sees("is self-signed: set TERRARIUM_TLS_CAFILE")
                await init.answers("PEM file", ngircd.cafile)
                await init.sees("localhost answers, with TLS")
                await init.answers("Channels to record", "tea")
                await init.answers("Contact", "")
                await init.answers("Model endpoint", agent.url)
                await init.sees("it has glm-air-4.5")
                await init.answers("Model [glm-air-4.5]", "")
                await init.answers("Database of terrarium-irc", "")
                await init.sees("Wrote ", "which only this account can read")
                told = await init.ends()
            _, _, following = told.partition("Next:\n")
            up, install = (shlex.split(line) for line in following.splitlines()[:2])
            async with terminal([*up, "--port", "0"], at=tmp_path, environ=NOTHING) as running:
                await running.sees("http://127.0.0.1:", "recording local/#tea")
                await ada.types(f"PRIVMSG #tea :{SAID}")
                await ada.types("PRIVMSG #tea :!terrarium who mended the gate?")
                await ada.sees("PRIVMSG #tea :ada: [LLM] It was bo.")
                await running.interrupts()
            _, asked_again = agent.requests
            assert SAID in asked_again["messages"][-1]["content"]
            async with terminal([*install, "--print"], at=tmp_path, environ=NOTHING) as shown:
                assert '"mcpServers"' in await shown.ends()
    assert time.monotonic() - began < TWO_MINUTES
    async with open_store(tmp_path / "data" / "irc_logs.db") as store:
        assert SAID in [line.text for line in await lines_of(store)]
    file = tmp_path / ".env"
    assert file.stat().st_mode & 0o777 == 0o600
    assert str(*load_settings(env_file=file, environ={}).irc_channels) == "#tea"


async def test_a_server_without_tls_is_used_only_after_a_yes(
    inspircd: Ircd, tmp_path: Path
) -> None:
    async with strict_agent() as agent:
        command = quick_words("terrarium-mcp init", "--model-url", agent.url, "--old-logs", "none")
        async with terminal(command, at=tmp_path, environ=NOTHING) as init:
            await init.answers("IRC server", f"127.0.0.1:{inspircd.port}")
            await init.sees(f"127.0.0.1:{inspircd.port}", "set IRC_USE_SSL=off")
            await init.answers("Connect without TLS", "y")
            await init.sees("127.0.0.1 answers, without TLS")
            await init.answers("Channels to record", "tea;mate")
            await init.sees("channels are separated by commas: tea,mate")
            await init.answers("Channels to record", "tea,mate")
            await init.answers("Contact", "ada")
            await init.answers("Model [glm-air-4.5]", "gpt-9")
            await init.sees("gpt-9 is not among them")
            await init.answers("Use it nevertheless?", "n")
            await init.answers("Model [glm-air-4.5]", "")
            await init.ends()
    assert dotenv_values(tmp_path / ".env") == {
        "IRC_SERVER": "127.0.0.1",
        "IRC_PORT": str(inspircd.port),
        "IRC_USE_SSL": "off",
        "IRC_CHANNELS": "tea,mate",
        "TERRARIUM_CONTACT": "ada",
        "AGENT_API_URL": agent.url,
        "AGENT_MODEL": "glm-air-4.5",
        "DB_PATH": "data/irc_logs.db",
    }


@pytest.mark.parametrize("answer", ["n", "y"])
async def test_an_existing_file_is_changed_only_after_a_look_at_the_difference(
    ngircd: Ircd, tmp_path: Path, answer: str
) -> None:
    file = tmp_path / ".env"
    old = (
        "# mine\nTERRARIUM_TIMEZONE=Europe/Berlin\nIRC_SERVER=irc.example.org\nIRC_PORT=7000\n"
        "AGENT_API_KEY=hunter2\n"
    )
    file.write_text(old)
    command = quick_words(
        "terrarium-mcp init", "--server", f"localhost:{ngircd.tls_port}", "--channels", "tea",
        "--tls-cafile", ngircd.cafile, "--contact", "ada", "--model-url", "none",
        "--old-logs", "none",
    )  # fmt: skip
    async with terminal(command, at=tmp_path, environ=NOTHING) as init:
        await init.answers(f"Change {file} so?", answer)
        told = await init.ends()
    assert "-IRC_SERVER=irc.example.org" in told
    assert "+IRC_SERVER=localhost" in told
    assert "hunter2" not in told
    if answer == "n":
        assert file.read_text() == old
        assert f"Left {file} as it was." in told
        return
    text = file.read_text()
    assert text.startswith("# mine\nTERRARIUM_TIMEZONE=Europe/Berlin\nIRC_SERVER=localhost\n")
    assert "AGENT_API_KEY=hunter2\n" in text
    assert load_settings(env_file=file, environ={}).server_port == ngircd.tls_port
