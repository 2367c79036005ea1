"""The bed of a run: a folder with the filled databases, and what filling them took."""

import json
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.measure import Stopwatch
from bench.questions import Questions
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store

PAST = 10
"""One line of so many lies before the recording, and was imported after it."""

SETTINGS = Settings(network="bench")


@dataclass(frozen=True)
class Filling:
    """Seconds that writing all lines took: the store, our table alone, and the owner's."""

    lines: int
    ours: Stopwatch
    same: Stopwatch
    owners: Stopwatch
    grown: float
    """Megabytes by which our memory grew from the first tenth of the lines to the last."""


@dataclass(frozen=True)
class Bed:
    """Where the databases lie."""

    folder: Path
    lines: int
    rounds: int

    @property
    def ours(self) -> Path:
        """The store's database."""
        return self.folder / "irc_logs.db"

    @property
    def empty(self) -> Path:
        """A store's database without a line."""
        return self.folder / "empty.db"

    @property
    def owners(self) -> Path:
        """The same lines in the owner's schema."""
        return self.folder / "owners.db"

    @property
    def ranked(self) -> Path:
        """Plain FTS5 over the owner's lines."""
        return self.folder / "bm25.db"

    @property
    def flat(self) -> Path:
        """The owner's lines as text."""
        return self.folder / "log.txt"

    @property
    def part(self) -> Path:
        """A store of as many of such lines as are rebuilt in a moment."""
        return self.folder / "part.db"

    @property
    def asked(self) -> Path:
        """The questions, for processes of their own too."""
        return self.folder / "questions.json"

    @property
    def questions(self) -> Questions:
        """What is asked."""
        return Questions.read(self.asked)

    @property
    def filling(self) -> Filling | None:
        """What filling took; None as long as it is not filled."""
        if not self._filled.exists():
            return None
        told = json.loads(self._filled.read_text("utf-8"))
        watches = {name: Stopwatch(**told[name]) for name in ("ours", "same", "owners")}
        return Filling(told["lines"], grown=told["grown"], **watches)

    @property
    def seam(self) -> tuple[range, range]:
        """Ids of the last lines of the imported past, and of the first lines recorded."""
        near = min(100, self.lines // PAST)
        return range(self.lines - near + 1, self.lines + 1), range(1, near + 1)

    def note(self, filling: Filling) -> None:
        """Remember what filling took."""
        self._filled.write_text(json.dumps(asdict(filling)), "utf-8")

    def store(self) -> AbstractAsyncContextManager[Store]:
        """Open the store."""
        return open_store(self.ours, SETTINGS)

    @property
    def _filled(self) -> Path:
        return self.folder / "filled.json"
