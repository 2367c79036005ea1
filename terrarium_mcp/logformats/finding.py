"""From the files of an import to their contents, and what is none."""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

from terrarium_mcp.chat.identity import network_key
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.choice_limits import require_apart, require_renamed
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.contents import LogContent, content_of_text
from terrarium_mcp.logformats.databases.database_contents import contents_of_database
from terrarium_mcp.logformats.databases.database_format import is_database
from terrarium_mcp.logformats.decoding import decoded, texts_of
from terrarium_mcp.logformats.detection import (
    FARTHEST,
    OF_NEXT_DAY,
    SAMPLE,
    Fit,
    next_day_fit,
)
from terrarium_mcp.logformats.exported_rooms import contents_of_export
from terrarium_mcp.logformats.files import LogFile, UnusableFile, lines_of
from terrarium_mcp.logformats.jsonl import is_jsonl
from terrarium_mcp.logformats.lounge_networks import truly_named
from terrarium_mcp.logformats.planning import (
    ImportContext,
    PlannedLog,
    UndecidedLog,
    UnplacedLog,
    path_origin,
    planned,
)
from terrarium_mcp.logformats.recognition import fitting
from terrarium_mcp.logformats.sessions import rooms_told
from terrarium_mcp.logformats.whole_lines import with_all_told


@dataclass(slots=True)
class Findings:
    """What the files of an import are.

    Attributes:
        contents: what will be read, in order.
        private: private conversations that were left out.
        skipped: files that are no logs or cannot be read, with the reason.
        undecided: files of which an option must decide something before anything is imported.
        of_some_half: files with a clock of 12 hours of which nothing tells the half of the day:
            they are read as if they began in the first.
        exports: those files that are exports as JSON Lines; their rooms are among the contents.
    """

    contents: list[LogContent] = field(default_factory=list)
    private: list[LogContent] = field(default_factory=list)
    skipped: list[TerrariumError] = field(default_factory=list)
    undecided: list[UndecidedLog] = field(default_factory=list)
    of_some_half: list[LogFile] = field(default_factory=list)
    exports: list[LogFile] = field(default_factory=list)


OnFound = Callable[[Sequence[LogContent]], None]
"""Called with the contents of a file that are likely to be read."""


def find_contents(
    files: Sequence[LogFile | UnusableFile],
    choices: Choices,
    *,
    networks: Sequence[str],
    private: bool,
    scratch: Path,
    on_found: OnFound = lambda _: None,
) -> Findings:
    """What the files hold.

    Args:
        files: those that the paths of an import name.
        choices: what the operator decided.
        networks: those that the database or the settings know, as they are to be spelt. For each
            file, those are known too that files before it in its folder name: the name of a day of
            talk alone may hold several dots.
        private: whether private conversations are wanted.
        scratch: a folder for what must be unpacked; it has to exist until everything is read.
        on_found: is called with the contents of each file that are likely to be read.

    Raises:
        MisplacedChoice: an option does not suit what was found.
    """
    finder = _Finder(files, choices, networks, scratch)
    findings = finder.findings
    for file in files:
        if isinstance(file, UnusableFile):
            findings.skipped.append(file)
            continue
        try:
            contents = finder.find(file)
            on_found([one for one in contents if private or not one.is_private])
        except UndecidedLog as error:
            findings.undecided.append(error)
        except TerrariumError as error:
            findings.skipped.append(error)
    require_apart(findings.contents, choices)
    everything = findings.contents
    _leave_out_private(findings, wanted=private)
    _leave_out_unplaced(findings)
    if everything and not findings.undecided:  # else more is wrong, and is reported first
        require_renamed(everything, choices)
    findings.contents = spelt_alike(findings.contents, networks)
    return findings


def _leave_out_private(findings: Findings, *, wanted: bool) -> None:
    if wanted:
        return
    findings.private = [one for one in findings.contents if one.is_private]
    findings.contents = [one for one in findings.contents if not one.is_private]


def _leave_out_unplaced(findings: Findings) -> None:
    """Files that do not tell their place stop nothing, unless nothing else is to be imported."""
    unplaced = [one for one in findings.undecided if isinstance(one, UnplacedLog)]
    if len(unplaced) < len(findings.undecided) or any(one.target for one in findings.contents):
        findings.skipped += unplaced
        findings.undecided = [one for one in findings.undecided if one not in unplaced]


