"""Two histories that differ only in what a view hides, and everything that can be asked of them."""

import re
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from terrarium_mcp.chat.records import Member, MessageType, NewMessage, Origin, Room
from terrarium_mcp.chat.times.timestamps import to_iso, to_text
from terrarium_mcp.policy import names_room, parse_view
from terrarium_mcp.store import open_store
from tests.store.beginnings import begin
from tests.store.scene import NOON, SETTINGS, line_of
from tests.tools.scene import House, Told, opened

MINUTE = timedelta(minutes=1)
TOO_LATE = "The history did not answer within "
END = NOON + timedelta(days=20)
"""The clock of every view: all that is recorded lies before it."""

ROOMS = [("net", "#tea"), ("net", "##tea"), ("net", "#mate"), ("elsewhere", "#tea"),
         ("elsewhere", "#milk")]  # fmt: skip
NICKS = ["ada", "Ada", "bo", "Bo", "cyrus", "dora", "tea"]
SHARED = ["tea", "green", "kettle", "gate", "paint", "milk", "opened", "the", "did", "who", "is",
          "https://example.org/pot", "\U0001f375", "caf\u00e9"]  # fmt: skip
FORMS = ["paints", "painted", "painting", "painter", "kettles", "ketle", "gates", "greener",
         "teapot", "opens", "opening", "milky", "painters", "greens", "opener"]  # fmt: skip
"""Words whose presence, or number, changes what stands for the words asked."""
UNSHARED = [["zaphod", "kettlx", "painty"], ["marvin", "greem", "gatep"], ["trillian", "kettly"],
            ["slartibart", "greenish"], ["ford", "paintwork"]]  # fmt: skip
"""Words and near spellings that only one room has."""
STRANGERS = ["dorb", "cyros", "zoe", "Zoe", "boo"]
"""Nicks of some rooms only, near those of others."""
COMMANDER = "zed"
"""A nick that hardly ever says anything but commands."""

EVENTS = [MessageType.JOIN, MessageType.PART, MessageType.NICK, MessageType.TOPIC,
          MessageType.QUIT, MessageType.KICK]  # fmt: skip
SPOKEN = [MessageType.PRIVMSG] * 8 + [MessageType.ACTION, MessageType.NOTICE]


@dataclass(frozen=True, repr=False)  # pages of it would bury what went wrong
class History:
    """What is recorded, in groups as it arrives; spans, members and ideas by room."""

    groups: Sequence[Sequence[NewMessage]]
    spans: Sequence[tuple[int, int, int]]
    members: Sequence[tuple[int, str, int]]
    ideas: Sequence[tuple[int, str, int]]


@st.composite
def histories(draw: st.DrawFn) -> History:
    """A few rooms that talk of the same things at the same time, with imports from before."""
    groups = []
    for _ in range(draw(st.integers(1, 5))):
        origin = draw(st.sampled_from([Origin.LIVE, Origin.LIVE, Origin.IMPORT, Origin.PLAYBACK]))
        at = NOON + timedelta(hours=draw(st.integers(-40, 200)))
        lines = []
        for _ in range(draw(st.integers(1, 40))):
            at += draw(st.sampled_from([MINUTE / 60, MINUTE, MINUTE, 20 * MINUTE, 600 * MINUTE]))
            lines.append(draw(_lines(at, origin)))
        groups.append(lines)
    rooms, hours = st.integers(0, len(ROOMS) - 1), st.integers(-50, 300)
    return History(
        groups,
        draw(st.lists(st.tuples(rooms, hours, st.integers(1, 90)), max_size=6)),
        draw(st.lists(st.tuples(rooms, st.sampled_from(NICKS + STRANGERS), hours), max_size=8)),
        draw(st.lists(st.tuples(rooms, st.sampled_from(SHARED[:6]), hours), max_size=5)),
    )


@st.composite
def _lines(draw: st.DrawFn, at: datetime, origin: Origin) -> NewMessage:
    room = draw(st.integers(0, len(ROOMS) - 1))
    network, channel = ROOMS[room]
    words = st.sampled_from([*SHARED, *SHARED, *FORMS, *UNSHARED[room]])
    text = " ".join(draw(st.lists(words, min_size=1, max_size=6)))
    nick = draw(st.sampled_from([*NICKS, *NICKS, STRANGERS[room], COMMANDER]))
    kind = draw(st.sampled_from(SPOKEN * 2 + EVENTS))
    if kind in (MessageType.NICK, MessageType.KICK):
        text = draw(st.sampled_from([*NICKS, STRANGERS[room]]))
    elif kind is MessageType.JOIN:
        text = ""
    elif nick == COMMANDER and draw(st.integers(0, 4)):
        text = f"!search {text}"
    elif draw(st.integers(0, 4)) == 0:
        text = draw(st.sampled_from([f"{text}?", f"{text}?", f"!search {text}"]))
    return line_of(nick, text, at, channel, kind, origin, network)


