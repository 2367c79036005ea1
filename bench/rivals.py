"""What searching is held against: LIKE on the owner's schema, FTS5 by bm25, and grep over a log.

What the latter two read is made once, from the owner's lines, and left beside the databases.
"""

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import run
from time import perf_counter

from bench.bed import Bed
from bench.measure import cpu_of
from bench.table import Rival

ROUNDS = 3
"""Questions that each is asked: some read every line, and take seconds."""

PATIENCE = 10.0
"""Seconds after which FTS5 is interrupted: it may want to rank half of all lines."""

_SHOWN = 50
_STEPS = 10_000
"""Steps of SQLite between two looks at the clock."""

_GREP = f'grep -iF -e "$1" "$2" | tail -{_SHOWN}'
_UTF8 = os.environ | {"LC_ALL": "C.UTF-8"}


@dataclass(frozen=True)
class Wanted:
    """The same question as the rivals understand it; what is empty cannot be asked of them.

    Attributes:
        pieces: text that a line has to hold.
        match: words as an FTS5 expression.
        where: what else has to be true, as an SQL condition on the owner's table.
        params: its parameters.
    """

    pieces: Sequence[str] = ()
    match: str = ""
    where: str = "true"
    params: Sequence[str] = ()


class Finder(ABC):
    """One way to find the lines."""

    name: str

    def beside(self, wanted: Sequence[Wanted]) -> Rival | None:
        """What it takes for the first of the questions; None if it cannot answer such."""
        some = [one for one in wanted[:ROUNDS] if self.can(one)]
        return Rival(self.name, cpu_of(self.find, some).p50) if some else None

    @abstractmethod
    def can(self, wanted: Wanted) -> bool:
        """Whether it understands the question."""

    @abstractmethod
    def find(self, wanted: Wanted) -> int:
        """Find 50 lines: the newest, the last, or the best. Returns how many there are."""


@contextmanager
def finders(bed: Bed) -> Iterator[Sequence[Finder]]:
    """All of them, over the lines of a bed."""
    _made(bed.ranked, lambda path: _index(path, bed.owners))
    _made(bed.flat, lambda path: _write(path, bed.owners))
    with ExitStack() as open_files:
        like, ranked = (
            open_files.enter_context(closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)))
            for path in (bed.owners, bed.ranked)
        )
        yield [Like(like), Ranked(ranked, bed.owners), Grep(bed.flat)]


class Like(Finder):
    """Searching as the owner's program did: every line is read."""

    name = "LIKE"

    def __init__(self, owners: sqlite3.Connection) -> None:
        self._db = owners
        self._db.execute("PRAGMA cache_size = -65536")

    def can(self, wanted: Wanted) -> bool:
        """Whether there is text to be found."""
        return bool(wanted.pieces)

    def find(self, wanted: Wanted) -> int:
        """The newest 50 lines that hold every piece."""
        holds = " AND ".join(["message LIKE ?"] * len(wanted.pieces))
        found = self._db.execute(
            f"SELECT * FROM messages m WHERE {holds} AND {wanted.where}"
            f" ORDER BY timestamp DESC LIMIT {_SHOWN}",
            [*(f"%{piece}%" for piece in wanted.pieces), *wanted.params],
        )
        return len(found.fetchall())


class Ranked(Finder):
    """Plain FTS5: all lines with the words, ranked by bm25."""

    name = "bm25"

    def __init__(self, index: sqlite3.Connection, owners: Path) -> None:
        self._db = index
        self._db.execute("PRAGMA cache_size = -65536")
        self._db.execute("ATTACH ? AS owners", (f"{owners.as_uri()}?mode=ro",))

    def can(self, wanted: Wanted) -> bool:
        """Whether there are words to be found."""
        return bool(wanted.match)

    def find(self, wanted: Wanted) -> int:
        """The best 50 lines."""
        until = perf_counter() + PATIENCE
        self._db.set_progress_handler(lambda: perf_counter() > until, _STEPS)
        with suppress(sqlite3.OperationalError):  # interrupted: then that is what it took
            found = self._db.execute(
                "SELECT m.* FROM said JOIN owners.messages m ON m.id = said.rowid"
                f" WHERE said MATCH ? AND {wanted.where} ORDER BY said.rank LIMIT {_SHOWN}",
                [wanted.match, *wanted.params],
            )
            return len(found.fetchall())
        return 0


class Grep(Finder):
    """`grep -iF` over the log as text, and the last 50 lines of what it prints."""

    name = "grep -iF"

    def __init__(self, flat: Path) -> None:
        self._flat = flat

    def can(self, wanted: Wanted) -> bool:
        """Whether it is a single piece of text, to be found anywhere."""
        return len(wanted.pieces) == 1 and not wanted.params

    def find(self, wanted: Wanted) -> int:
        """Print the last 50 lines."""
        found = run(  # noqa: S603 -- the piece is an argument, no part of the command
            ["/bin/sh", "-c", _GREP, "sh", *wanted.pieces, str(self._flat)],
            capture_output=True,
            check=True,
            env=_UTF8,
        )
        return found.stdout.count(b"\n")


def match(words: Sequence[str], between: str = " AND ") -> str:
    """Words as an FTS5 expression."""
    return between.join(f'"{word}"' for word in words)


def _made(path: Path, make: Callable[[Path], None]) -> None:
    """Make a file that is not there; half of one is never taken for it."""
    if not path.exists():
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        make(part)
        part.rename(path)


def _index(path: Path, owners: Path) -> None:
    """An index whose lines stay in the owner's table. In a file of its own: that one is weighed."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("ATTACH ? AS owners", (str(owners),))
        db.execute("CREATE VIRTUAL TABLE said USING fts5(message, content='')")
        db.execute("INSERT INTO said (rowid, message) SELECT id, message FROM owners.messages")
        db.commit()


def _write(path: Path, owners: Path) -> None:
    """The log as text: when, where, who, what; in the order in which it was written."""
    with (
        closing(sqlite3.connect(owners)) as db,
        path.open("w", encoding="utf-8") as flat,
    ):
        lines = db.execute("SELECT timestamp, channel, nick, message FROM messages")
        flat.writelines(f"{at} {channel} <{nick}> {text}\n" for at, channel, nick, text in lines)
