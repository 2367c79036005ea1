"""The show: everything is real but the model, which is a stand-in and says so."""

import json
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import anyio
import click
from anyio.abc import TaskStatus

from terrarium_mcp.demo.history import SOURCE, sample
from terrarium_mcp.demo.model import NAME, model_server
from terrarium_mcp.demo.network import irc_server, visitor
from terrarium_mcp.errors import plainly
from terrarium_mcp.irc_bridge.bridge import Bridge
from terrarium_mcp.irc_bridge.llm import LLM
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import build_server
from terrarium_mcp.serving.http import Listening, serve_http
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store

CHANNEL = "#terrarium"
BOT = "Terra"
VISITOR = "wren"
QUESTION = "!terrarium who fixed the garden gate?"
EXPECTED = "I fixed the garden gate"
PATIENCE = 45.0
"""Seconds until the demo says that no answer came."""


async def show(*, once: bool) -> bool:
    """Play the scene; then serve on until Ctrl-C, unless `once`.

    Returns whether the answer arrived in the channel.
    """
    stage = _Stage()
    with (
        tempfile.TemporaryDirectory(prefix="terrarium-demo-") as folder,
        irc_server() as port,
        model_server(_tell) as model,
        plainly(),
    ):
        settings = _settings(Path(folder), port, model)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_at_a_signal, tasks.cancel_scope)
            await _play(stage, settings, port, once=once)
            tasks.cancel_scope.cancel()
    return stage.is_answered


async def _play(stage: "_Stage", settings: Settings, port: int, *, once: bool) -> None:
    """The scene on its stage; the audience may stay in its seats until it is sent home."""
    async with open_store(settings.db_path, settings) as store:
        lines = await _fill(store, settings)
        _tell(f"a history of {lines} lines stands in {settings.db_path}")
        async with _published(store, settings) as listening:
            _tell(f"an IRC server listens on 127.0.0.1:{port}, MCP on {listening.mcp_url}")
            async with (
                visitor(port, VISITOR, CHANNEL, stage.heard, stage.met) as guest,
                _bridged(store, settings, listening),
            ):
                await stage.play(guest.says)
                if not once:
                    _invite(port, listening, settings)
                    await anyio.sleep_forever()


async def _cancel_at_a_signal(scene: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        await anext(aiter(signals))
        scene.cancel()


class _Stage:
    """What happens in the channel, printed as it happens."""

    def __init__(self) -> None:
        self._bot_is_there = anyio.Event()
        self._answered = anyio.Event()

    def met(self, nick: str) -> None:
        """Somebody joined."""
        _say(f"* {nick} has joined {CHANNEL}")
        if nick == BOT:
            self._bot_is_there.set()

    def heard(self, nick: str, text: str) -> None:
        """Somebody said something."""
        _say(f"<{nick}> {text}")
        if nick == BOT and EXPECTED in text:
            self._answered.set()

    @property
    def is_answered(self) -> bool:
        """Whether the answer arrived in the channel."""
        return self._answered.is_set()

    async def play(self, say: Callable[[str], None]) -> None:
        """Ask, and wait for the answer."""
        with anyio.move_on_after(PATIENCE):
            await self._bot_is_there.wait()
            _say(f"<{VISITOR}> {QUESTION}")
            say(QUESTION)
            await self._answered.wait()
        _tell("the answer arrived in the channel" if self.is_answered else "NO answer arrived")


def _settings(folder: Path, port: int, model: str) -> Settings:
    return Settings(
        db_path=folder / "irc_logs.db",
        irc_server="127.0.0.1",
        irc_port=port,
        irc_use_ssl=False,
        irc_nick=BOT,
        irc_channels=(CHANNEL,),
        network="demo",
        agent_api_url=model,
        agent_model=NAME,
    )


async def _fill(store: Store, settings: Settings) -> int:
    lines = list(sample(settings.network_name, CHANNEL, datetime.now(UTC)))
    await store.messages.append(lines)
    first, last = lines[0].said_at, lines[-1].said_at
    await store.spans.imported(settings.network_name, CHANNEL, first, last, SOURCE)
    return len(lines)


@asynccontextmanager
async def _published(store: Store, settings: Settings) -> AsyncIterator[Listening]:
    """The MCP server over HTTP, on any free port."""

    async def health() -> dict[str, object]:
        return {"ok": True}

    async def serve(*, task_status: TaskStatus[Listening]) -> None:
        server = build_server(store, settings)
        await serve_http(
            server,
            "127.0.0.1",
            0,
            health=health,
            announce=task_status.started,
            install_signal_handlers=False,
        )

    async with anyio.create_task_group() as tasks:
        yield await tasks.start(serve)
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def _bridged(store: Store, settings: Settings, listening: Listening) -> AsyncIterator[None]:
    """The bot, as `terrarium-mcp bridge --mcp URL` would run it."""
    llm = LLM.from_settings(settings)
    bridge = Bridge(store, settings, Toolbox(lambda: listening.mcp_url), llm)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bridge.run)
            yield
            await bridge.stop("the demo is over")
    finally:
        with anyio.CancelScope(shield=True):
            await llm.aclose()


def _invite(port: int, listening: Listening, settings: Settings) -> None:
    """Say how to come in."""
    command = shutil.which("terrarium-mcp") or sys.argv[0]
    desktop = {
        "mcpServers": {
            "terrarium": {"command": command, "args": ["serve", "--db", str(settings.db_path)]}
        }
    }
    click.echo(
        f"""
It serves on. Come in:

  IRC client      /connect 127.0.0.1 {port}   (without TLS), then /join {CHANNEL}
                  and ask: !terrarium who renewed the certificate?
  Claude Code     claude mcp add --transport http terrarium {listening.mcp_url}
  Claude Desktop  put this into claude_desktop_config.json and restart it:

{json.dumps(desktop, indent=2)}

Ctrl-C ends the demo and removes its files."""
    )


def _say(line: str) -> None:
    """Print what is said in the channel."""
    click.echo(f"  {CHANNEL} {line}")


def _tell(what: str) -> None:
    """Print what happens behind the channel."""
    click.echo(f"-- {what}")
