"""By how much the server's clock is ahead of ours, as its own words show (IRCv3 server-time)."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.times.timestamps import from_iso


class ServerClock:
    """The clock of the server of one connection. `ahead` is negative where it is behind."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def learn(self, line: IrcMessage) -> None:
        """Note the time of a numeric or a PONG, which the server says just now."""
        if not (line.command.isdigit() or line.command == "PONG") or "time" not in line.tags:
            return
        with suppress(ValueError):
            self.ahead = from_iso(line.tags["time"]) - datetime.now(UTC)