@st.composite
def views(draw: st.DrawFn) -> dict[str, Any]:
    """A view that hides something: rooms, a time, or both."""
    view: dict[str, Any] = {"now": to_iso(END)}
    rooms = draw(st.lists(st.sampled_from(ROOMS), min_size=1, max_size=3, unique=True))
    match draw(st.integers(0, 4)):
        case 0:
            view["network"], view["channel"] = rooms[0]
        case 1 | 2:
            view["channels"] = [f"{network}/{channel}" for network, channel in rooms]
        case 3:
            view["network"] = rooms[0][0]
    if len(view) == 1 or draw(st.booleans()):
        view["as_of"] = to_iso(NOON + timedelta(minutes=draw(st.integers(-1000, 13_000))))
        if draw(st.booleans()):
            view["now"] = view["as_of"]
    return view


@dataclass(frozen=True)
class Twins:
    """A server over a whole history, one over the same without what a view hides."""

    whole: House
    bare: House
    view: Mapping[str, Any]
    ids: Sequence[int] = field(default=())

    async def answers(self, tool: str, **arguments: Any) -> Told:
        """The answer of both, which must be the same."""
        whole = await self._asks(self.whole, tool, arguments)
        bare = await self._asks(self.bare, tool, arguments)
        told, other = untagged(whole), untagged(bare)
        assert told == other, f"{tool} {arguments} under {self.view}:\n{told}\n-----\n{other}"
        return whole

    async def _asks(self, house: House, tool: str, arguments: Mapping[str, Any]) -> Told:
        """Its answer, however busy the machine is."""
        while (told := await house.asks(tool, self.view, **arguments)).text.startswith(TOO_LATE):
            assert told.failed
        return told


def untagged(told: Told) -> tuple[str, str, bool]:
    """An answer without the random tags of its fences."""
    text = re.sub(r"^(\[/?(?:irc|backlog) )[0-9a-f]{4}", r"\1TAG", told.text, flags=re.MULTILINE)
    return text, repr(told.facts), told.failed


@asynccontextmanager
async def twins(history: History, view: Mapping[str, Any]) -> AsyncIterator[Twins]:
    """Both histories, derived from their messages alone."""
    with tempfile.TemporaryDirectory() as folder:
        whole, bare = Path(folder) / "whole", Path(folder) / "bare"
        whole.mkdir()
        ids = await _recorded(whole, history)
        shutil.copytree(whole, bare)
        _hide(bare, view)
        async with opened(whole) as one, opened(bare) as other:
            yield Twins(one, other, view, ids)


async def _recorded(folder: Path, history: History) -> list[int]:
    ids = list[int]()
    file = folder / "irc_logs.db"
    begin(file)
    async with open_store(file, SETTINGS) as store:
        for lines in history.groups:
            ids += await store.messages.append(lines)
        for room, began, hours in sorted(history.spans, key=lambda span: span[1]):
            at = NOON + timedelta(hours=began)
            await store.spans.begin(*ROOMS[room], at, "joined")
            await store.spans.end(*ROOMS[room], at + timedelta(hours=hours), "kicked by zaphod")
        for room in {room for room, _, _ in history.members}:
            there = [
                Member(nick, since=NOON + timedelta(hours=hours))
                for where, nick, hours in history.members
                if where == room
            ]
            await store.presence.replace(*ROOMS[room], there, NOON)
        for room, title, hours in history.ideas:
            network, channel = ROOMS[room]
            await store.backlog.create(
                f"{title} {channel}",
                "a summary",
                about={"author": "", "network": network, "channel": channel},
                lines=[],
                at=NOON + timedelta(hours=hours),
            )
    return [number for number in ids if number]


def _hide(folder: Path, view: Mapping[str, Any]) -> None:
    """Delete what the view hides, keep all ids, and have everything derived again."""
    shown = parse_view(view)
    cutoff = to_text(shown.as_of) if isinstance(shown.as_of, datetime) else "9999-12-31"
    with closing(sqlite3.connect(folder / "irc_logs.db")) as db, db:
        rows = db.execute("SELECT id, network, channel FROM rooms").fetchall()
        hidden = [number for number, *names in rows if not _is_shown(shown, *names)]
        marks = f"({','.join(map(str, hidden))})"
        for table in ("messages", "spans", "presence", "presence_as_of"):
            db.execute(f"DELETE FROM {table} WHERE room IN {marks}")  # noqa: S608 -- ids of ours
        db.execute(f"DELETE FROM rooms WHERE id IN {marks}")  # noqa: S608 -- as above
        db.execute("DELETE FROM networks WHERE name NOT IN (SELECT network FROM rooms)")
        db.execute("DELETE FROM messages WHERE timestamp >= ?", (cutoff,))
        db.execute("DELETE FROM spans WHERE began >= ?", (cutoff,))
        db.execute("DELETE FROM presence WHERE since >= ?", (cutoff,))
        db.execute("UPDATE derived SET upto = -1 WHERE name != 'messages'")
    for idea in _ideas(folder):
        head = idea.read_text()
        network, channel = (re.search(rf"^{key}: '?(.*?)'?$", head, re.MULTILINE)[1]  # type: ignore[index]
                            for key in ("network", "channel"))  # fmt: skip
        created = re.search(r"^created: '?(.*?)'?$", head, re.MULTILINE)[1]  # type: ignore[index]
        late = created.replace("T", " ").removesuffix("Z") > cutoff
        if late or not _is_shown(shown, network, channel):
            idea.unlink()


