"""The rival in recording: pydle as it comes, writing the owner's columns in groups of 100 ms.

python -m bench.plain_recorder PORT CHANNEL DATABASE
"""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

import pydle

from bench.bare import Bare

PAUSE = 0.1
"""Seconds between two transactions."""


class PlainRecorder(pydle.Client):
    """Keeps what is said in one channel."""

    def __init__(self, channel: str, database: Path) -> None:
        super().__init__("Plain")
        self._channel = channel
        self._database = Bare.owners(database)
        self._said: list[tuple[str, ...]] = []

    async def on_connect(self) -> None:
        """Join the channel, and write for ever."""
        await self.rawmsg("JOIN", self._channel)
        while True:
            await asyncio.sleep(PAUSE)
            rows, self._said = self._said, []
            if rows:
                self._database.write(rows)

    async def on_message(self, target: str, by: str, text: str) -> None:
        """Remember a line until the next transaction."""
        user = self.users.get(by, {})
        at = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
        who = (by, user.get("username") or "", user.get("hostname") or "")
        self._said.append((at, target, *who, text, "PRIVMSG"))


if __name__ == "__main__":
    port, channel, database = sys.argv[1:]
    PlainRecorder(channel, Path(database)).run("127.0.0.1", port=int(port))
