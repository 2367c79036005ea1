"""Claims: which process records which channel into a database, so that no two record the same one.

Each recording process has a file beside the database that it keeps locked, with its channels in it.
The operating system releases the lock of a process that dies, whose file then counts for nothing.
"""

import glob
import os
import secrets
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.errors import HostFailure
from terrarium_mcp.store.errors import StoreFailed
from terrarium_mcp.store.private_files import give_to_owner
from terrarium_mcp.store.sqlite.engine.file_lock import (
    acquire_now,
    is_held,
    lock_beside,
    record_in,
    write_record,
)
from terrarium_mcp.store.sqlite.engine.files import beside
from terrarium_mcp.wording import and_more

_PATIENCE = 10.0
"""Seconds to wait while another process compares its claims with those of the others."""

_MOST_NAMED = 5

_SUFFIX = ".recorder-"
"""After it a claim file has a random name: a channel's may hold any character."""

Claim = tuple[str, str]
"""A network and a channel."""


class Claimant(NamedTuple):
    """The contents of a claim file: a recording process, and the channels it records."""

    pid: int
    host: str
    command: str
    since: str
    channels: tuple[Claim, ...]

    @classmethod
    def read(cls, file: Path) -> "Claimant | None":
        """The process that a claim file names; None if it is not complete."""
        try:
            written = record_in(file)
            channels = tuple((network, channel) for network, channel in written.pop("channels"))
            return cls(**written, channels=channels)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def shared_with(self, channels: Collection[Claim]) -> list[str]:
        """Those of its channels, as `network/#channel`, that are among these by any spelling."""
        wanted = {_folded(claim) for claim in channels}
        return ["/".join(claim) for claim in self.channels if _folded(claim) in wanted]


class AlreadyRecorded(HostFailure):
    """Another process records one of the channels into the same database."""

    what_failed = "Another program records these channels already"

    def __init__(self, channels: Sequence[str], path: Path, claimant: Claimant) -> None:
        command = f" ({claimant.command})" if claimant.command else ""
        super().__init__(
            f"Process {claimant.pid} on {claimant.host}{command} has been recording"
            f" {and_more(channels, _MOST_NAMED)} into {path} since {claimant.since}. Stop it, or"
            " leave what it records out of IRC_CHANNELS here, or set DB_PATH to another database."
        )


@contextmanager
def claimed(path: Path, channels: Collection[Claim]) -> Iterator[Callable[[], None]]:
    """Claim the channels of a database for this process, for the length of the block.

    Names are compared as the loosest network does, since its CASEMAPPING is not known yet: `#A[`
    is `#a{`.

    The block gets a function that claims them again if the claim file is gone, as with its folder;
    it raises the same errors.

    Raises:
        AlreadyRecorded: a living process has claimed one of them.
        StoreFailed: there can be no file beside the database.
    """
    path = path.resolve()
    lock = lock_beside(path, f"{_SUFFIX}{secrets.token_hex(8)}")
    own = Path(lock.lock_file)

    def claim_again() -> None:
        if not own.exists():
            lock.release()
            _claim(path, lock, channels)

    try:
        _claim(path, lock, channels)
        yield claim_again
    finally:
        with suppress(OSError):
            own.unlink()  # fails on Windows while it is open: there filelock does it, below
        lock.release()


def is_claimed(path: Path) -> bool:
    """Whether a living process records into a database, as far as this account may know."""
    try:
        with _comparing(path):  # to look at a lock is to share it, and its process may be taking it
            return any(map(is_held, _claim_files(path)))
    except OSError:
        return False


def recorded_elsewhere(path: Path) -> frozenset[str]:
    """The networks of which other living processes record channels into a database.

    As far as this account may know.
    """
    if not any(_claim_files(path)):
        return frozenset()
    try:
        with _comparing(path):
            living = [Claimant.read(file) for file in _claim_files(path) if is_held(file)]
    except OSError:
        return frozenset()
    ours = os.getpid(), socket.gethostname()
    others = [one for one in living if one and (one.pid, one.host) != ours]
    return frozenset(network for one in others for network, _ in one.channels)


@contextmanager
def _comparing(path: Path) -> Iterator[None]:
    """Held by whoever looks at the claims on a database."""
    lock = lock_beside(path, ".claims")
    with lock.acquire(_PATIENCE):
        give_to_owner(Path(lock.lock_file), path)
        yield


def _claim_files(path: Path) -> Iterator[Path]:
    claims = beside(path, _SUFFIX)
    return claims.parent.glob(f"{glob.escape(claims.name)}*")


def _claim(path: Path, own: FileLock, channels: Collection[Claim]) -> None:
    """Compare with the claims of others and add ours, while no other process does so."""
    try:
        with _comparing(path):
            _refuse_shared(path, channels)
            acquire_now(own, path)  # no other process does: its name is random
            write_record(Path(own.lock_file), host=socket.gethostname(), channels=[*channels])
    except OSError as error:  # also the Timeout of those who compare
        why = str(error).rstrip(".")  # filelock ends its own with one
        raise StoreFailed(
            f"The channels to record cannot be claimed beside {path}: {why}. This account must be"
            " able to write to that folder, and to read what is in it."
        ) from error


def _refuse_shared(path: Path, channels: Collection[Claim]) -> None:
    """Compare with the claims of living processes, and remove those of dead ones."""
    for file in _claim_files(path):
        file.open("rb").close()  # whoever may not read it cannot tell whether its process lives
        if not is_held(file):
            file.unlink(missing_ok=True)
        elif (claimant := Claimant.read(file)) and (shared := claimant.shared_with(channels)):
            raise AlreadyRecorded(shared, path, claimant)


def further_claims(channels: Collection[Claim], already: Collection[Claim]) -> list[Claim]:
    """Those of some channels that are none of `already`, by any spelling."""
    known = set(map(_folded, already))
    return [claim for claim in channels if _folded(claim) not in known]


def _folded(claim: Claim) -> tuple[str, ...]:
    return tuple(fold(name).casefold() for name in claim)