def _ideas(folder: Path) -> Iterator[Path]:
    return (folder / "enhancements").glob("*.md")


def _is_shown(view: Any, network: str, channel: str) -> bool:
    if view.network and view.network != network:
        return False
    if view.rooms is None:
        return True
    return any(names_room(Room(0, network, channel), *pair) for pair in view.rooms)


QUERIES = [
    "tea", "green tea", "green kettle gate", "painting", "kettle painted milk", "ketle", "paintx",
    "who opened the gate?", "what did ada paint?", "did dora open the green gate?", "zaphod",
    "marvin green", "from:ada", "from:dorx", "from:zoe tea", "mentions:cyru", "has:link",
    '"green tea"', "te*", "gre* OR milky", "-tea", "type:action", "type:join", "",
    "\U0001f375", "example.org", "in:##tea green", "in:elsewhere/#tea", "kettle's",
    "trillian kettle gate",
    "when did bo paint the kettle?", "caf\u00e9 openings", "greenish", "slartibart milk the",
    "is tea green?", "before:2026-05-03 gate kettle", "after:2026-05-01T13:00:00Z milk painted",
    "what did zed paint?", "did zed say that the kettle is green?",
]  # fmt: skip
CHANNELS = ["", "#tea", "##tea", "elsewhere/#tea", "#nowhere", "mate"]


@st.composite
def questions(draw: st.DrawFn) -> list[tuple[str, dict[str, Any]]]:
    """A dozen and more calls, of every tool that reads."""
    channels, form = st.sampled_from(CHANNELS), st.sampled_from(["text", "json"])
    people = st.sampled_from([*NICKS, *STRANGERS, "dor", "zaphod"])
    calls: list[tuple[str, dict[str, Any]]] = [
        (
            "search_irc_history",
            {
                "query": query,
                "channel": draw(st.sampled_from([*[""] * 6, *CHANNELS])),
                "sort": draw(st.sampled_from(["relevance", "relevance", "newest", "oldest"])),
                "limit": draw(st.sampled_from([1, 2, 5, 20, 100])),
                "context": draw(st.sampled_from([0, 0, 2])),
                "hours": draw(st.sampled_from([0, 0, 0, 100])),
                "format": draw(form),
            },
        )
        for query in draw(st.lists(st.sampled_from(QUERIES), min_size=10, max_size=14, unique=True))
    ]
    for tool in ("get_channel_stats", "get_current_users"):
        calls += [(tool, {}), (tool, {"channel": draw(channels)})]
    calls += [
        (
            "get_recent_irc_messages",
            {
                "channel": draw(channels),
                "limit": draw(st.sampled_from([1, 3, 50])),
                "include_events": draw(st.booleans()),
                "hours": draw(st.sampled_from([0, 0, 50])),
                "format": draw(form),
            },
        ),
        ("lookup_nick", {"nick": draw(people)}),
        ("lookup_nick", {"nick": draw(people)}),
        ("catch_up", {"since": "2026-04-01", "nick": draw(people)}),
        (
            "catch_up",
            {
                "channel": draw(channels),
                "nick": draw(people),
                "max_tokens": draw(st.sampled_from([300, 1_500])),
            },
        ),
        ("list_enhancement_requests", {}),
        ("read_enhancement_request", {"filename": "20260501-120000-tea-tea.md"}),
    ]
    return calls


async def ask_everything(
    pair: Twins, calls: Sequence[tuple[str, dict[str, Any]]], picks: Sequence[int]
) -> None:
    """Every call, its next pages with the cursors of either twin, and reading around messages."""
    for tool, arguments in calls:
        told = await pair.answers(tool, **arguments)
        for _ in range(3):
            found = re.search(r"cursor=(\S+)", told.text)
            if tool != "search_irc_history" or not found:
                break
            told = await pair.answers(tool, **{**arguments, "cursor": found[1]})
    files = await pair.bare.store.backlog.all()
    for idea in files[:2]:
        await pair.answers("read_enhancement_request", filename=idea.filename)
    for pick in picks:
        number = str(pair.ids[pick % len(pair.ids)] if pair.ids else pick)
        for scope in ("channel", "conversation"):
            await pair.answers("get_message_context", message_id=number, scope=scope, format="json")
        await pair.answers("get_recent_irc_messages", after_id=number, limit=3)
        await pair.answers("get_recent_irc_messages", before_id=number, limit=3)
