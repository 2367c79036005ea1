"""Runs Python files in processes forked from one that has imported the whole package already.

`terrarium-mcp` then starts with a tenth of the CPU: 0.04 s instead of 0.6 for `doctor`, 0.12
instead of 1.1 for `serve`. Each is still a process of its own, with its own folder, environment,
umask, standard streams, signals and exit status; `fork_client.py` stands in for it where it was
started.
"""

import atexit
import codecs
import gc
import importlib
import io
import marshal
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

import terrarium_mcp

LEFT_OUT = ("terrarium_mcp.__main__", "terrarium_mcp.store.sqlite.schema.print_schema")
"""Modules that act when they are imported."""


@dataclass
class _Ending:
    """How a process ends: with this status, unless Python has more to do than to return it."""

    status: int | None = None

    def leave(self) -> None:
        """End at once, before Python takes apart what was imported, which takes 0.08 s of CPU.

        All else that belongs to an end has happened, or does here: threads were waited for,
        `atexit` has called all others, garbage is collected. What cannot be written is left to
        Python to report.
        """
        if self.status is None:
            return
        gc.collect()
        with suppress(OSError, ValueError):
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(self.status)


def serve(address: str) -> None:
    """Fork a process for each client until stdin is closed; stdout tells when it listens."""
    ending = _Ending()
    atexit.register(ending.leave)  # what is registered first is called last
    _import_everything()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("listening", flush=True)  # noqa: T201 -- a program's stdout
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            client, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _attend(client, ending)
            client.close()
            _reap()


def _reap() -> None:
    """Let the processes go that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _import_everything() -> None:
    for module in pkgutil.walk_packages(terrarium_mcp.__path__, "terrarium_mcp."):
        if module.name not in LEFT_OUT:
            importlib.import_module(module.name)
    codecs.lookup("utf-8-sig")  # imported when first used, which another account may not be able to
    gc.collect()
    gc.freeze()  # or the first collection of each process would copy every page


def _attend(client: socket.socket, ending: _Ending) -> NoReturn:
    """Run what a client orders in a process, and report its exit status."""
    size, streams, *_ = socket.recv_fds(client, 4, 3)
    told = client.recv(int.from_bytes(size), socket.MSG_WAITALL)
    order = marshal.loads(told)  # noqa: S302 -- from our own client
    process = os.fork()
    if process == 0:
        client.close()
        _run(order, streams, ending)
    for stream in streams:
        os.close(stream)
    threading.Thread(target=_forward_signals, args=[client, process], daemon=True).start()
    _, status = os.waitpid(process, 0)
    with suppress(BrokenPipeError):
        client.sendall(f"{os.waitstatus_to_exitcode(status)}".encode())
    os._exit(0)


def _forward_signals(client: socket.socket, process: int) -> NoReturn:
    """Pass on each signal that a client is sent; if it was killed, kill the process."""
    while True:
        (number,) = client.recv(1) or [signal.SIGKILL]
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _run(order: dict[str, Any], streams: Sequence[int], ending: _Ending) -> NoReturn:
    """Do as `python ARGUMENTS` would in the client's place."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = _text(0), _text(1), _text(2, errors="backslashreplace")
    # Under nohup, or beside a shell, these two are ignored by whatever is started.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order["folder"])
    os.umask(order["umask"])
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    try:
        _run_python(*order["arguments"])
        sys.exit()
    except SystemExit as end:
        if isinstance(end.code, int | None):
            ending.status = (end.code or 0) & 0xFF
        raise


def _run_python(how: str, *words: str) -> None:
    """Run a file; with `-c` a program, or with `-m` a module."""
    match how:
        case "-c":
            program, *arguments = words
            sys.argv = ["-c", *arguments]
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102
        case "-m":
            sys.argv = [*words]
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        case _:
            sys.argv = [how, *words]
            runpy.run_path(how, run_name="__main__")


def _text(number: int, errors: str = "strict") -> io.TextIOWrapper:
    """A standard stream as Python opens it."""
    raw = open(number, "rb" if number == 0 else "wb", closefd=False)  # noqa: SIM115 -- a descriptor
    quick = number == 2 or raw.isatty()
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=quick)


if __name__ == "__main__":
    serve(sys.argv[1])
