"""The mistakes of a first run: each is told with its way out, by the command that meets it."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from tests.cli.programs import ran, running
from tests.servers.agent import strict_agent
from tests.servers.beside import beside
from tests.servers.ircd import Ircd, free_port
from tests.servers.person import Person, person

BRIDGES = pytest.mark.parametrize("command", ["bridge", "up --port 0"])

LOG_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ "
"""What a service begins each line of its log with, and a command for a person does not."""


async def told(command: str, at: Path, *wanted: str, **settings: object) -> str:
    """The line of a running command that holds these words."""
    async with running(f"terrarium-mcp {command}", at=at, **settings) as program:
        return await program.says(*wanted)


@asynccontextmanager
async def saying(words: bytes) -> AsyncIterator[int]:
    """The port of a server that says this to everyone, and then listens."""

    async def greet(stream: SocketStream) -> None:
        async with stream:
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                await stream.send(words)
                await stream.receive()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, beside(listener.serve, greet):
        yield listener.extra(SocketAttribute.local_port)  # noqa: S610 - no Django here


@BRIDGES
async def test_a_server_with_port_and_channel_in_one_address_is_understood(
    ngircd: Ircd, tmp_path: Path, command: str
) -> None:
    settings = {
        "IRC_SERVER": f"ircs://localhost:{ngircd.tls_port}/tea",
        "TERRARIUM_TLS_CAFILE": ngircd.cafile,
    }
    async with person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        await told(command, tmp_path, "recording local/#tea", **settings)
    (tmp_path / ".env").write_text(
        f"IRC_SERVER=localhost:+{ngircd.tls_port}\nIRC_CHANNELS=tea\n"
        f"TERRARIUM_TLS_CAFILE={ngircd.cafile}\n"
    )
    await told(command, tmp_path, "recording local/#tea")


async def test_tls_to_a_plain_port_is_told_with_the_setting(tmp_path: Path) -> None:
    async with saying(b":srv NOTICE * :*** Looking up your hostname\r\n") as port:
        settings = {"IRC_SERVER": f"127.0.0.1:{port}", "IRC_CHANNELS": "tea"}
        line = await told("bridge", tmp_path, "connecting again in", **settings)
    assert (
        f"127.0.0.1:{port} does not speak TLS: set IRC_USE_SSL=off, or IRC_PORT to its"
        " TLS port; 6697 is usual with TLS, 6667 without"
    ) in line


async def test_plain_text_to_a_tls_port_is_told_with_the_setting(
    ngircd: Ircd, tmp_path: Path
) -> None:
    settings = {
        "IRC_SERVER": f"127.0.0.1:{ngircd.tls_port}", "IRC_CHANNELS": "tea", "IRC_USE_SSL": "off",
    }  # fmt: skip
    line = await told("bridge", tmp_path, "connecting again in", **settings)
    assert f"127.0.0.1:{ngircd.tls_port} expects TLS" in line
    assert "set IRC_USE_SSL=on" in line


async def test_a_self_signed_certificate_is_told_with_the_setting(
    ngircd: Ircd, tmp_path: Path
) -> None:
    settings = {"IRC_SERVER": f"localhost:{ngircd.tls_port}", "IRC_CHANNELS": "tea"}
    line = await told("bridge", tmp_path, "connecting again in", **settings)
    assert (
        f"the certificate of localhost:{ngircd.tls_port} is self-signed: set TERRARIUM_TLS_CAFILE"
        " to a PEM file with that certificate"
    ) in line


async def test_a_wrong_port_is_told_with_the_usual_ones(tmp_path: Path) -> None:
    port = free_port()
    settings = {"IRC_SERVER": f"127.0.0.1:{port}", "IRC_CHANNELS": "tea"}
    line = await told("bridge", tmp_path, "connecting again in", **settings)
    assert (
        f"nothing is listening at 127.0.0.1:{port} (connection refused): check IRC_SERVER and"
        " IRC_PORT; 6697 is usual with TLS, 6667 without"
    ) in line


async def test_another_service_on_that_port_is_told_by_its_name(tmp_path: Path) -> None:
    async with saying(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        place = f"127.0.0.1:{port}"
        settings = {"IRC_SERVER": place, "IRC_CHANNELS": "tea", "IRC_USE_SSL": "off"}
        line = await told("bridge", tmp_path, "connecting again in", **settings)
    assert f"{place} speaks HTTP, not IRC: check IRC_PORT" in line


@pytest.mark.parametrize(
    ("command", "time"),
    [
        ("doctor", ""),
        ("search tea", ""),
        ("bridge", LOG_TIME),
        ("serve --http --port 0", LOG_TIME),
    ],
)
def test_a_slip_in_the_name_of_a_setting_is_a_warning(
    tmp_path: Path, command: str, time: str
) -> None:
    (tmp_path / ".env").write_text("IRC_CHANELS=tea\nEDITOR=vi\nDB_PATH=.\n")
    done = ran(f"terrarium-mcp {command}", at=tmp_path, IRC_NIK="Fern")
    for slip in (
        "IRC_NIK in the environment is not a setting. Did you mean IRC_NICK?",
        "IRC_CHANELS in .env is not a setting. Did you mean IRC_CHANNELS?",
    ):
        assert re.search(rf"^{time}WARNING {re.escape(slip)}$", done.stderr, re.MULTILINE)
    assert "EDITOR" not in done.stderr


def test_a_channel_that_dotenv_takes_for_a_comment_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("IRC_SERVER=127.0.0.1\nIRC_CHANNELS= #tea\n")
    done = ran("terrarium-mcp bridge", at=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "terrarium-mcp: IRC_CHANNELS in .env: a # after a space starts a comment there, so channels"
        " would be lost. Leave the # out, or put the value in quotes.\n"
    )


def test_channels_separated_by_semicolons_are_told(tmp_path: Path) -> None:
    settings = {"IRC_SERVER": "127.0.0.1", "IRC_CHANNELS": "tea;mate"}
    done = ran("terrarium-mcp bridge", at=tmp_path, **settings)
    assert done.returncode == 1
    assert "IRC_CHANNELS='tea;mate' (from the environment): channels are separated by commas:" in (
        done.stderr
    )
    assert "tea,mate" in done.stderr


@pytest.mark.parametrize("how", ["", "--http --port 0"])
def test_a_database_in_a_folder_that_is_missing_is_made_only_if_asked(
    tmp_path: Path, how: str
) -> None:
    path = tmp_path / "mistyped" / "irc_logs.db"
    done = ran(f"terrarium-mcp serve {how}", "--db", path, at=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        f"terrarium-mcp: There is no folder {path.parent} for the database irc_logs.db."
        " Correct --db, or add --create to make both.\n"
    )
    assert not path.parent.exists()
    if not how:  # over stdio it ends with its input
        assert ran("terrarium-mcp serve --create", "--db", path, at=tmp_path).returncode == 0
        assert path.is_file()


def test_the_usual_folder_is_made_without_being_asked(tmp_path: Path) -> None:
    assert ran("terrarium-mcp serve", at=tmp_path).returncode == 0
    assert (tmp_path / "data" / "irc_logs.db").is_file()


def irc(ngircd: Ircd, **more: object) -> dict[str, object]:
    return {
        "IRC_SERVER": f"127.0.0.1:{ngircd.port}",
        "IRC_USE_SSL": "off",
        "IRC_CHANNELS": "tea",
        **more,
    }


@BRIDGES
async def test_a_wrong_key_is_in_the_operators_log_at_the_start(
    ngircd: Ircd, tmp_path: Path, command: str
) -> None:
    async with strict_agent() as agent:
        agent.key = "secret"
        settings = irc(ngircd, AGENT_API_URL=agent.url, AGENT_API_KEY="wrong")
        line = await told(command, tmp_path, "WARNING", "Check AGENT_API_KEY", **settings)
    assert f"The model at {agent.url} gave no answer (status 401: Incorrect API key" in line


async def test_an_unlisted_model_is_in_the_operators_log_at_the_start(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with strict_agent() as agent:
        settings = irc(ngircd, AGENT_API_URL=agent.url, AGENT_MODEL="glm-air-45")
        line = await told("bridge", tmp_path, "AGENT_MODEL", **settings)
    assert "AGENT_MODEL=glm-air-45 is not among the models" in line
    assert "Did you mean glm-air-4.5?" in line


async def test_refused_tools_are_in_the_operators_log_at_the_start(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with strict_agent() as agent:
        agent.takes_tools = False
        line = await told(
            "bridge", tmp_path, "refuses tools", **irc(ngircd, AGENT_API_URL=agent.url)
        )
    assert "vLLM needs --enable-auto-tool-choice" in line


async def test_the_model_s_absence_is_logged_once_and_its_return_too(
    ngircd: Ircd, tmp_path: Path
) -> None:
    async with strict_agent() as agent, person("ada", ngircd.port) as ada:
        await ada.joins("#tea")
        agent.key = "secret"
        settings = irc(ngircd, AGENT_API_URL=agent.url)
        async with running("terrarium-mcp bridge", at=tmp_path, **settings) as bridge:
            await bridge.says("recording local/#tea")
            await bridge.says("Check AGENT_API_KEY")
            await asks(ada, "first", "The model gave no answer (error")
            agent.key = ""
            agent.will("It was bo.")
            await asks(ada, "second", "It was bo.")
            await bridge.says("the model answers again")
        assert sum("Check AGENT_API_KEY" in line for line in bridge.said) == 1
    said = [line for line in ada.lines if "Terra" in line and "PRIVMSG #tea" in line]
    assert not [line for line in said if agent.url in line or "AGENT_" in line]


async def asks(ada: Person, question: str, answer: str) -> None:
    """Ada asks in #tea, and reads the answer there."""
    await ada.types(f"PRIVMSG #tea :!ask {question}?")
    await ada.sees("PRIVMSG #tea :ada: ", answer)


def test_a_program_that_starts_the_server_over_stdio_is_not_warned(tmp_path: Path) -> None:
    done = ran("terrarium-mcp serve", at=tmp_path, IRC_NIK="Fern")
    assert (done.returncode, done.stdout) == (0, "")
    assert "IRC_NIK" not in done.stderr


async def test_a_bridge_without_its_mcp_server_says_where_it_looks_for_it(tmp_path: Path) -> None:
    settings = {"IRC_SERVER": "127.0.0.1:1", "IRC_USE_SSL": "off", "IRC_CHANNELS": "tea"}
    line = await told("bridge --mcp http://127.0.0.1:1/mcp", tmp_path, "the MCP server", **settings)
    assert line.endswith(
        "the MCP server is unavailable: All connection attempts failed. Check whether"
        " terrarium-mcp serve --http runs at http://127.0.0.1:1/mcp"
    )
