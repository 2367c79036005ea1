"""The file of `--rejects`: what an import could not read, and why.

The same import may be run again, and what is in the file stays.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.cli.starting.output import OutputFailed
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.files import LogFile
from terrarium_mcp.logformats.importing import Reject
from terrarium_mcp.logformats.log_reader import RejectedLine

_GO_ON = "What was imported by now stays: make room there, and run the same import again."


def add_failures(path: Path | None, failures: Iterable[TerrariumError]) -> None:
    """Add why files cannot be read to the rejects, each once, if there is a file for them.

    Raises:
        OutputFailed: it cannot be written.
    """
    if path is None:
        return
    with _appended(path) as append:
        for one in dict.fromkeys(harmless(str(one)) for one in failures):
            append(one)


@contextmanager
def rejected_lines(path: Path | None, *, is_trial: bool) -> Iterator[Reject]:
    """Where lines go that cannot be read: to a file, or nowhere; a trial stores nothing.

    Raises:
        OutputFailed: it cannot be written.
    """
    if path is None:
        yield lambda _, __: None
        return
    with _appended(path, "" if is_trial else _GO_ON) as append:

        def write(file: LogFile, line: RejectedLine) -> None:
            append(f"{harmless(file.path)}:{line.number}: {line.why}: {harmless(line.text)}")

        yield write


@contextmanager
def _appended(path: Path, way_out: str = "") -> Iterator[Callable[[str], None]]:
    """What adds lines to a text file.

    Args:
        path: the file.
        way_out: what the error says of an import that is cut off by it.

    Raises:
        OutputFailed: it cannot be written.
    """
    with _named_failures(path):
        stream = path.open("a", encoding="utf-8")

    def append(line: str) -> None:
        with _named_failures(path, way_out):
            stream.write(f"{line}\n")

    try:
        yield append
    except BaseException:
        with suppress(OSError):  # what failed first is what is told
            stream.close()
        raise
    with _named_failures(path, way_out):
        stream.close()


@contextmanager
def _named_failures(path: Path, way_out: str = "") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = f"{path} cannot be written: {error.strerror or error}."
        raise OutputFailed(f"{why} {way_out}".rstrip()) from error
