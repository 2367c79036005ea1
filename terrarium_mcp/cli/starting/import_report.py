"""What an import found, and what became of it, in words. Pure."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.finding import Findings
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.importing import ContentReport
from terrarium_mcp.logformats.log_origin import is_perhaps
from terrarium_mcp.store import EarlierReading, ImportRecord, zone_and_half
from terrarium_mcp.wording import and_more, quantity, shown

_LONGEST_NAME = 120
"""Characters of a channel with its network that are shown."""

_NAMED = 5
"""Files or channels named in one sentence; more are counted."""


def found_lines(findings: Findings) -> Iterator[str]:
    """What the files are, a line for each program and channel."""
    rooms: dict[tuple[str, str, str], list[LogContent]] = {}
    for one in findings.contents:
        if one.target:
            rooms.setdefault((one.program, one.network, fold(one.target)), []).append(one)
    for several in rooms.values():
        files, first = quantity(len(several), "file"), several[0]
        by_12_hours = sum(bool(zone_and_half(one.zone)[1]) for one in several)
        clock = f", {by_12_hours:,} by a 12-hour clock" if by_12_hours else ""
        zone = zone_and_half(first.zone)[0]
        yield f"{_name(first)}: {first.program}, {files}, times read as {zone}{clock}"
    if findings.of_some_half:
        paths = harmless(and_more([one.path for one in findings.of_some_half], _NAMED))
        yield (
            f"{paths}: its clock had 12 hours, and no line tells the half of the day; read as"
            " before noon. If that is wrong, undo this import, and repeat it with --clock pm."
        )
    if findings.private:
        conversations = quantity(len(findings.private), "private conversation")
        yield f"left out: {conversations} (--private imports them)"
    for error in findings.skipped[:_NAMED]:
        yield f"not read: {harmless(str(error))}"
    if (left := len(findings.skipped) - _NAMED) > 0:
        yield f"not read: {quantity(left, 'more file')} (--rejects FILE lists them all)"


def other_names(contents: Sequence[LogContent], known: Iterable[str], undo: str) -> Iterator[str]:
    """Channels whose name in a file may stand for another one.

    Args:
        contents: what was read.
        known: the channels that the database knew before.
        undo: the command that undoes the import; empty if nothing was stored.
    """
    names = [*known, *(one.target for one in contents)]
    first = f"run {undo}, then import again with" if undo else "import with"
    spelt = {fold(one.target) for one in contents if one.is_spelt}
    for target in dict.fromkeys(one.target for one in contents if one.target):
        others = [
            name
            for name in dict.fromkeys(names)
            if is_perhaps(target, name) and fold(name) != fold(target) and fold(target) not in spelt
        ]
        if others:
            pair = shlex.quote(harmless(f"{target}={others[0]}"))
            yield (
                f"{harmless(target)} may be {harmless(and_more(others, _NAMED))}; if it is, {first}"
                f" --map {pair}"
            )


def report_lines(
    reports: Sequence[ContentReport], *, undo: str = "", encoding: str = ""
) -> Iterator[str]:
    """What became of the lines, a line for each channel, and what else is to be known.

    Args:
        reports: what became of each room of each file.
        undo: the command that undoes the import; empty if nothing was stored.
        encoding: the one that the operator chose; empty for none.
    """
    by_room: dict[tuple[str, str], list[ContentReport]] = {}
    for report in reports:
        if (target := report.content.target) and not report.failure:
            by_room.setdefault((report.content.network, fold(target)), []).append(report)
    for several in by_room.values():
        yield f"{_name(several[0].content)}: {_room(several)}"
    if failures := list(dict.fromkeys(str(one.failure) for one in reports if one.failure)):
        yield (
            f"not read: {harmless(and_more(failures, _NAMED))}. Nothing of that was imported;"
            " unpack what can be read of it, and import the copy"
        )
    yield from _encodings(reports, undo)
    if encoding:
        yield from _other_encodings(reports, encoding)
    yield from _remarks(reports)


def _name(content: LogContent) -> str:
    return shown(f"{content.network}/{content.target}", _LONGEST_NAME)


def _room(reports: Sequence[ContentReport]) -> str:
    """What became of each line of a channel's logs: the numbers add up."""
    read = [one for one in reports if not one.earlier]
    again = len(reports) - len(read)
    lines = sum(one.counts.lines for one in read)
    left_out = sum((one.left_out for one in read), Counter[str]())
    totals = [one.totals for one in read if one.totals]
    messages = sum(one.counts.messages for one in read)
    rejected = sum(one.counts.rejected for one in read)
    empty = sum(one.counts.empty for one in read)
    parts = [quantity(lines, "line")] if read else []
    if messages > lines - rejected - empty:  # one line may say that several people left
        parts = [f"{parts[0]} with {messages:,} messages"]
    if totals:
        parts.append(f"{sum(one.added for one in totals):,} added")
        if known := sum(one.known for one in totals):
            parts.append(f"{known:,} were there already")
        if excluded := sum(one.left_out for one in totals):
            parts.append(f"{excluded:,} of people who opted out or had theirs removed")
    elif read:
        parts.append(quantity(messages - left_out.total(), "message"))
    parts += [f"{count:,} {why}" for why, count in sorted(left_out.items())]
    if empty:
        parts.append(f"{empty:,} without a message")
    if rejected:
        parts.append(f"{rejected:,} could not be read")
    if again:
        parts.append(f"{quantity(again, 'file')} imported before")
    return ", ".join(parts) + _period(reports)


