"""From the paths that an operator names to the contents of an import, and what is none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.contents import LogContent, content_of_text
from terrarium_mcp.logformats.databases.database_contents import contents_of_database
from terrarium_mcp.logformats.databases.database_format import is_database
from terrarium_mcp.logformats.detection import SAMPLE
from terrarium_mcp.logformats.exported_rooms import contents_of_export
from terrarium_mcp.logformats.files import LogFile, UnusableFile, lines_of, log_files
from terrarium_mcp.logformats.jsonl import is_jsonl
from terrarium_mcp.logformats.planning import Choices, UndecidedLog, planned


@dataclass(slots=True)
class Findings:
    """What the files of an import are.

    Attributes:
        contents: what will be read, in order.
        private: how many private conversations were left out.
        skipped: files that are no logs or cannot be read, with the reason.
        undecided: files of which an option must decide something.
        exports: those files that are exports as JSON Lines; their rooms are among the contents.
    """

    contents: list[LogContent] = field(default_factory=list)
    private: int = 0
    skipped: list[TerrariumError] = field(default_factory=list)
    undecided: list[UndecidedLog] = field(default_factory=list)
    exports: list[LogFile] = field(default_factory=list)


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
    spelt: dict[str, str] = {}  # also by files before: a network has one spelling in an import
    for name in networks:
        spelt.setdefault(name.casefold(), name)
    for file in log_files(paths, scratch):
        if isinstance(file, UnusableFile):
            findings.skipped.append(file)
            continue
        try:
            for content in _contents(file, choices, scratch, findings.exports):
                if content.is_private and not private:
                    findings.private += 1
                    continue
                network = spelt.setdefault(content.network.casefold(), content.network)
                findings.contents.append(replace(content, network=network))
        except UndecidedLog as error:
            findings.undecided.append(error)
        except TerrariumError as error:
            findings.skipped.append(error)
    return findings


def _contents(
    file: LogFile, choices: Choices, scratch: Path, exports: list[LogFile]
) -> Sequence[LogContent]:
    """What a file holds; it is noted if it is an export."""
    with file.opened() as stream:
        lines = lines_of(stream)
        first = next(lines, None)
        if first is None:
            return []  # an empty file is no mistake
        is_text = not (is_jsonl(first) or is_database(first))
        head = [first, *islice(lines, SAMPLE - 1)] if is_text else []
    if is_text:
        return [content_of_text(planned(file, head, choices))]
    if is_database(first):
        return contents_of_database(file, choices)
    exports.append(file)
    return contents_of_export(file, choices, scratch)
