"""The command `terrarium-mcp`, one module per subcommand.

A command's module is imported when the command is run, and imports what it runs inside its
functions, so that `--help` loads neither mcp (a second of CPU) nor pydle nor openai.
"""

import errno
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pkgutil import resolve_name
from traceback import walk_tb

import click

from terrarium_mcp import __version__
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.console import ConsoleHandler, colour_wanted
from terrarium_mcp.cli.process import lasting_imports
from terrarium_mcp.errors import TerrariumError, plainly, single_errors

_STDERR = 2
"""The file descriptor of stderr."""

_COMMANDS = {
    "init": "init:init",
    "serve": "serve:serve",
    "bridge": "bridge:bridge",
    "up": "up:up",
    "install": "install:install",
    "doctor": "doctor:doctor",
    "demo": "demo:demo",
    "import": "import_logs:import_logs",
    "search": "search:search",
    "talk": "talk:talk",
    "export": "export:export",
    "backup": "backup:backup",
    "restore": "restore:restore",
    "purge": "purge:purge",
    "help": "help:help_",
    "completion": "completion:completion",
}
"""Where each command is defined: module and function."""


class Commands(click.Group):
    """The commands. One is loaded when it is run; all of them to be listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """Their names, by alphabet."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The named command.

        For an unknown name all are loaded, so that click can suggest the nearest.
        """
        with lasting_imports():
            for name in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
                self.commands[name] = resolve_name(f"{__name__}.{_COMMANDS[name]}")
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
def commands() -> None:
    """Record IRC channels, and give agents their history over MCP."""


def main() -> None:
    """Run a command. An expected failure is one line on stderr and exit status 1."""
    _open_closed_streams()
    _write_utf8()
    console = ConsoleHandler()  # on stderr, since stdout belongs to the stdio transport
    logging.basicConfig(handlers=[console], level=logging.WARNING, format="%(message)s")
    logging.getLogger("terrarium_mcp").setLevel(logging.INFO)
    try:
        with _shortage_named(), plainly(), _output_named():
            commands(prog_name="terrarium-mcp", color=colour_wanted())
    except TerrariumError as error:
        console.end_progress()
        name = click.style("terrarium-mcp:", fg="red")
        said = "\n".join(map(harmless, str(error).splitlines()))  # a file may have any name
        click.echo(f"{name} {said}", err=True, color=colour_wanted())
        sys.exit(1)


def _open_closed_streams() -> None:
    """Open the null device where what started us has closed stdin, stdout or stderr.

    Else the next file that is opened, such as the database, would be in that place.
    """
    while (lowest_free := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(lowest_free, True)  # noqa: FBT003 -- positional only
    os.close(lowest_free)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 -- until the end
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 -- as above
    sys.stderr = sys.stderr or open(_STDERR, "w", closefd=False)  # noqa: SIM115 -- as above


def _write_utf8() -> None:
    """Write what people said where Windows would encode it in a code page that lacks most of it."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(encoding="utf-8")


@contextmanager
def _shortage_named() -> Iterator[None]:
    """Raise a lack of memory or threads as an expected failure: its cause is a limit.

    Raises:
        TerrariumError: the process got no more memory, or no more threads.
    """
    try:
        yield
    except (MemoryError, RuntimeError, ImportError, OSError, BaseExceptionGroup) as error:
        if not all(map(_is_shortage, single_errors(error))):
            raise
        raise TerrariumError(
            "This process got no more memory, or no more threads. Raise its limits: ulimit -v and"
            " -u at a shell, LimitAS= and TasksMax= of a systemd service, or those of its"
            " container."
        ) from error


def _is_shortage(error: BaseException) -> bool:
    """Whether the system refused memory or a thread; some who ask for them have only words."""
    match error:
        case MemoryError() | OSError(errno=errno.ENOMEM):
            return True
        case RuntimeError():  # of CPython's thread_run
            return str(error) == "can't start new thread"
        case ImportError():  # of the C library's dlopen
            return str(error).endswith(
                ("failed to map segment from shared object", "Cannot allocate memory")
            )
    return False


@contextmanager
def _output_named() -> Iterator[None]:
    """Raise a failure of standard output as an expected one.

    Raises:
        OutputFailed: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        if not _is_of_output(error):
            raise
        from terrarium_mcp.cli.starting.standard_output import output_failed

        raise output_failed(error) from error


def _is_of_output(error: OSError) -> bool:
    """Whether it was standard output that failed: all that a command prints goes through `echo`."""
    return any(
        frame.f_code is click.echo.__code__ and not frame.f_locals["err"]
        for frame, _ in walk_tb(error.__traceback__)
    )
