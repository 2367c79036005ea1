"""Reads one content of an import by parts: what of it is recorded, and what became of the rest."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from terrarium_mcp.chat.on_record import NotRecorded
from terrarium_mcp.chat.recorded_times import RecordedTime
from terrarium_mcp.chat.records import NewMessage
from terrarium_mcp.chat.voices import VoiceRules, rules_on
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.log_reader import DatedBoundary, DatedEvent, LineCounts, RejectedLine
from terrarium_mcp.logformats.playback import PlaybackFilter
from terrarium_mcp.logformats.recordable import recordable
from terrarium_mcp.logformats.recorded_times import RecordedTimes
from terrarium_mcp.store import LINES_IN_BLOCK


class ReadResult(NamedTuple):
    """What became of a whole content, the times that it covers, and its earliest moment.

    `are_told`: the log says itself when it was open; else the times are those of its lines.
    `sha256` is that of the file as it was read; empty of a database or an export. If the file
    `became_shorter` meanwhile, what was at its end is not among the lines.
    """

    counts: LineCounts
    left_out: Counter[NotRecorded]
    times: Sequence[RecordedTime]
    are_told: bool
    earliest: datetime | None
    sha256: str = ""
    became_shorter: bool = False


class ReadPart(NamedTuple):
    """Some lines of a content.

    Attributes:
        messages: what is recorded of them, none of a window in which a client talks about itself.
        lines: how many lines they are.
        rejected: those that could not be read.
        result: with the last part of a content, what became of all of it.
    """

    messages: Sequence[NewMessage]
    lines: int
    rejected: Sequence[RejectedLine]
    result: ReadResult | None = None


def read_parts(content: LogContent, rules: Mapping[str, VoiceRules]) -> Iterator[ReadPart]:
    """Read a content to its end.

    Args:
        content: the content.
        rules: how lines are told apart, by network.

    Raises:
        UnusableFile: it cannot be read.
    """
    its_rules = rules_on(content.network, rules)
    left_out = Counter[NotRecorded]()
    times = RecordedTimes()
    playback = PlaybackFilter()
    messages: list[NewMessage] = []
    rejected: list[RejectedLine] = []
    reported = 0
    with content.read() as log:
        for item in log.items:
            if isinstance(item, DatedEvent):  # nearly all are
                times.line(item.said_at)
                message = recordable(
                    item.event, content.network, content.target, item.said_at, its_rules
                )
                if isinstance(message, NotRecorded):
                    left_out[message] += 1
                elif content.target:
                    messages += playback.first_copies(message)
            elif isinstance(item, NewMessage):
                times.line(item.said_at)
                messages.append(content.placed(item))
            elif isinstance(item, DatedBoundary):
                times.boundary(item.at, item.boundary)
                if item.boundary is Boundary.OPENED:
                    messages += playback.opened(item.at)
            else:
                rejected.append(item)
            if max(len(messages), len(rejected)) >= LINES_IN_BLOCK:
                block, messages = messages[:LINES_IN_BLOCK], messages[LINES_IN_BLOCK:]
                yield ReadPart(block, log.counts.lines - reported, rejected)
                rejected, reported = [], log.counts.lines
        messages += playback.rest()
        if len(messages) > LINES_IN_BLOCK:
            block, messages = messages[:LINES_IN_BLOCK], messages[LINES_IN_BLOCK:]
            yield ReadPart(block, 0, [])
        if playback.repeated:
            left_out[NotRecorded.PLAYED_BACK] = playback.repeated
        result = ReadResult(log.counts, left_out, times.all(), times.are_told, times.earliest)
        if log.reading:
            sha256, became_shorter = log.reading.sha256, log.reading.became_shorter
            result = result._replace(sha256=sha256, became_shorter=became_shorter)
        yield ReadPart(messages, log.counts.lines - reported, rejected, result)
