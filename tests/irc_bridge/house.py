"""A whole house for a scene: a store, a bridge on a real network, an MCP server, a model.

A `study` is a part of it, for scenes that need no network: the question is put by hand.
"""

import os
import secrets
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from tenacity import wait_none

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.defusing import NO_ONE_HERE
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.records import Message, MessageType, NewMessage
from terrarium_mcp.irc_bridge.answer.briefing import Briefing
from terrarium_mcp.irc_bridge.answer.gathering import gathered_lines
from terrarium_mcp.irc_bridge.answer.loop import Answer, answer
from terrarium_mcp.irc_bridge.answer.question import Question
from terrarium_mcp.irc_bridge.bridge import Bridge
from terrarium_mcp.irc_bridge.bridges import Bridges
from terrarium_mcp.irc_bridge.model.client import LLM
from terrarium_mcp.irc_bridge.model.model_queue import ModelQueue
from terrarium_mcp.irc_bridge.network.chathistory import HistoryPage
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch
from terrarium_mcp.irc_bridge.talk_log.writer import TalkLog
from terrarium_mcp.irc_bridge.toolbox import Target, Toolbox, ViewMeta, stdio_server
from terrarium_mcp.server import build_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, StoredDialogue, open_store
from tests.irc_bridge.network.scene import PATIENT
from tests.patience import PATIENCE
from tests.servers.agent import StrictAgent
from tests.servers.beside import beside
from tests.servers.ircd import Ircd
from tests.servers.person import Person
from tests.store.beginnings import begin

CHANNELS = ("#tea", "#mate")
NOBODY = "http://127.0.0.1:9"  # the discard port: refused at once
QUICK = replace(
    PATIENT, burst=100, per_line=0.001, reflex=0, backoff=(0.1, 0.3, 1.0), rejoin=(0.05,)
)


class WatchedBridge(Bridge):
    """Tells when it has come into all of its channels, again after each connection."""

    def __init__(self, *parts: Any, **more: Any) -> None:
        super().__init__(*parts, **more)
        self.at_home = anyio.Event()
        self.losses = 0
        self.heard: set[str] = set()
        self.pages: list[HistoryPage] = []
        self.news = Bell()

    def _take(self, message: IrcMessage, is_earlier: bool = False) -> None:
        super()._take(message, is_earlier)
        self.heard.update(message.params[-1:])
        self.news.ring()

    def on_history_page(self, page: HistoryPage) -> None:
        super().on_history_page(page)
        self.pages.append(page)
        self.news.ring()

    async def has_pages(self, count: int) -> None:
        """Wait until as many pages of history have come, and are on disk."""
        with anyio.fail_after(PATIENCE):
            while len(self.pages) < count:
                await self.news.wait()
        await self.flush()

    async def hears(self, text: str) -> None:
        """Wait until a line ended so; one that came already counts."""
        while text not in self.heard:
            await self.news.wait()

    def on_joined(self, channel: str) -> None:
        super().on_joined(channel)
        if len(self.network.joined_channels()) == len(self._settings.irc_channels):
            self.at_home.set()

    def on_lost(self, why: str) -> None:
        super().on_lost(why)
        self.at_home = anyio.Event()
        self.losses += 1
        self.news.ring()

    async def is_cut_off(self, times: int = 1) -> None:
        """Wait until the connection has been lost that many times since the start."""
        while self.losses < times:
            await self.news.wait()


