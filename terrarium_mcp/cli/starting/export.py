"""An export from the command line: what is selected, and where it is written."""

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import click

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.cli.console import is_terminal
from terrarium_mcp.cli.starting.empty_history import NothingRecorded, require_rooms
from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.cli.starting.output import (
    new_file,
    new_folder,
    require_free_file,
    require_free_folder,
    require_no_leftover,
)
from terrarium_mcp.cli.starting.path_checks import is_missing
from terrarium_mcp.cli.starting.progress import Progress
from terrarium_mcp.cli.starting.standard_output import StandardOutput
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.export_formats import ExportFormat
from terrarium_mcp.logformats.exporting import (
    LAYOUTS,
    Export,
    ReportExported,
    export_database,
    export_lines,
)
from terrarium_mcp.logformats.log_folder import export_folder
from terrarium_mcp.policy import View
from terrarium_mcp.request import AppContext, Request, request_for
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Search, Store
from terrarium_mcp.tools.search_arguments import rooms_searched, with_networks_taken
from terrarium_mcp.tools.typed_queries import typed_query
from terrarium_mcp.wording import note, quantity

_REPORT_EVERY, _ELSEWHERE_EVERY = 1.0, 30.0
"""Seconds between two reports: on a terminal, where each replaces the last, and in a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """The options of one `terrarium-mcp export`; `output` is None for standard output."""

    settings: Settings
    query: str
    channels: tuple[str, ...]
    form: ExportFormat
    output: Path | None
    with_hosts: bool
    private: bool
    force: bool
    adopt: bool

    @property
    def is_folder(self) -> bool:
        """Whether the output is a folder."""
        return self.output is not None and self.form in LAYOUTS


async def write_export(options: ExportOptions) -> None:
    """Write the export, and print what was written where to stderr.

    Raises:
        TerrariumError: nothing matches, a channel is not known, or the options contradict each
            other; nothing is written.
        OutputFailed: the output cannot be written.
        StoreFailed: the database cannot be read.
    """
    settings = options.settings
    _require_place(options)
    if is_missing(Path.cwd() / settings.db_path):
        raise NothingRecorded(settings.db_path)
    async with opened_history(settings.db_path, settings, adopt=options.adopt) as store:
        await require_rooms(store)
        export = await _export(store, options)
        for sentence in export.search.query.notes:
            click.echo(note(sentence), err=True)
        began = time.monotonic()
        with Progress() as progress:
            total = await _write(store, export, options, _Reports(progress))
    if options.output:
        size = sum(one.stat().st_size for one in _files(options.output))
        seconds = time.monotonic() - began
        written = f"{quantity(total, 'message')}, {size / 1e6:,.1f} MB, {seconds:.1f} s"
        click.echo(f"{options.output}: {written}", err=True)


def _require_place(options: ExportOptions) -> None:
    """Check the output, and what the format allows."""
    database = Path.cwd() / options.settings.db_path
    if options.private and options.form is not ExportFormat.JSONL:
        raise TerrariumError("Private messages can be exported with --format jsonl only.")
    if options.private and (options.query or options.channels):
        raise TerrariumError(
            "--private exports all private messages: name no query and no channel with it."
        )
    if options.is_folder and options.output:
        if options.force:
            raise TerrariumError("--force replaces a file; name a new or empty folder instead.")
        require_free_folder(options.output, database)
    elif options.output:
        require_free_file(options.output, database, force=options.force)
        if options.form is ExportFormat.SQLITE:
            require_no_leftover(options.output)


async def _export(store: Store, options: ExportOptions) -> Export:
    """What is exported: the query, and the rooms that it names."""
    settings = options.settings
    request = await request_for(AppContext(store, settings), View())
    query = await _query(options, request)
    query, rooms = await with_networks_taken(query, request, rooms_searched(request, "", query))
    return Export(
        search=Search(query=query, rooms=rooms, limit=1, now=request.now, zone=settings.zone),
        is_every_room=len(rooms) == len(request.rooms),
        form=options.form,
        zone=settings.zone,
        source_zone=settings.source_zone,
        with_hosts=options.with_hosts,
        with_private=options.private,
    )


async def _query(options: ExportOptions, request: Request) -> Query:
    query = await typed_query(options.query, request)
    return replace(query, channels=(*query.channels, *options.channels))


async def _write(
    store: Store, export: Export, options: ExportOptions, report: ReportExported
) -> int:
    if options.output is None:
        output = StandardOutput()
        total = await export_lines(store, export, output.write)
        output.flush()
        return total
    if options.is_folder:
        with new_folder(options.output) as folder:
            return await export_folder(store, export, folder, report)
    with new_file(options.output) as file:
        if options.form is ExportFormat.SQLITE:
            return await export_database(store, export, file, report)
        with file.open("w", encoding="utf-8", newline="") as stream:
            return await export_lines(
                store, export, lambda line: stream.writelines((line, "\n")), report
            )


def _files(output: Path) -> list[Path]:
    return [output] if output.is_file() else [one for one in output.rglob("*") if one.is_file()]


class _Reports:
    """Shows how many messages are written, now and then."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._every = _REPORT_EVERY if is_terminal(sys.stderr) else _ELSEWHERE_EVERY
        self._due = time.monotonic() + self._every

    def __call__(self, messages: int) -> None:
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + self._every
            self._progress(f"{quantity(messages, 'message')} exported")
