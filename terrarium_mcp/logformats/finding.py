"""From the paths that an operator names to the contents of an import, and what is none."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.contents import (
    LogContent,
    content_of_text,
    contents_of_database,
)
from terrarium_mcp.logformats.detection import SAMPLE
from terrarium_mcp.logformats.files import LogFile, UnusableFile, lines_of, log_files
from terrarium_mcp.logformats.planning import Choices, UndecidedLog, planned


@dataclass(slots=True)
class Findings:
    """What the files of an import are.

    Attributes:
        contents: what will be read, in order.
        private: how many private conversations were left out.
        skipped: files that are no logs or cannot be read, with the reason.
        undecided: files of which an option must decide something.
    """

    contents: list[LogContent] = field(default_factory=list)
    private: int = 0
    skipped: list[TerrariumError] = field(default_factory=list)
    undecided: list[UndecidedLog] = field(default_factory=list)


def find_contents(
    paths: Iterable[str],
    choices: Choices,
    *,
    networks: Sequence[str],
    private: bool,
    scratch: Path,
) -> Findings:
    """What the paths name.

    Args:
        paths: files, folders, patterns, archives, `-`.
        choices: what the operator decided.
        networks: those that the database knows.
        private: whether private conversations are wanted.
        scratch: a folder for what must be unpacked; it has to exist until everything is read.
    """
    findings = Findings()
    known = [*networks]  # and those of files before: a network has one spelling in an import
    for file in log_files(paths, scratch):
        if isinstance(file, UnusableFile):
            findings.skipped.append(file)
            continue
        try:
            for content in _contents(file, choices, known):
                known.append(content.network)
                if content.is_private and not private:
                    findings.private += 1
                else:
                    findings.contents.append(content)
        except UndecidedLog as error:
            findings.undecided.append(error)
        except TerrariumError as error:
            findings.skipped.append(error)
    return findings


def _contents(file: LogFile, choices: Choices, networks: Sequence[str]) -> Iterator[LogContent]:
    if file.is_database():
        yield from contents_of_database(file, choices)
        return
    with file.opened() as stream:
        head = list(islice(lines_of(stream), SAMPLE))
    if head:  # an empty file is no mistake
        yield content_of_text(planned(file, head, choices, networks))
