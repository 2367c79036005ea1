"""The sample history: an invented fortnight of a community garden with a server."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.resources import files

from terrarium_mcp.chat.records import NewMessage, Origin

SOURCE = "the demo's sample"

WORTH_ASKING = (
    "!terrarium who renewed the certificate?",
    "!terrarium what did we decide about keeping the logs?",
    "!search butter ginger",
)
"""Questions that the history answers."""


def sample_messages(network: str, channel: str, now: datetime) -> Iterator[NewMessage]:
    """The lines of history.txt, dated to the days before `now`, oldest first."""
    for line in files(__package__).joinpath("history.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        days, time, nick, text = line.split(maxsplit=3)
        hour, minute = map(int, time.split(":"))
        day = now - timedelta(days=int(days))
        yield NewMessage(
            network=network,
            channel=channel,
            nick=nick,
            text=text,
            said_at=day.replace(hour=hour, minute=minute, second=0, microsecond=0),
            origin=Origin.IMPORT,
        )
