"""Make the stored databases of the current version: `python -m tests.store.files.make`.

Run it once, with the code that introduces a version, and commit what it writes: `vN.db.gz` was
recorded by terrarium-mcp, `vN-adopted.db.gz` comes from terrarium-irc. Later code proves on them
that it still opens what was written on that day.

It also appends the hashes of both, and of `vN.sql`, to frozen.txt. From then on files of the
version may exist, also on machines of others, so neither the text nor a stored file ever changes,
nor a line of that list: a file made by a first text would never get what a second one adds.
"""

import gzip
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import Member, MessageType, NewMessage, Origin
from terrarium_mcp.store import (
    DialoguePlace,
    DialogueSummary,
    DialogueTurn,
    LogSource,
    Store,
    ToolStep,
    TurnState,
    open_store,
)
from terrarium_mcp.store.sqlite.schema import CURRENT
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.store.files.stored import FILES, FROZEN, digests, frozen
from tests.store.scene import NOON, SETTINGS, chat, line_of, past

ADOPTED_ROWS = 60

TEA = """
12:00 <ada> good morning, who has the kettle?
<bo> it is on the stove: https://example.org/kettle?size=2
* ada pours
<bo> the reason for the delay was the water
-ChanServ- this channel is recorded
<ada> caf\u00e9, \u65e5\u672c\u8a9e, C++ and foo_bar
<cy[1]> bo: see https://example.org/leaves and https://example.org/kettle?size=2
<bo> thanks, cy
"""
MATE = """
13:00 <dee> mate is better than tea
<ada> is it?
<dee> yes, in the afternoon
"""
LOG = LogSource(
    path="mate.log",
    format="WeeChat",
    network="net",
    channel="#mate",
    zone="UTC",
    sha256="0" * 64,
    size=100,
    resolution=timedelta(seconds=1),
)


def recorded() -> list[NewMessage]:
    """Thirty lines and events in two rooms, among them one of each kind the bridge records."""

    def event(
        nick: str, text: str, minute: int, kind: MessageType, channel: str = "#tea"
    ) -> NewMessage:
        return line_of(nick, text, NOON + timedelta(minutes=minute), channel, kind)

    return [
        event("ada", "", -3, MessageType.JOIN),
        event("ada", "Welcome to tea", -2, MessageType.TOPIC),
        *chat(TEA),
        event("bo", "bo_away", 9, MessageType.NICK),
        event("bo_away", "off to bed", 10, MessageType.QUIT),
        *chat(MATE, channel="#mate"),
        event("dee", "Mate since 1537", 70, MessageType.TOPIC, "#mate"),
        event("ada", "+o dee", 71, MessageType.MODE, "#mate"),
        event("dee", "ada enough", 72, MessageType.KICK, "#mate"),
        event("dee", "", 73, MessageType.PART, "#mate"),
        line_of("eve", "played back by a bouncer", NOON, origin=Origin.PLAYBACK),
        NewMessage(
            network="net",
            channel="#tea",
            nick="fay",
            text="a line with an account, an id and a reply",
            said_at=NOON + timedelta(minutes=80),
            account="fay",
            msgid="id-2",
            reply_to="id-1",
            server_time="2026-05-01T13:19:59.000Z",
            relayed_by="bridge",
            bot=True,
        ),
    ]


async def record(path: Path) -> None:
    """A database as a bridge leaves it."""
    async with open_store(path, SETTINGS) as store:
        await store.spans.begin("net", "#tea", NOON - timedelta(minutes=5), "joined")
        await store.messages.append(recorded())
        await store.messages.append([*past(8)])
        await store.presence.replace("net", "#tea", [Member("ada", "@"), Member("Cy[1]")], NOON)
        number = await store.imports.begin("terrarium-mcp import mate.log")
        mate = chat(MATE, channel="#mate", origin=Origin.IMPORT)
        await store.imports.add_all(number, [(LOG, mate)])
        await store.imports.finish(number)
        await talk(store)
    with closing(sqlite3.connect(path)) as db, db:
        # As terrarium-irc or another program would append them.
        insert = "INSERT INTO messages (timestamp, channel, nick, message) VALUES (?, ?, ?, ?)"
        at = "2026-05-01 14:00:00"
        db.execute(insert, (at, "#tea", "gus", "appended by another program"))
        db.execute(insert, (at, "Terra", "gus", "in private"))
    async with open_store(path, SETTINGS) as store:
        await store.messages.newest(await store.rooms.all(), 1)
        await store.removal.redact("net", "#tea", "id-2", asked_by="ada", at=datetime.now(UTC))


async def talk(store: Store) -> None:
    """Two turns of a dialogue, the first of them summarised, and one that is being answered."""
    place = DialoguePlace("net", "#tea")
    asker = Identity("net", "bo", "~bo", "host.example")
    step = ToolStep(1, "search_irc_history", '{"query": "kettle"}', "2 lines")
    for number, state in enumerate((TurnState.DONE, TurnState.DONE, TurnState.OPEN), 1):
        turn = DialogueTurn(
            number,
            window=1,
            asked_at=NOON + timedelta(minutes=number),
            asker=asker,
            question="who has the kettle?",
            message_id=number,
            steps=(step,),
            answer="ada" if state is TurnState.DONE else "",
            state=state,
            sources=frozenset((2, 3)),
        )
        await store.dialogues.put_turn(place, turn)
    summary = DialogueSummary("The kettle was asked for.", 1, 1, NOON)
    await store.dialogues.put_window(place, 1, summary)


async def adopt(path: Path) -> None:
    """A database that terrarium-irc left, taken over."""
    sample.make(path, ADOPTED_ROWS)
    async with open_store(path, SETTINGS, adopt=True) as store:
        await store.opening.wait(PATIENCE)


async def main() -> None:
    """Make both files of the current version, and freeze it; a version is frozen once."""
    if f"v{CURRENT}.sql" in frozen():
        sys.exit(f"Version {CURRENT} is frozen: write version {CURRENT + 1} (see schema/__init__).")
    with TemporaryDirectory() as folder:
        for name, fill in ((f"v{CURRENT}", record), (f"v{CURRENT}-adopted", adopt)):
            path = Path(folder) / f"{name}.db"
            await fill(path)
            stored = FILES / f"{name}.db.gz"
            stored.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            print(stored.name, path.stat().st_size, stored.stat().st_size)  # noqa: T201
    with FROZEN.open("a", encoding="utf-8") as listed:
        listed.writelines(f"{digest}  {name}\n" for name, digest in digests(CURRENT).items())


if __name__ == "__main__":
    anyio.run(main)
