"""The annotated Ubuntu IRC logs: https://jkk.name/irc-disentanglement, CC BY 4.0.

`NAME.ascii.txt` is a log, one message on each line. `NAME.annotation.txt` lists, by line number,
which message answers which. A message that answers itself starts a conversation.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from terrarium_mcp.chat.disentanglement import Utterance

BEFORE, SCORED, AFTER = 150, 200, 50
"""Sizes of a window's three parts: read before the scored utterances, scored, and read after."""

_SAID = re.compile(r"\[(\d\d):(\d\d)\] (?:<([^>]*)>| ?\* (\S+))\s?(.*)$")
_ANOTHER_DAY = 600
"""Midnight lies between two lines if the clock goes back by more than these minutes."""


@dataclass(frozen=True)
class Log:
    """The utterances of a log by line number, and the line numbers that each one answers."""

    said: dict[int, Utterance]
    answers: dict[int, list[int]]


@dataclass(frozen=True)
class Excerpt:
    """A window of utterances. Only those at the indices in `scored` count."""

    lines: list[Utterance]
    scored: range


def logs(folder: Path) -> list[Log]:
    """All annotated logs of a folder such as `train`.

    Raises:
        SystemExit: there are none.
    """
    found = sorted(folder.glob("*.annotation.txt"))
    if not found:
        raise SystemExit(f"No *.annotation.txt in {folder}: give the folder of one split.")
    return [_log(file) for file in found]


def excerpts(log: Log) -> Iterator[Excerpt]:
    """The annotated part of a log, in windows as the scorer reads them."""
    numbers = sorted(log.said)
    first, last = min(log.answers), max(log.answers)
    begin = sum(number < first for number in numbers)
    end = sum(number <= last for number in numbers)
    for start in range(begin, end, SCORED):
        stop, left = min(start + SCORED, end), max(0, start - BEFORE)
        window = [log.said[number] for number in numbers[left : stop + AFTER]]
        yield Excerpt(window, range(start - left, stop - left))


def _log(annotation: Path) -> Log:
    text = annotation.with_name(annotation.name.replace(".annotation.", ".ascii."))
    answers = defaultdict(list)
    for line in annotation.read_text("utf-8").splitlines():
        earlier, *_, later = sorted(int(word) for word in line.split() if word != "-")
        answers[later].append(earlier)
    said: dict[int, Utterance] = {}
    day = last = 0
    for number, line in enumerate(text.read_text("utf-8", "replace").split("\n")):
        if found := _SAID.match(line):
            minute = int(found[1]) * 60 + int(found[2])
            day += minute < last - _ANOTHER_DAY
            last = minute
            said[number] = Utterance(
                number, 60 * (1440 * day + minute), found[3] or found[4], found[5]
            )
    return Log(said, dict(answers))
