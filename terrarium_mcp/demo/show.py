"""The demonstration: everything is real except the model, a stand-in that says so."""

import json
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

from terrarium_mcp.demo.history import SOURCE, WORTH_ASKING, sample_messages
from terrarium_mcp.demo.model import NAME, model_server
from terrarium_mcp.demo.network import irc_server, visitor
from terrarium_mcp.errors import plainly
from terrarium_mcp.irc_bridge.bridges import Bridges
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.toolbox import Toolbox
from terrarium_mcp.server import build_server
from terrarium_mcp.serving.address import Listening
from terrarium_mcp.serving.http import serve_http
from terrarium_mcp.settings import ConfiguredChannel, Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.wording import quantity

CHANNEL = "#terrarium"
BOT = "Terra"
VISITOR = "wren"
QUESTION = "!terrarium who fixed the garden gate?"
EXPECTED = "I fixed the garden gate"
ANSWER_SECONDS = 45.0
"""How long to wait for the bot and its answer before the demo reports failure."""


async def show(*, once: bool) -> bool:
    """Ask the question; then serve on until Ctrl-C, unless `once`.

    Returns whether the answer arrived in the channel.
    """
    stage = _Stage()
    with (
        tempfile.TemporaryDirectory(prefix="terrarium-demo-") as folder,
        irc_server() as port,
        model_server(_echo_event) as model,
        plainly(),
    ):
        settings = _settings(Path(folder), port, model)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_at_a_signal, tasks.cancel_scope)
            await _play(stage, settings, port, once=once)
            tasks.cancel_scope.cancel()
    return stage.is_answered


async def _play(stage: "_Stage", settings: Settings, port: int, *, once: bool) -> None:
    """Start every part, ask the question, and unless `once` keep running until cancelled."""
    async with open_store(settings.db_path, settings) as store:
        lines = await _fill(store, settings)
        _echo_event(f"wrote a history of {quantity(lines, 'line')} to {settings.db_path}")
        async with _mcp_server(store, settings) as listening:
            _echo_event(f"an IRC server listens on 127.0.0.1:{port}, MCP on {listening.mcp_url}")
            async with (
                visitor(port, VISITOR, CHANNEL, stage.on_message, stage.on_member) as guest,
                _running_bridge(store, settings, listening),
            ):
                await stage.play(guest.say)
                if not once:
                    _print_ways_in(port, listening, settings)
                    await anyio.sleep_forever()


async def _cancel_at_a_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        await anext(aiter(signals))
        scope.cancel()


class _Stage:
    """What happens in the channel, printed as it happens."""

    def __init__(self) -> None:
        self._bot_joined = anyio.Event()
        self._answered = anyio.Event()

    def on_member(self, nick: str) -> None:
        """Print that `nick` joined."""
        _echo_channel(f"* {nick} has joined {CHANNEL}")
        if nick == BOT:
            self._bot_joined.set()

    def on_message(self, nick: str, text: str) -> None:
        """Print a message, and notice the answer."""
        _echo_channel(f"<{nick}> {text}")
        if nick == BOT and EXPECTED in text:
            self._answered.set()

    @property
    def is_answered(self) -> bool:
        """Whether the answer arrived in the channel."""
        return self._answered.is_set()

    async def play(self, say: Callable[[str], None]) -> None:
        """Ask, and wait for the answer."""
        with anyio.move_on_after(ANSWER_SECONDS):
            await self._bot_joined.wait()
            _echo_channel(f"<{VISITOR}> {QUESTION}")
            say(QUESTION)
            await self._answered.wait()
        _echo_event(
            "the answer arrived in the channel" if self.is_answered else "NO answer arrived"
        )


def _settings(folder: Path, port: int, model: str) -> Settings:
    return Settings(
        db_path=folder / "irc_logs.db",
        irc_server="127.0.0.1",
        irc_port=port,
        irc_use_ssl=False,
        irc_nick=BOT,
        irc_channels=(ConfiguredChannel(CHANNEL),),
        network="demo",
        agent_api_url=model,
        agent_model=NAME,
    )


async def _fill(store: Store, settings: Settings) -> int:
    lines = list(sample_messages(settings.network_name, CHANNEL, datetime.now(UTC)))
    await store.messages.append(lines)
    first, last = lines[0].said_at, lines[-1].said_at
    await store.spans.add_foreign(settings.network_name, CHANNEL, first, last, SOURCE)
    return len(lines)


@asynccontextmanager
async def _mcp_server(store: Store, settings: Settings) -> AsyncIterator[Listening]:
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
async def _running_bridge(
    store: Store, settings: Settings, listening: Listening
) -> AsyncIterator[None]:
    """The bot, as `terrarium-mcp bridge --mcp URL` would run it."""
    llm = LLM.from_settings(settings)
    toolbox = Toolbox(lambda: listening.mcp_url)
    bridges = Bridges.from_settings(store, settings, toolbox, llm)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bridges.run)
            yield
            await bridges.stop("the demo is over")
    finally:
        with anyio.CancelScope(shield=True):
            await llm.aclose()


def _print_ways_in(port: int, listening: Listening, settings: Settings) -> None:
    """Print how to connect to what is running, for pasting."""
    # Not the script `terrarium-mcp`: it is absent where the demo was started with `python -m`.
    serve = ["-m", "terrarium_mcp", "serve", "--db", str(settings.db_path)]
    desktop = {"mcpServers": {"terrarium": {"command": sys.executable, "args": serve}}}
    questions = "\n".join(f"    {question}" for question in WORTH_ASKING)
    click.echo(
        f"""
It keeps running. Join {CHANNEL} with an IRC client:

  irssi     /network add -autosendcmd '/join {CHANNEL}' demo
            /connect -notls -network demo 127.0.0.1 {port}
  WeeChat   /set irc.look.temporary_servers on
            /connect irc://127.0.0.1:{port}/{CHANNEL}

and ask, for example:

{questions}

MCP clients read the same history:

  Claude Code     claude mcp add --transport http terrarium {listening.mcp_url}
  Claude Desktop  add this to claude_desktop_config.json and restart it:

{json.dumps(desktop, indent=2)}

Ctrl-C ends the demo and removes its files."""
    )


def _echo_channel(line: str) -> None:
    """Print a line of the channel."""
    click.echo(f"  {CHANNEL} {line}")


def _echo_event(event: str) -> None:
    """Print what happens outside the channel."""
    click.echo(f"-- {event}")
