"""By how much the server's clock is ahead of ours, as its own words show (IRCv3 server-time)."""

from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.irc_message import IrcMessage


class ServerClock:
    """The clock of the server of one connection. `ahead` is negative where it is behind."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def learn(self, line: IrcMessage) -> None:
        """Note the time of a numeric or a PONG, which the server says just now."""
        if (line.command.isdigit() or line.command == "PONG") and (sent_at := line.sent_at):
            self.ahead = sent_at - datetime.now(UTC)