def _period(reports: Sequence[ContentReport]) -> str:
    moments = [moment for one in reports for moment in _said(one) if moment]
    return f" ({_day(min(moments))} to {_day(max(moments))})" if moments else ""


def _said(report: ContentReport) -> tuple[datetime | None, datetime | None]:
    """When the first and the last line was said: as it is stored, if the log's clock was wrong."""
    totals = report.totals
    return totals.said if totals and totals.offset and totals.said else (report.first, report.last)


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def _remarks(reports: Sequence[ContentReport]) -> Iterator[str]:
    """What may make an operator look twice."""
    if uncertain := sum(one.counts.uncertain for one in reports if one.content.target):
        yield f"{quantity(uncertain, 'line')} might be an action or an event; the wording decided"
    yield from _first_unread(reports)
    yield from _other_zones(reports)
    for report in reports:
        name = harmless(report.content.file.path)
        if report.totals and report.totals.offset != timedelta(0):
            fast = report.totals.offset.total_seconds()
            word = "fast" if fast > 0 else "slow"
            most = "up to " if report.totals.clock_was_set else ""
            yield f"{name}: its clock was {most}{abs(fast):g} s {word}; the times were corrected"
        if report.became_shorter and report.content.target:
            yield (
                f"{name}: became shorter while it was read, as a log does that is rotated: what it"
                " lost is only in the copy that was made of it. Import that, too"
            )
        if report.counts.steps_back:
            yield f"{name}: its clock was set back {quantity(report.counts.steps_back, 'time')}"


def _first_unread(reports: Sequence[ContentReport]) -> Iterator[str]:
    """Of the files with the most lines that could not be read, the first such line each."""
    most = sorted(reports, key=lambda one: one.counts.rejected, reverse=True)
    for report in most[:_NAMED]:
        if first := report.unread:
            place = f"{harmless(report.content.file.path)}:{first.number}"
            yield f"the first that could not be read: {place}: {first.why}: {shown(first.text)}"


def _other_zones(reports: Sequence[ContentReport]) -> Iterator[str]:
    """Files that were imported before with their times read in another zone."""
    files: dict[tuple[EarlierReading, str], list[str]] = {}
    for report in reports:
        zone = report.content.zone
        if report.earlier and report.earlier.zone != zone:
            files.setdefault((report.earlier, zone), []).append(report.content.file.path)
    for (earlier, zone), paths in files.items():
        yield (
            f"{harmless(and_more(paths, _NAMED))}: imported before with times of {earlier.zone},"
            f" and not again with times of {zone}. If the first was wrong, run"
            f" terrarium-mcp import --undo {earlier.import_id}, then the same import once more;"
            f" if it was right, import with {_options_of(earlier.zone, zone)}."
        )


def _encodings(reports: Sequence[ContentReport], undo: str) -> Iterator[str]:
    """How lines were read that are not UTF-8, and how they are read otherwise."""
    way = (
        f"if that is wrong, run {undo}, then import again with --encoding"
        if undo
        else "--encoding names another"
    )
    encodings = sum((one.counts.encodings for one in reports), Counter[str]())
    for encoding, count in sorted(encodings.items()):
        yield f"{quantity(count, 'line')} not in UTF-8, read as {encoding} ({way})"


def _other_encodings(reports: Sequence[ContentReport], encoding: str) -> Iterator[str]:
    """Files that were imported before without the encoding that is chosen now.

    A file that was read again is only named if it has lines that are not UTF-8; whether one that
    was not read has any is unknown.
    """
    texts = {one.name for one in TEXT_FORMATS}
    files: dict[int, dict[str, None]] = {}
    for report in reports:
        content, command = report.content, report.command
        may_differ = content.format in texts and (report.earlier or report.counts.encodings)
        if may_differ and command and not _chooses(command.command, encoding):
            files.setdefault(command.import_id, {})[content.file.path] = None
    for number, paths in files.items():
        yield (
            f"{harmless(and_more([*paths], _NAMED))}: imported before without --encoding"
            f" {encoding}; what was read then keeps its encoding. If that is wrong, run"
            f" terrarium-mcp import --undo {number}, then the same import once more."
        )


def _chooses(command: str, encoding: str) -> bool:
    """Whether an import that was run as `command` read its logs in an encoding."""
    return ("--encoding", encoding) in pairwise(command.replace("=", " ").split())


def _options_of(earlier: str, zone: str) -> str:
    """The options with which times are read as an earlier import has them, instead of in `zone`."""
    name, half = zone_and_half(earlier)
    is_same_clock = half == zone_and_half(zone)[1]
    return f"--timezone {name}" + ("" if is_same_clock else f" --clock {half or '24'}")


def _state(record: ImportRecord) -> str:
    if record.is_partly_undone:
        return f"undo not finished: run terrarium-mcp import --undo {record.id} again"
    return "undone" if record.undone_at else "" if record.finished else "not finished"


def import_lines(records: Sequence[ImportRecord]) -> Iterator[str]:
    """The imports so far, one line each."""
    for one in records:
        period = f", {_day(one.first)} to {_day(one.last)}" if one.first and one.last else ""
        state = _state(one)
        added = f"{one.added:,} of {quantity(one.lines, 'line')} added"
        yield (
            f"{one.id}  {one.at:%Y-%m-%d %H:%M} UTC  {quantity(one.sources, 'file')},"
            f" {added}{period}  {harmless(one.command)}" + (f"  ({state})" if state else "")
        )