class WatchedModelQueue(ModelQueue):
    """Tells how many questions use the model or wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.questions = 0
        self._news = Bell()

    @asynccontextmanager
    async def question(self) -> AsyncIterator[None]:
        self.questions += 1
        self._news.ring()
        try:
            async with super().question():
                yield
        finally:
            self.questions -= 1
            self._news.ring()

    async def holds(self, questions: int) -> None:
        """Wait until there are as many."""
        while self.questions != questions:
            await self._news.wait()


@dataclass(frozen=True)
class House:
    """What a scene holds on to."""

    store: Store
    bridge: WatchedBridge
    model_queue: WatchedModelQueue
    bridges: Bridges
    toolbox: Toolbox
    settings: Settings
    llm: LLM

    async def lines(self, channel: str = "", *, events: bool = False) -> list[Message]:
        """Every line of speech, oldest first."""
        return await lines_of(self.store, channel, events=events)

    async def has_heard(self, person: Person, channel: str = "#tea") -> None:
        """Return once everything that `person` said before in the channel is on disk."""
        knock = f"[off] knock {secrets.token_hex(4)}"
        await person.types(f"PRIVMSG {channel} :{knock}")
        await self.bridge.hears(knock)
        await self.bridge.flush()


def settings_for(ircd: Ircd | int, folder: Path, agent_url: str = NOBODY, **more: Any) -> Settings:
    """Settings of a house whose network is a test server."""
    return Settings.model_validate(
        {
            "db_path": folder / "irc_logs.db",
            "irc_server": "127.0.0.1",
            "irc_port": ircd if isinstance(ircd, int) else ircd.port,
            "irc_use_ssl": False,
            "irc_channels": CHANNELS,
            "agent_api_url": agent_url,
            "agent_model": "scripted",
            "agent_timeout": PATIENCE,
            "ask_burst": 100,
            **more,
        }
    )


def model_of(settings: Settings) -> LLM:
    """The model that the settings name, asked again without a pause."""
    return LLM.from_settings(settings, wait=wait_none())


@asynccontextmanager
async def living(
    settings: Settings,
    *,
    mcp_url: str = "",
    spawns: bool = False,
    timeouts: Timeouts = QUICK,
) -> AsyncIterator[House]:
    """A house that is at home inside the block: its bot sits in its channels.

    Its MCP server lives in this process, unless there is an address or it `spawns` one.
    """
    llm = model_of(settings)
    begin(settings.db_path)
    async with open_store(settings.db_path, settings) as store:

        def target() -> Target:
            if spawns:
                return stdio_server(settings.db_path, os.environ)
            return mcp_url or build_server(store, settings)

        toolbox = Toolbox(target, mounts=settings.mcp_servers, backoff=(0.05, 0.1, 0.2))
        talk_log = TalkLog(settings.talk_log)
        llm.queue = model_queue = WatchedModelQueue()
        bridge = WatchedBridge(store, settings, toolbox, llm, timeouts=timeouts, talk_log=talk_log)
        bridges = Bridges([settings], lambda _: bridge, toolbox, llm, talk_log=talk_log)
        house = House(store, bridge, model_queue, bridges, toolbox, settings, llm)
        try:
            async with beside(bridges.run):
                with anyio.fail_after(PATIENCE):
                    await bridge.at_home.wait()
                yield house
        finally:
            await llm.aclose()


@dataclass(frozen=True)
class Study:
    """A model and a toolbox over a store with some lines in it."""

    store: Store
    toolbox: Toolbox
    settings: Settings
    llm: LLM

    async def asks(
        self,
        text: str,
        *,
        asker: str = "ada",
        channel: str = "#tea",
        dialogue: StoredDialogue | None = None,
    ) -> Answer:
        """Put a question, as the responder would, after the turns of a dialogue."""
        question = question_of(text, asker=asker, channel=channel)
        settled = settled_at(question.view)
        before = dialogue or StoredDialogue()
        lines = await gathered_lines(question, self.toolbox, self.settings, settled)
        briefing = Briefing(question, before, lines, self.settings, "Terra")
        return await answer(briefing, self.llm, self.toolbox)


def question_of(text: str, *, asker: str = "ada", channel: str = "#tea") -> Question:
    """A question on the record, in a recorded channel where nobody else is."""
    return Question(
        text,
        asker,
        channel,
        {"network": "local", "channel": channel, "asker": asker},
        is_off_record=lambda: False,
        unaddressed=NO_ONE_HERE,
        persona="",
        watch=Stopwatch(),
        is_readable=lambda _channel: True,
        recorded=all_recorded,
    )


async def all_recorded(ids: Collection[int]) -> Collection[int]:
    """Of a study nothing is removed."""
    return ids


def settled_at(view: ViewMeta) -> Callable[[], Awaitable[ViewMeta]]:
    """A question that is on disk: its view is this."""

    async def settled() -> ViewMeta:
        return view

    return settled


@asynccontextmanager
async def study(
    folder: Path, agent: StrictAgent | str, lines: Sequence[NewMessage] = (), **more: Any
) -> AsyncIterator[Study]:
    """A study inside the block."""
    url = agent if isinstance(agent, str) else agent.url
    settings = settings_for(6667, folder, url, **more)
    llm = model_of(settings)
    begin(settings.db_path)
    async with open_store(settings.db_path, settings) as store:
        toolbox = Toolbox(lambda: build_server(store, settings), backoff=(0.05, 0.1, 0.2))
        await store.messages.append(lines)
        try:
            async with beside(toolbox.run):
                yield Study(store, toolbox, settings, llm)
        finally:
            await llm.aclose()


@asynccontextmanager
async def locked(database: Path) -> AsyncIterator[None]:
    """Another program's write transaction, as long as the block takes."""
    other = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    # In a thread, since it waits for a transaction of ours that needs this loop to end.
    await to_thread.run_sync(other.execute, "BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def said(text: str, *, nick: str = "bo", channel: str = "#tea", **more: Any) -> NewMessage:
    """A line that was said just now."""
    at = datetime.now(UTC)
    return NewMessage(network="local", channel=channel, nick=nick, text=text, said_at=at, **more)


def came(nick: str, kind: MessageType = MessageType.JOIN) -> NewMessage:
    """Somebody who came, or went."""
    return said("", nick=nick, kind=kind)


async def lines_of(store: Store, channel: str = "", *, events: bool = False) -> list[Message]:
    """Every line of speech, oldest first."""
    rooms = [room for room in await store.rooms.all() if channel in ("", room.channel)]
    return list((await store.messages.newest(rooms, 100_000, events=events)).messages)


def bytes_of(database: Path) -> bytes:
    """All that is on disk of a database."""
    files = sorted(database.parent.glob(f"{database.name}*"))
    return b"".join(file.read_bytes() for file in files)
