"""An import: finds the logs, shows what they are, stores them, and reports what became of them."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import click
from tqdm import tqdm

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.records import Room
from terrarium_mcp.cli.starting.import_choices import FORMAT_NAMES
from terrarium_mcp.cli.starting.import_report import (
    found_lines,
    other_names,
    report_lines,
)
from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.cli.starting.output import require_apart
from terrarium_mcp.cli.starting.path_checks import is_missing
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.cli.starting.rejects import add_failures, rejected_lines
from terrarium_mcp.cli.starting.scratch import scratch_folder
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.exported_rooms import export_records
from terrarium_mcp.logformats.files import LogFile, UnusableFile
from terrarium_mcp.logformats.finding import Findings, OnFound, find_contents, spelt_alike
from terrarium_mcp.logformats.importing import ContentReport, LogImport, ReportLines
from terrarium_mcp.logformats.jsonl import LONGEST_RECORD, read_jsonl_head
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.logformats.reading import LogReading, reading
from terrarium_mcp.logformats.reading_child import rarely_collecting
from terrarium_mcp.logformats.recognition import UnknownFormat
from terrarium_mcp.settings import Settings, changed_voice_rules
from terrarium_mcp.store import NotRestorable, Store, StoreFailed
from terrarium_mcp.wording import and_more, quantity

_SHOWN = 10
"""Files named in one list; more are counted."""


class NothingToImport(TerrariumError):
    """No file that was named is a log."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The options of one `terrarium-mcp import`."""

    paths: Sequence[str]
    choices: Choices
    private: bool
    dry_run: bool
    rejects: Path | None
    adopt: bool


async def import_logs(settings: Settings, options: ImportOptions) -> None:
    """Find, show and import the logs that the options name.

    Raises:
        NothingToImport: none of the files is a log that can be read, or an option must decide
            about some.
        OutputIsSource: the rejects would be written into a log, or into the history.
        OutputFailed: the rejects cannot be written. What was stored stays.
        StoreFailed: the store cannot write. Run the same import again.
    """
    with rarely_collecting(), scratch_folder() as scratch:
        rooms, networks = await _recorded(settings, options)
        files = list(log_files(options.paths, scratch, options.choices.encoding))
        with reading(() if options.dry_run else _logs_among(files)) as read:
            findings = find_contents(
                files,
                options.choices,
                networks=networks,
                private=options.private,
                scratch=scratch,
                on_found=_foresight(read, settings, rooms),
            )
            _require_rejects_apart(options, settings.db_path, findings)
            add_failures(options.rejects, [*findings.skipped, *findings.undecided])
            is_one_export = _is_one_export(findings, options)
            if not is_one_export:
                _require_contents(findings, options.choices.channel)
            is_trial = options.dry_run and is_missing(settings.db_path)
            database = scratch / "trial.db" if is_trial else settings.db_path
            async with opened_history(database, settings, adopt=options.adopt) as store:
                if is_one_export:
                    if await _restored(store, findings.exports[0]):
                        return
                    _require_contents(findings, options.choices.channel)
                _print(found_lines(findings))
                with _way_to_go_on(options):
                    number, reports = await _imported(store, settings, findings, options, read)
    _print_outcome(number, reports, [room.channel for room in rooms], options)


def _print_outcome(
    number: int, reports: Sequence[ContentReport], channels: Sequence[str], options: ImportOptions
) -> None:
    """Say what became of the logs, and how to take the import back.

    Args:
        number: that of the import; 0 if nothing was stored.
        reports: what became of each log.
        channels: those that were recorded before.
        options: what was asked for.

    Raises:
        NothingToImport: none of the logs could be read.
    """
    undo = f"terrarium-mcp import --undo {number}" if number else ""
    targets = [one for one in reports if one.content.target]
    _print(report_lines(reports, undo=undo, encoding=options.choices.encoding))
    if not options.rejects and any(one.counts.rejected for one in targets):
        click.echo("--rejects FILE writes down the lines that could not be read, and why")
    if all(one.failure for one in targets):
        raise NothingToImport("None of the logs could be read.")
    _print(other_names([one.content for one in reports], channels, undo))
    if number:
        click.echo(f"This was import {number}; {undo} removes it.")
    elif options.dry_run:
        click.echo("This was a trial: nothing was stored.")
    else:
        click.echo("Nothing is new: nothing was stored.")


