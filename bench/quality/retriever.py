"""The server as a retriever of the harness: it indexes messages once, then answers questions.

Questions go the way of any client: `search_irc_history` through the SDK's in-memory client, with
the view's `now` and, if the harness names one, the channel. The store is filled by bulk append.
"""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin, Room
from terrarium_mcp.policy import VIEW_KEY
from terrarium_mcp.server import build_server
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from terrarium_mcp.store.search import Search

NETWORK = "bench"

MANY = 1_000_000
"""Budget of an answer in estimated tokens: the harness needs the whole page."""


class HarnessMessage(Protocol):
    """A message of the harness; `ts` is in seconds since 1970, UTC."""

    id: int
    ts: float
    channel: str
    nick: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The harness's ids of the hits of one call, and whether it says that the best is weak."""

    found: Sequence[int]
    is_weak: bool


class Retriever:
    """Runs its own server, which is asked under a `view` of the channel and the time, if so wished.

    With `direct` it calls the store instead, which must find the same as without a view.
    """

    name = "terrarium-mcp"

    def __init__(self, *, direct: bool = False, view: bool = False) -> None:
        self._direct = direct
        self._view = view
        self._ids: dict[int, int] = {}
        self._rooms: Sequence[Room] = ()
        self._open = ExitStack()
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="quality-"))
        settings = Settings(network=NETWORK)
        self._portal = self._open.enter_context(start_blocking_portal())
        self._store = self._open.enter_context(
            self._portal.wrap_async_context_manager(
                open_store(Path(folder) / "irc_logs.db", settings)
            )
        )
        self._client = self._open.enter_context(
            self._portal.wrap_async_context_manager(Client(build_server(self._store, settings)))
        )

    def index(self, messages: Sequence[HarnessMessage]) -> None:
        """Store the messages in the order given."""
        self._portal.call(self._append, messages)

    def search(
        self, query: str, k: int, *, channel: str | None = None, now: float | None = None
    ) -> list[int]:
        """The harness's ids of the `k` best lines."""
        return self._asked(query, k, channel, now, direct=self._direct)

    def answer(self, query: str, k: int, *, now: float) -> ToolAnswer:
        """What one call of the tool answers."""
        at = datetime.fromtimestamp(now, UTC)
        facts = self._portal.call(self._call, query, k, "", at)
        found = [self._ids[int(number)] for number in facts["hits"]]
        return ToolAnswer(found, bool(facts.get("weak")))

    def close(self) -> None:
        """Close the server and delete the store."""
        self._open.close()

    def _asked(
        self, query: str, k: int, channel: str | None, now: float | None, *, direct: bool
    ) -> list[int]:
        at = datetime.now(UTC) if now is None else datetime.fromtimestamp(now, UTC)
        look = self._look if direct else self._ask
        found = self._portal.call(look, query, k, _channel(channel), at)
        return [self._ids.get(number, number) for number in found]

    async def _append(self, messages: Sequence[HarnessMessage]) -> None:
        for start in range(0, len(messages), 4_000):
            group = messages[start : start + 4_000]
            ids = await self._store.messages.append([_heard(message) for message in group])
            self._ids |= {ours: message.id for ours, message in zip(ids, group, strict=True)}
        self._rooms = await self._store.rooms.all()

    async def _ask(self, query: str, k: int, channel: str, now: datetime) -> list[int]:
        facts = await self._call(query, k, channel, now)
        return [int(number) for number in facts["hits"]]

    async def _call(self, query: str, k: int, channel: str, now: datetime) -> dict[str, Any]:
        view = {"now": now.isoformat(), "max_tokens": MANY, **self._hiding(channel, now)}
        meta: Any = {VIEW_KEY: view}
        arguments = {"query": query, "limit": k, "channel": channel, "format": "json"}
        result = await self._client.call_tool("search_irc_history", arguments, meta=meta)
        if result.is_error or result.structured_content is None:
            raise RuntimeError(str(result.content))
        facts: dict[str, Any] = result.structured_content
        return facts

    def _hiding(self, channel: str, now: datetime) -> dict[str, str]:
        """The part of a view that hides something, as the bridge sends it with every question."""
        if not self._view:
            return {}
        cutoff = {"as_of": (now + timedelta(seconds=1)).isoformat()}
        return {**cutoff, "channel": channel} if channel else cutoff

    async def _look(self, query: str, k: int, channel: str, now: datetime) -> list[int]:
        rooms = [room for room in self._rooms if not channel or room.channel == channel]
        parsed = parse_query(query, now=now)
        search = Search(query=parsed, rooms=rooms, limit=k, now=now)
        hits = await self._store.search(search, f"{query} {channel}")
        return [message.id for message in hits.messages]


class Comparing(Retriever):
    """Answers through MCP and records the queries that the store answers differently."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.differing: list[str] = []

    def search(
        self, query: str, k: int, *, channel: str | None = None, now: float | None = None
    ) -> list[int]:
        """The harness's ids of the `k` best lines, as found through MCP."""
        through_mcp, directly = (
            self._asked(query, k, channel, now, direct=direct) for direct in (False, True)
        )
        self.asked += 1
        if through_mcp != directly:
            self.differing.append(query)
        return through_mcp


def _channel(name: str | None) -> str:
    return f"#{name.removeprefix('#')}" if name else ""


def _heard(message: HarnessMessage) -> NewMessage:
    return NewMessage(
        network=NETWORK,
        channel=_channel(message.channel),
        nick=message.nick,
        text=message.text,
        said_at=datetime.fromtimestamp(message.ts, UTC),
        kind=MessageType.ACTION if message.kind == "action" else MessageType.PRIVMSG,
        origin=Origin.IMPORT,
    )
