"""How the process of a command runs and ends: its signals, its event loop, what it imports."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar, TypeVarTuple, Unpack

import click

from terrarium_mcp.errors import TerrariumError

Arguments = TypeVarTuple("Arguments")
T = TypeVar("T")

if sys.platform == "win32":  # where a closed console sends the last, as a hangup elsewhere
    _ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
else:
    _ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_USUAL = (signal.SIG_DFL, signal.default_int_handler)
"""What happens at a signal that nobody ignores, as nohup does SIGHUP."""

log = logging.getLogger(__name__)


def require_posix(command: str) -> None:
    """Check that this is not Windows, whose event loop takes none of the signals that end a bridge.

    Raises:
        TerrariumError: it is.
    """
    if sys.platform == "win32":
        raise TerrariumError(
            f"The command {command} needs Linux or macOS: on Windows, run it in WSL"
            " (https://learn.microsoft.com/windows/wsl)."
        )


def obey_signals_meanwhile() -> None:
    """Until a service takes its signals itself: SIGTERM and SIGINT end the process, SIGHUP waits.

    Nothing is open so far that would have to be closed. Whoever takes SIGHUP unblocks it.
    """
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, _stop)
    if sys.platform != "win32":  # which has no SIGHUP
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})


def _stop(_: int, __: object) -> NoReturn:
    log.info("stopped before it had started")
    os._exit(0)


@contextmanager
def tidying_up() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP end the block as an error would, and then the process.

    Nobody waits for threads, which may still read what is gone by then, or have been left where a
    second signal came.
    """
    before = {one: signal.getsignal(one) for one in _ENDING}
    came = list[int]()

    def end(number: int, _: object) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)  # once is enough; what tidies up is not disturbed
        came.append(number)
        raise _Ended(128 + number)

    for one, handler in before.items():
        if handler in _USUAL:
            signal.signal(one, end)
    try:
        yield
    except (_Ended, KeyboardInterrupt):  # the second where SQLite was interrupted, by any of them
        number = came[-1] if came else signal.SIGINT
        if number == signal.SIGINT:  # as click ends for it while a command is loaded
            click.echo("\nAborted!", err=True)
            os._exit(1)
        os._exit(128 + number)
    finally:
        for one, handler in before.items():
            if signal.getsignal(one) is end:
                signal.signal(one, handler)


def run_command(job: Callable[[Unpack[Arguments]], Awaitable[T]], *arguments: *Arguments) -> T:
    """Run the job of a command that ends by itself, unless a signal ends it, as `tidying_up` says.

    asyncio's own way with SIGINT cancels whatever closes the store, and leaves its threads, for
    which the process would wait for ever.
    """
    import anyio

    with tidying_up():
        return anyio.run(job, *arguments)


class _Ended(SystemExit):
    """A signal says that the process is to end; asyncio lets a SystemExit pass."""


def run_service(
    job: Callable[[Unpack[Arguments]], Awaitable[int | None]], *arguments: *Arguments
) -> NoReturn:
    """Run `job`, which must close everything it opened, and end the process at once.

    What `job` returns is the exit status; None is 0.

    Python's own shutdown would take another half second, because of all that mcp imports.
    """
    import anyio

    from terrarium_mcp.serving.stdio import leave

    leave(anyio.run(job, *arguments) or 0)


@contextmanager
def lasting_imports() -> Iterator[None]:
    """Import what a service runs: nothing of it is garbage, neither now nor later.

    Collections that find nothing take a sixth of the time of importing mcp.
    """
    gc.disable()
    try:
        yield
    finally:
        freeze_imports()
        gc.enable()


def freeze_imports() -> None:
    """Exempt everything imported so far from garbage collection, since it is never freed.

    A full collection that traverses it delays an answer by 60 ms (measured on reads of 9 ms, one
    in sixty of which met one).
    """
    gc.freeze()
