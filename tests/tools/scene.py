"""Scenes for the tools: a store with talk in it, and a client that asks the server about it."""

import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import anyio
from mcp.client.client import Client
from mcp.types import TextContent

from terrarium_mcp.policy import VIEW_KEY
from terrarium_mcp.server import build_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from tests.patience import PATIENCE
from tests.store.beginnings import begin
from tests.store.scene import NOON, SETTINGS, chat

Era = Literal["auto", "legacy"]
ERAS: tuple[Era, ...] = ("auto", "legacy")

FENCED = re.compile(
    r"^\[(?P<source>irc|backlog|web) (?P<tag>[0-9a-f]{4,6}): quoted [^]]*\]\n"
    r"(?P<inside>(?:.*\n)*?)\[/(?P=source) (?P=tag)\]$",
    re.MULTILINE,
)
OPENED = re.compile(r"^\[(?:irc|backlog|web) [0-9a-f]{4,6}: ", re.MULTILINE)
TAG = re.compile(r"^(\[/?(?:irc|backlog|web)) [0-9a-f]{4,6}", re.MULTILINE)
LINE = re.compile(r"(\d+) \d\d:\d\d ")


@dataclass(frozen=True)
class Told:
    """What a tool answered."""

    text: str
    facts: Mapping[str, Any]
    failed: bool

    @property
    def inside(self) -> str:
        """What stands in the fence. There is one at most, and it is closed."""
        fences = list(FENCED.finditer(self.text))
        assert len(fences) == len(OPENED.findall(self.text)) <= 1, self.text
        return fences[0]["inside"] if fences else ""

    @property
    def outside(self) -> str:
        """Our own words."""
        return FENCED.sub("", self.text)

    @property
    def lines(self) -> list[str]:
        """The lines in the fence."""
        return self.inside.splitlines()

    @property
    def ids(self) -> list[int]:
        """The ids of the messages shown, in order."""
        return [int(found[1]) for line in self.lines if (found := LINE.match(line))]

    @property
    def everything(self) -> str:
        """All that a host could show of it, but for the tags of fences: one may be `ada2`."""
        return "\n".join([TAG.sub(r"\1", self.text), *_texts(self.facts)])


def _texts(facts: object) -> Iterator[str]:
    """Every key and value of structured content, as it is and not escaped."""
    match facts:
        case Mapping():
            for key, value in facts.items():
                yield from (str(key), *_texts(value))
        case list():
            for value in facts:
                yield from _texts(value)
        case _:
            yield str(facts)


@dataclass(frozen=True)
class House:
    """A server over a store, and its client."""

    store: Store
    client: Client

    async def hears(
        self, talk: str, channel: str = "#tea", at: datetime = NOON, network: str = "net"
    ) -> list[int]:
        """Something is said; the ids of the lines."""
        return await self.store.messages.append(chat(talk, channel=channel, at=at, network=network))

    async def asks(
        self, tool: str, view: Mapping[str, Any] | None = None, /, **arguments: Any
    ) -> Told:
        """Call a tool."""
        meta: Any = {VIEW_KEY: view} if view is not None else None
        with anyio.fail_after(PATIENCE):
            result = await self.client.call_tool(tool, arguments, meta=meta)
        texts = [part.text for part in result.content if isinstance(part, TextContent)]
        assert len(texts) == len(result.content)
        return Told("\n".join(texts), result.structured_content or {}, bool(result.is_error))

    async def learns(
        self, tool: str, view: Mapping[str, Any] | None = None, /, **arguments: Any
    ) -> Told:
        """Call a tool that must answer."""
        told = await self.asks(tool, view, **arguments)
        assert not told.failed, told.text
        return told

    async def is_refused(
        self, tool: str, view: Mapping[str, Any] | None = None, /, **arguments: Any
    ) -> str:
        """Call a tool that must end in an error; its text."""
        told = await self.asks(tool, view, **arguments)
        assert told.failed, told.text
        return told.text


@asynccontextmanager
async def opened(
    folder: Path, settings: Settings = SETTINGS, era: Era = "auto"
) -> AsyncIterator[House]:
    """A house in `folder`, as long as the block lasts."""
    file = folder / "irc_logs.db"
    begin(file)
    async with (
        open_store(file, settings) as store,
        Client(build_server(store, settings), mode=era) as client,
    ):
        yield House(store, client)


def furnished(folder: Path, furnish: Callable[[House], Awaitable[object]]) -> Path:
    """A history in `folder`, to be copied by the houses that begin with it."""

    async def prepare() -> None:
        async with opened(folder) as house:
            await furnish(house)
            await house.store.differences([])  # nothing waits for its group

    with ThreadPoolExecutor(1) as thread:  # in this one a runner may be at work
        thread.submit(anyio.run, prepare).result()
    return folder


@asynccontextmanager
async def moved_into(furnished: Path, folder: Path) -> AsyncIterator[House]:
    """A house in `folder` with a copy of that history."""
    shutil.copytree(furnished, folder, dirs_exist_ok=True)
    async with opened(folder) as house:
        yield house
