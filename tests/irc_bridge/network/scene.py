"""Shared by the scenes: a listener that remembers, and a network that runs beside a block."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import anyio

from terrarium_mcp.bell import Bell
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.network import session
from terrarium_mcp.irc_bridge.network.chathistory import HistoryPage
from terrarium_mcp.irc_bridge.network.client import IrcNetwork
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.settings import Settings
from tests.patience import PATIENCE, PATIENCE_OF_THE_PRODUCT
from tests.servers.beside import beside

PATIENT = Timeouts(
    connect=PATIENCE_OF_THE_PRODUCT,
    handshake=PATIENCE_OF_THE_PRODUCT,
    register=PATIENCE_OF_THE_PRODUCT,
    send=PATIENCE_OF_THE_PRODUCT,
    farewell=PATIENCE_OF_THE_PRODUCT,
    confirm=PATIENCE_OF_THE_PRODUCT,
)
"""For what a server does at once: it is no pause of the machine that ends the wait."""

QUICK = replace(
    PATIENT,
    burst=1000,
    per_line=0.001,
    backoff=(0.05,),
    jitter=0,
    regain_nick=0.1,
    rejoin=(0.02, 0.05),
    refused=(0.05,),
)


class Ear:
    """A listener that remembers everything, and that a scene can wait for."""

    def __init__(self) -> None:
        self.lines: list[IrcMessage] = []
        self.casemappings: list[str] = []
        self.events: list[tuple[str, ...]] = []
        self.pages: list[HistoryPage] = []
        self.arrivals: list[tuple[str, str]] = []
        self.at_each_line: Callable[[IrcMessage], object] = lambda _: None
        self._news = Bell()

    def on_casemapping(self, casemapping: str) -> None:
        self.casemappings.append(casemapping)

    def on_connected(self, nick: str) -> None:
        self._note("connected", nick)

    def on_line(self, message: IrcMessage) -> None:
        self.lines.append(message)
        self.at_each_line(message)
        self._news.ring()

    def on_joined(self, channel: str) -> None:
        self._note("joined", channel)

    def on_arriving(self, channel: str) -> None:
        self._notes_arrival("arriving", channel)

    def on_arrived(self, channel: str) -> None:
        self._notes_arrival("arrived", channel)

    def on_members_complete(self, channel: str) -> None:
        self._note("members_complete", channel)

    def on_history_page(self, page: HistoryPage) -> None:
        self.pages.append(page)
        self._note("history", page.channel)

    def on_left(self, channel: str, why: str) -> None:
        self._note("left", channel, why)

    def on_lost(self, why: str) -> None:
        self._note("lost", why)

    def texts(self, command: str = "PRIVMSG") -> list[str]:
        """The texts of all lines with this command, in order."""
        return [line.params[-1] for line in self.lines if line.command == command]

    def happened(self, *event: str) -> list[tuple[str, ...]]:
        """The events that begin like this, in order."""
        return [known for known in self.events if known[: len(event)] == event]

    async def happens(self, *event: str, times: int = 1) -> tuple[str, ...]:
        """Wait until this has happened `times` times; returns the last."""
        await self.until(lambda: len(self.happened(*event)) >= times)
        return self.happened(*event)[-1]

    async def hears(self, text: str) -> IrcMessage:
        """Wait for a line whose last parameter is `text`."""
        await self.until(lambda: text in map(_last_word, self.lines))
        return next(line for line in self.lines if _last_word(line) == text)

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until the network makes this true."""
        with anyio.fail_after(PATIENCE):
            while not true():
                await self._news.wait()

    def _notes_arrival(self, what: str, channel: str) -> None:
        self.arrivals.append((what, channel))
        self._news.ring()

    def _note(self, *event: str) -> None:
        self.events.append(event)
        self._news.ring()


def _last_word(line: IrcMessage) -> str:
    return line.params[-1] if line.params else ""


def login(port: int, *channels: str, **more: Any) -> ServerConfig:
    """Terra on loopback, without TLS by default."""
    given = {"host": "127.0.0.1", "port": port, "tls": False, "nick": "Terra", "realname": "test"}
    named = Settings(irc_channels=channels).irc_channels  # type: ignore[arg-type]
    return ServerConfig(channels=named, **{**given, **more})


@asynccontextmanager
async def staying(
    who: ServerConfig, *, mishaps: bool = False, **timeouts: Any
) -> AsyncIterator[tuple[IrcNetwork, Ear]]:
    """A network that runs beside the block, with short pauses, and must stop at its end.

    Only with `mishaps` may there be lines that it cannot handle, or a task of it fail: it logs
    those, and goes on as if nothing had been.
    """
    ear = Ear()
    network = IrcNetwork(who, ear, timeouts=replace(QUICK, **timeouts))
    with _warnings_of_sessions() as warnings:
        async with beside(network.run):
            with anyio.fail_after(PATIENCE):
                yield network, ear
                await network.stop("bye")
    assert mishaps or warnings == []


@contextmanager
def _warnings_of_sessions() -> Iterator[list[str]]:
    """Collects what sessions warn of while the block runs."""
    warnings: list[str] = []
    listening = logging.Handler(logging.WARNING)
    listening.emit = lambda record: warnings.append(record.getMessage())  # type: ignore[method-assign]
    session.log.addHandler(listening)
    try:
        yield warnings
    finally:
        session.log.removeHandler(listening)
