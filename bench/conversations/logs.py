"""The annotated Ubuntu IRC logs: https://jkk.name/irc-disentanglement, CC BY 4.0.

A log `NAME.ascii.txt` has a line for each line of chat; `NAME.annotation.txt` says which line
answers which, by number, a line that answers itself starts a conversation.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from terrarium_mcp.chat.conversations import Utterance

BEFORE, SCORED, AFTER = 150, 200, 50
"""Lines of a window: read before those that are scored, scored, and read after them."""

_SAID = re.compile(r"\[(\d\d):(\d\d)\] (?:<([^>]*)>| ?\* (\S+))\s?(.*)$")
_ANOTHER_DAY = 600
"""Minutes by which the clock must go back for midnight to lie between two lines."""


@dataclass(frozen=True)
class Log:
    """What was said in a log, by line number, and the numbers of the lines each line answers."""

    said: dict[int, Utterance]
    answers: dict[int, list[int]]


@dataclass(frozen=True)
class Excerpt:
    """Lines to read in one go, of which those with the places in `scored` count."""

    lines: list[Utterance]
    scored: range


def logs(folder: Path) -> list[Log]:
    """All annotated logs of a folder, such as `train`."""
    found = sorted(folder.glob("*.annotation.txt"))
    if not found:
        raise SystemExit(f"No *.annotation.txt in {folder}: name the folder of a split.")
    return [_log(file) for file in found]


def excerpts(log: Log) -> Iterator[Excerpt]:
    """The annotated part of a log in windows, as the scorer gets them."""
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
