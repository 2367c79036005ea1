"""A record of the talk log as a table for people: where the time of a question went. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.talk_log.record import TalkRecord, TimedPart
from terrarium_mcp.wording import quantity

OTHER = "other"
"""The time that no part covers."""


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A row of the table, in milliseconds.

    `share` is that of the whole time; None for what stands within another row, which counts there.
    """

    name: str
    ms: float
    at: float | None = None
    share: float | None = None
    depth: int = 0
    outcome: str = ""


def timeline(record: TalkRecord) -> list[TimelineRow]:
    """The parts of a question in their order, what each consists of beneath it, and `other`.

    The rows with a share add up to the whole time: what lies beside an earlier part counts there.
    """
    rows: list[TimelineRow] = []
    covered = named = 0.0
    for part in sorted(record.parts, key=lambda part: part.at):
        ended = part.at + part.ms
        ms = max(0.0, ended - max(part.at, covered))
        covered, named = max(covered, ended), named + ms
        rows.append(
            TimelineRow(part.name, ms, part.at, _share(ms, record.ms), outcome=part.outcome)
        )
        rows += _within(part, 1)
    other = max(0.0, record.ms - named)
    return [*rows, TimelineRow(OTHER, other, share=_share(other, record.ms))]


def rendered(record: TalkRecord, zone: ZoneInfo) -> str:
    """A record as text: what it was, its timeline, and what it cost. Its time is that of `zone`."""
    rows = timeline(record)
    whole = TimelineRow("in all", record.ms, share=1.0)
    cells = [("at", "ms", "share", "part"), *map(_cells, [*rows, whole])]
    return "\n".join([*_head(record, zone), "", *_aligned(cells)])


def _within(part: TimedPart, depth: int) -> Iterator[TimelineRow]:
    for inner in part.parts:
        yield TimelineRow(inner.name, inner.ms, inner.at, depth=depth, outcome=inner.outcome)
        yield from _within(inner, depth + 1)


def _share(ms: float, whole: float) -> float:
    return ms / whole if whole else 0.0


def _head(record: TalkRecord, zone: ZoneInfo) -> Iterator[str]:
    calls = [inner for part in record.parts if part.name == "tool calls" for inner in part.parts]
    wrong = sum(call.outcome != "ok" for call in calls)
    guess = ", estimated" if record.tokens.estimated else ""
    yield harmless(
        f"{record.time.astimezone(zone):%Y-%m-%d %H:%M:%S} {record.network}/{record.channel}"
        f" {record.id}: {record.outcome}, {quantity(record.lines, 'line')}"
        f" ({quantity(record.bytes, 'byte')})"
    )
    yield harmless(
        f"model {record.model or 'unknown'}, {quantity(record.rounds, 'round')} of tools with"
        f" {quantity(len(calls), 'call')}{f' ({wrong} not ok)' if wrong else ''}, tokens:"
        f" {record.tokens.prompt:,} sent, {record.tokens.completion:,} received{guess}"
    )


def _cells(row: TimelineRow) -> tuple[str, str, str, str]:
    return (
        "" if row.at is None else f"{row.at:,.1f}",
        f"{row.ms:,.1f}",
        "" if row.share is None else f"{row.share:.1%}",
        harmless(f"{'  ' * row.depth}{row.name}{f'  {row.outcome}' if row.outcome else ''}"),
    )


def _aligned(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[str]:
    """The rows as lines: numbers to the right, the name behind them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for at, ms, share, name in rows:
        yield f"{at:>{widths[0]}}  {ms:>{widths[1]}}  {share:>{widths[2]}}  {name}"
