"""A sample history: an invented week of a garden with a server."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from terrarium_mcp.chat.records import NewMessage, Origin

SOURCE = "the demo's sample"

_TALK = """\
6 09:12 moss   good morning, the fern survived the weekend
6 09:13 ada    so did the backup job, for once
6 09:20 bo     the greenhouse door is stuck again, somebody should look at the hinge
6 14:02 ada    I updated the deploy script to handle migrations, see https://example.org/deploy
6 14:05 bo     does it work with the new container setup?
6 14:06 ada    it does, I ran it twice on staging
5 10:31 moss   the pump controller reports 41 degrees, is that the sensor or the pump?
5 10:33 bo     the sensor. It reads twelve too high since I moved it next to the window
5 16:45 moss   tea at four tomorrow? I bring the ginger cake
5 16:46 ada    yes please
4 16:04 moss   best cake so far
4 18:30 bo     I fixed the garden gate: the latch was bent, a new one is in the shed
4 18:31 ada    thank you, the neighbour's goat was about to move in
3 11:00 ada    decision: we keep the logs for a year, and [off] lines are never written
3 11:02 bo     good
2 08:15 moss   staging is down, 502 from nginx
2 08:19 ada    the certificate ran out at midnight. Renewed, and the timer is enabled now
2 08:20 moss   back up, thanks
1 20:10 bo     who wants the spare tomato seedlings? Six left
1 20:12 moss   I take two
"""


def sample_messages(network: str, channel: str, now: datetime) -> Iterator[NewMessage]:
    """The sample, dated to the days before `now`, oldest first."""
    for line in _TALK.splitlines():
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