def _logs_among(files: Iterable[LogFile | UnusableFile]) -> list[LogFile]:
    return [file for file in files if isinstance(file, LogFile)]


def _foresight(read: LogReading, settings: Settings, rooms: Sequence[Room]) -> OnFound:
    """What foresees of the files found that they will be read: all are, if nothing is recorded."""
    if rooms:
        return lambda _: None
    return partial(read.foresee, changed_voice_rules(settings, {}))


def _require_rejects_apart(options: ImportOptions, database: Path, findings: Findings) -> None:
    """Refuse rejects that would be written into the history, or into one of the logs."""
    if options.rejects:
        logs = [*map(Path, options.paths), *(one.file.stored for one in findings.contents)]
        require_apart(options.rejects, database, logs)


@contextmanager
def _way_to_go_on(options: ImportOptions) -> Iterator[None]:
    """Say what an import that ends early leaves: as the last thing, but for why it ended."""
    try:
        yield
    except (StoreFailed, SystemExit, anyio.get_cancelled_exc_class()):  # the second by a signal
        if not options.dry_run:
            click.echo(
                "What was stored so far stays; the same command continues from there.", err=True
            )
        raise


async def _imported(
    store: Store, settings: Settings, findings: Findings, options: ImportOptions, read: LogReading
) -> tuple[int, Sequence[ContentReport]]:
    """Import what was found: the import's number, 0 if it stored nothing, and what became of it."""
    number = 0
    rejects = rejected_lines(options.rejects, is_trial=options.dry_run)
    with rejects as on_reject, _progress(findings.contents) as on_lines:
        async with _alone(store, options):
            # An import that ended meanwhile may have spelt a network otherwise.
            findings.contents = spelt_alike(findings.contents, await _networks(store, settings))
            rules = await store.imports.voice_rules()
            run = LogImport(findings.contents, rules, on_lines=on_lines, on_reject=on_reject)
            if options.dry_run:
                await run.try_out()
            else:
                await _finish_undos(store)
                number = await run.store(store, " ".join(sys.argv[1:]), read)
    add_failures(options.rejects, (one.failure for one in run.reports if one.failure))
    return number, run.reports


def _alone(store: Store, options: ImportOptions) -> AbstractAsyncContextManager[None]:
    """Let no other import run meanwhile; a trial needs to wait for none."""
    return nullcontext() if options.dry_run else store.imports.alone(_say_what_is_waited_for)


def _say_what_is_waited_for() -> None:
    click.echo("Another import into this database is running: waiting for it to finish.", err=True)


async def _finish_undos(store: Store) -> None:
    with Progress() as progress:
        await store.imports.finish_undos(
            lambda gone: progress(f"{quantity(gone, 'message')} of an earlier undo removed")
        )


async def _recorded(
    settings: Settings, options: ImportOptions
) -> tuple[Sequence[Room], Sequence[str]]:
    """The rooms of the database, and the networks; no database is made for that.

    It is closed again: finding the logs may take minutes, in which a keeper would do no duty.
    """
    if is_missing(settings.db_path):
        return [], settings.named_networks
    async with opened_history(settings.db_path, settings, adopt=options.adopt) as store:
        return await store.rooms.all(), await _networks(store, settings)


async def _networks(store: Store, settings: Settings) -> Sequence[str]:
    """The networks that are known, first as they are to be spelt: as the database spells them.

    Of two spellings there it is that of the settings, under which a bridge records.
    """
    recorded, named = await store.rooms.networks(), settings.named_networks
    return [*(one for one in named if one in recorded), *recorded, *named]