def spelt_alike(contents: Sequence[LogContent], networks: Sequence[str]) -> list[LogContent]:
    """The contents with one spelling for each network: that of the first among `networks`.

    Else, as where none is known yet, that of the first content.
    """
    spelt: dict[str, str] = {}
    for name in (*networks, *(one.network for one in contents)):
        spelt.setdefault(network_key(name), name)
    return [
        one
        if (network := spelt[network_key(one.network)]) == one.network
        else replace(one, network=network)
        for one in contents
    ]


class _Finder:
    """Finds what the files of one import hold, one after the other.

    Attributes:
        findings: what was found so far.
    """

    def __init__(
        self,
        files: Sequence[LogFile | UnusableFile],
        choices: Choices,
        networks: Sequence[str],
        scratch: Path,
    ) -> None:
        """Start before the first of these files; the rest as `find_contents` has it."""
        self.findings = Findings()
        names = {file.name for file in files if isinstance(file, LogFile)}
        self._context = ImportContext(choices, networks, names, is_alone=len(files) == 1)
        self._scratch = scratch
        self._told_in = defaultdict[str, set[str]](set)
        """Networks, by the folder of the files that name them."""

    def find(self, file: LogFile) -> Sequence[LogContent]:
        """What the next file holds, which is added to the findings."""
        contents = self._contents(file)
        self._told_in[file.folder].update(one.origin.network for one in contents)
        self.findings.contents += contents
        return contents

    def _contents(self, file: LogFile) -> Sequence[LogContent]:
        with file.opened() as stream:
            lines = lines_of(stream)
            first = next(lines, None)
            if first is None:
                return []  # an empty file is no mistake
            if not (is_jsonl(first) or is_database(first)):
                return list(map(content_of_text, self._logs(file, chain([first], lines))))
        if is_database(first):
            return contents_of_database(file, self._context.choices)
        self.findings.exports.append(file)
        return contents_of_export(file, self._context.choices, self._scratch)

    def _logs(self, file: LogFile, lines: Iterator[bytes]) -> Sequence[PlannedLog]:
        """The logs of a file of text, one for each of its rooms."""
        head, fit = self._begun(file, lines)
        networks = [*self._context.networks, *self._told_in[file.folder]]
        context = replace(self._context, networks=networks)
        rooms = _rooms(file, head, fit, context)
        logs = [
            planned(file, head, fit, context, room=room, is_first=room == rooms[0])
            for room in rooms
        ]
        logs[0] = with_all_told(logs[0], head, self._context.choices)
        if not logs[0].is_clock_told:
            self.findings.of_some_half.append(file)
        return [truly_named(log, self._context.choices) for log in logs]

    def _begun(self, file: LogFile, lines: Iterator[bytes]) -> tuple[Sequence[bytes], Fit]:
        """The first lines of a file, as many as are needed, and how its format reads them."""
        head = list(islice(lines, OF_NEXT_DAY))
        fit = next_day_fit(file.name, texts_of(head), self._day_before(file))
        if not fit or fit.format.spells_channels:
            head += islice(lines, SAMPLE - OF_NEXT_DAY)
        with closing(_beyond_sample(file)) as more:
            return head, fit or fitting(file, head, self._context.choices, more)

    def _day_before(self, file: LogFile) -> str:
        """The format of the content found last, if that is of a day and in the folder of `file`."""
        found = self.findings.contents
        if found and found[-1].is_by_day and found[-1].file.folder == file.folder:
            return found[-1].format
        return ""


def _rooms(file: LogFile, head: Sequence[bytes], fit: Fit, context: ImportContext) -> Sequence[str]:
    """The rooms of which the lines of a file tell; an empty one if they tell none."""
    if not fit.format.tells_rooms:
        return [""]
    origin = path_origin(file.name, texts_of(head), fit.format, context)
    if origin.is_window:
        return [""]
    with file.opened() as stream:
        return rooms_told(lines_of(stream), fit.format, origin.target) or [""]


def _beyond_sample(file: LogFile) -> Generator[str, None, None]:
    """The next lines of a file whose first are not enough to tell its format."""
    with file.opened() as stream:
        for line in islice(lines_of(stream), SAMPLE, FARTHEST):
            yield decoded(line)[0]
