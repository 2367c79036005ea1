"""A server of a history, in a process of its own, whose heart is listened to."""

import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx2
from mcp.client.client import Client

from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.store import open_store
from tests.patience import PATIENCE
from tests.store.scene import NOON, SETTINGS, line_of

PEOPLE = [f"person{n}" for n in range(300)]
WORDS = """tea kettle green milk sugar cup leaf water garden heater greenhouse valve pump script
deploy server kernel driver disk mount usb backup error log line night morning work start stop
build test release branch merge commit review""".split()  # noqa: SIM905 -- a list would be a page of quotation marks


def talk(count: int) -> Iterator[NewMessage]:
    """Lines by three hundred people, every other one addressed to somebody."""
    chance = random.Random(7)  # noqa: S311 -- the same talk each time
    for n in range(count):
        words = chance.choices(WORDS, k=chance.randint(3, 18))
        whom = f"{chance.choice(PEOPLE)}: " if n % 2 else ""
        link = f" https://example.org/{n}" if n % 9 == 0 else ""
        text = f"{whom}{' '.join(words)} w{n}{link}{'?' if n % 5 == 0 else ''}"
        yield line_of(chance.choice(PEOPLE), text, NOON + timedelta(seconds=40 * n))


class Patient:
    """The process."""

    def __init__(self, database: Path) -> None:
        program = str(Path(__file__).with_name("heartbeat.py"))
        self._log = database.with_name("log")  # a file: nobody reads a pipe meanwhile
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, program, str(database)], stdout=subprocess.PIPE, stderr=log
            )
        self.urls: dict[str, str] = {}

    def hear_urls(self) -> None:
        """Wait until it has started, and says where it listens."""
        assert self.process.stdout is not None
        announced = self.process.stdout.readline()
        assert announced, self._log.read_text()
        self.urls = json.loads(announced)

    async def worst(self, web: httpx2.AsyncClient) -> float:
        """Milliseconds of CPU that the loop was held up at most, since the last call of this."""
        return float((await web.get(self.urls["health"])).json()["worst"])

    def end(self) -> str:
        """Stop it; what it said meanwhile."""
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0
        return self._log.read_text()


@asynccontextmanager
async def running(folder: Path, lines: int) -> AsyncIterator[Patient]:
    """A server of a history of so many lines. It ends in order, and without a traceback."""
    database = folder / "irc_logs.db"
    async with open_store(database, SETTINGS) as store:
        await store.messages.append([*talk(lines)])
    patient = Patient(database)
    with patient.process:  # which closes its pipe, and waits for it
        try:
            patient.hear_urls()
            async with Client(patient.urls["mcp"]) as client:  # loads all modules
                await client.call_tool("search_irc_history", {"query": "green kettle on:monday"})
            yield patient
            said = patient.end()
            assert "Traceback" not in said, said
        finally:
            patient.process.kill()