def _is_one_export(findings: Findings, options: ImportOptions) -> bool:
    """Whether an export, and nothing else, is to be brought in as it is."""
    others = [one for one in findings.contents if one.file not in findings.exports]
    is_alone = len(findings.exports) == 1 and not (
        others or findings.private or findings.skipped or findings.undecided
    )
    return is_alone and not options.dry_run and options.choices.moves_nothing


async def _restored(store: Store, export: LogFile) -> bool:
    """Restore a whole export as it was, into a database without other messages; else False."""
    with export.opened() as stream:
        head = read_jsonl_head(stream.readline(LONGEST_RECORD + 1))
    if not head.is_whole:
        return False
    try:
        with Progress() as progress, export_records(export) as records:
            totals = await store.archive.restore_exactly(
                records, lambda done: progress(f"{quantity(done, 'message')} restored so far")
            )
    except NotRestorable:
        return False  # it is merged then, line by line
    again = f", {totals.known:,} of them before" if totals.known else ""
    click.echo(
        f"Restored as it was exported: {quantity(totals.messages, 'message')}{again},"
        f" {totals.private:,} private, {quantity(totals.spans, 'recorded time')}."
    )
    return True


def _require_contents(findings: Findings, channel: str) -> None:
    if findings.undecided:
        by_problem: dict[str, list[str]] = {}
        for error in findings.undecided:
            by_problem.setdefault(error.problem, []).append(error.path)
        raise NothingToImport(
            " ".join(
                f"{harmless(and_more(paths, _SHOWN))}: {problem}"
                for problem, paths in by_problem.items()
            )
        )
    if not any(one.target for one in findings.contents):
        reasons = _why_unread(findings) if findings.skipped else _why_nothing(findings, channel)
        space = "\n" if "\n" in reasons else " "
        raise NothingToImport(f"Nothing to import.{space}{reasons}")


def _why_unread(findings: Findings) -> str:
    """Why no file can be read, a line each."""
    lines = [harmless(str(one)) for one in findings.skipped[:_SHOWN]]
    if (left := len(findings.skipped) - _SHOWN) > 0:
        lines.append(f"{quantity(left, 'more file')} cannot be read either.")
    if any(isinstance(one, UnknownFormat) for one in findings.skipped):
        lines.append(
            f"Known formats are {', '.join(FORMAT_NAMES)};"
            " docs/adding-a-format.md shows how to add another."
        )
    return "\n".join(lines)


def _why_nothing(findings: Findings, channel: str) -> str:
    """Why nothing is left to import of files that can be read, and what can be done about it."""
    if not findings.private:
        windows = [harmless(one.file.path) for one in findings.contents]
        return _why_windows_stay_out(windows) if windows else "The files are empty."
    names = list(dict.fromkeys(harmless(one.target) for one in findings.private))
    pair = shlex.quote(f"{names[0]}=#channel")
    ignored = " (--channel is for a file that is imported alone)" if channel else ""
    return (
        f"By their names these are private conversations, with {and_more(names, _SHOWN)}: --private"
        f" imports them. If one is a channel after all, say which: --map {pair}{ignored}."
    )


def _why_windows_stay_out(paths: Sequence[str]) -> str:
    return (
        "By their names these are windows in which a client talks to its user:"
        f" {and_more(paths, _SHOWN)}. If one is a channel's log, name the file as the channel,"
        " e.g. #channel.log."
    )


@contextmanager
def _progress(contents: Sequence[LogContent]) -> Iterator[ReportLines]:
    """A bar with the rate and the time left, on a terminal only."""
    total = sum(one.lines for one in contents)
    with tqdm(total=total or None, unit=" lines", disable=None, leave=False) as bar:

        def add(lines: int) -> None:
            bar.update(lines)

        yield add


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
