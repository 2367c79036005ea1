"""Which format a text log has, told from its first lines and its path. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.logformats.entries import LogLine
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.log_origin import LogOrigin, origin_in
from terrarium_mcp.logformats.text.botbot import BOTBOT

SAMPLE = 300
"""Lines of a log that are looked at."""

FARTHEST = 20_000
"""Up to this line of a log a format is looked for that reads what others do not."""

FEW = 20
"""Lines of which a format must read one to be tried on the others: most read none."""

OF_NEXT_DAY = 4
"""The next day of a log is of its format if that reads so many lines as messages: a folder may have
5,000 days, of which each would take 0.2 ms more with FEW."""

ENOUGH = 0.5
"""The share of lines that a format must read. Genuine logs have 0.98 or more."""

SILENT = 0.9
"""The share of lines that a format must read if nothing that people said is among them: they may
have said it in a form of their own, as a theme of irssi makes it."""

_HAPPENS = re.compile(
    r"\([^\s@()]+@[^\s()]+\) (?:join|part|quit|Quit|[^()#&+!]*(?:[#&+!].*|\(.*\)))"
    r"|sets mode: [+-].*|talking (?:in|on) [#&+!]\S*"
)
"""What follows a nick in old logs of The Lounge, in HexChat's and, in any language, in mIRC's, in
the form in which others write what somebody does. It counts against a format that reads no event in
the log in a form of its own: whose program has one writes so only what somebody does. So do lines
that botbot.me's format reads as events. All are imported the same."""

JESTS = 1
"""Lines with botbot.me's words alone (`* ada has quit`) that do not count: somebody may act so."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a format reads a log.

    Attributes:
        format: the format.
        read: the share of lines that it reads.
        events: the share of lines that it reads as messages or boundaries.
        is_timed: whether any line that it reads has a time or a date.
        has_speech: whether it reads any line as something that somebody said, for certain.
        unread: the first line that it does not read, empty if it reads all.
        origin: what the path tells, if it is one of this format.
    """

    format: TextFormat
    read: float
    events: float
    is_timed: bool
    has_speech: bool
    unread: str
    origin: LogOrigin

    @property
    def is_enough(self) -> bool:
        """Whether the log is of this format, as far as its first lines tell.

        One of which nothing would come must have the path of the format.
        """
        is_quiet = not (self.has_speech or self.origin.is_window)
        says_something = bool(self.events) or self.origin != LogOrigin()
        return says_something and self.is_timed and self.read >= (SILENT if is_quiet else ENOUGH)

    @property
    def rank(self) -> tuple[float, bool, float]:
        """Better fits have greater ranks: lines read, then a path of the format, then messages."""
        return (round(self.read, 2), self.origin != LogOrigin(), self.events)

    @property
    def is_perfect(self) -> bool:
        """Whether none can be better."""
        return self.is_timed and self.rank == (1.0, True, 1.0)


def next_day_fit(path: str, lines: Sequence[str], day_before: str) -> Fit | None:
    """How the format of the day before reads a log; None if others may read it better.

    Args:
        path: of the log.
        lines: its first lines.
        day_before: names the format of the file before it in its folder, if that is of one day.
    """
    some = [line for line in lines if line.strip()][:OF_NEXT_DAY]
    for one in TEXT_FORMATS:
        if one.name == day_before and (fit := _fit(one, path, some)).is_perfect and fit.origin.day:
            return fit
    return None


def best_fit(
    path: str,
    lines: Sequence[str],
    formats: Sequence[TextFormat] = TEXT_FORMATS,
    more: Iterable[str] = (),
) -> Fit:
    """The format that reads the first lines of a log best; `read` may be too little for any.

    Args:
        path: of the log.
        lines: its first lines.
        formats: those that are known. One whose files alone have such a name precedes the others.
        more: the lines behind these. They are read only where several formats read the first ones
            equally well: several programs write what people say alike, but not who is renamed.
    """
    sample = [line for line in lines[:SAMPLE] if line.strip()]
    few = sample[:FEW]
    likely = [one for one in formats if any(one.read(line) is not None for line in few)]
    likely.sort(key=lambda one: not (one.has_own_names and origin_in(path, one.paths).target))
    fits = list[Fit]()
    for one in likely or formats:
        fits.append(_fit(one, path, sample))
        if fits[-1].is_perfect:
            return fits[-1]
    best = max(fit.rank for fit in fits)
    return _told_apart([fit for fit in fits if fit.rank == best], more)


def _told_apart(fits: Sequence[Fit], more: Iterable[str]) -> Fit:
    """The one that reads the lines that others do not, or the first of equals."""
    if len(fits) > 1:
        for line in more:
            fits = [fit for fit in fits if fit.format.read(line) is not None] or fits
            if len(fits) == 1:
                break
    return fits[0]


def _fit(form: TextFormat, path: str, lines: Sequence[str]) -> Fit:
    said = [form.read(raw) for raw in lines]
    if not any(map(_has_event, said)):
        mistaken = _mistaken(lines, said)
        said = [None if at in mistaken else line for at, line in enumerate(said)]
    read = [line for line in said if line is not None]
    total = len(lines) or 1
    return Fit(
        format=form,
        read=len(read) / total,
        events=sum(not line.is_chatter for line in read) / total,
        is_timed=any(line.is_timed for line in read),
        has_speech=any(one.kind in SPEECH and one.certain for line in read for one in line.events),
        unread=next((raw for raw, line in zip(lines, said, strict=True) if line is None), ""),
        origin=origin_in(path, form.paths),
    )


def _has_event(line: LogLine | None) -> bool:
    """Whether a line is read as something that happened, for certain."""
    return line is not None and any(one.kind not in SPEECH and one.certain for one in line.events)


def _mistaken(lines: Sequence[str], said: Sequence[LogLine | None]) -> set[int]:
    """Which lines are read as what a person does, but may be what happened to them."""
    actions = {
        at: one.text
        for at, line in enumerate(said)
        if line
        for one in line.events
        if one.kind is MessageType.ACTION
    }
    by_form = {at for at, text in actions.items() if _HAPPENS.fullmatch(text)}
    by_words = {at for at in actions if _is_event_of_botbot(lines[at])}
    return by_form | by_words if len(by_words) > JESTS else by_form


def _is_event_of_botbot(raw: str) -> bool:
    line = BOTBOT.read(raw)
    return line is not None and any(one.kind not in SPEECH for one in line.events)
