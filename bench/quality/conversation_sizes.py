"""Measures what `scope=conversation` shows around a message, and what it leaves out.

    python -m bench.quality.conversation_sizes HARNESS

HARNESS is the folder of the quality harness. Each figure is given for every line that links connect
to the message (*connected*) and for those that are shown. Three measurements:

- The first 51 questions of the development set that have several answering lines: the first one is
  the message; are the others shown? In the logs as they are, and laid out as a quiet channel
  (`quiet_channel.py`), the talk around each question a burst.
- The annotated conversations, laid out as a quiet channel: F1 of the lines shown, and how many of
  the lines that the message answers, or that answer it, are lost. Once more without the names.
- Small channels written for it (`small_channels/`), in which nobody is named.
"""

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import fmean, median
from typing import Any

import click

from bench.quality.questions.development_set import DevelopmentQuestion, development_set
from bench.quality.quiet_channel import Burst, QuietLine, quiet_channel
from terrarium_mcp.chat.disentanglement import Utterance, extent_of, find_links
from terrarium_mcp.chat.question_marks import ends_with_question_mark
from terrarium_mcp.store.sqlite.topics.conversations import AFTER, BEFORE

QUESTIONS = 51
"""How many questions are measured."""

LARGE = 60
"""A conversation of so many lines is a large one."""

LAYOUTS = range(1, 6)
"""As many ways of laying the questions out."""

AROUND = 12
"""Lines of talk around the answers of a question that make its burst."""

FIRST = 1000
"""The first annotated line of each log."""

EVERY = 4
"""Each line of so many of the annotated quiet channel is a message."""

SMALL_CHANNELS = Path(__file__).with_name("small_channels")

LATE_SECONDS = 1_800.0
"""An answer is a late one from here on."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The lines around a message by their places: `answers` are those that should be among them.

    `late` are the answers that come late. `gold` is the whole conversation without the message.
    """

    connected: frozenset[int]
    shown: frozenset[int]
    answers: frozenset[int]
    late: frozenset[int] = frozenset()
    gold: frozenset[int] = frozenset()


@click.command()
@click.argument("harness", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(harness: Path) -> None:
    """Print the figures."""
    sys.path.insert(0, str(harness))
    logs = {log.name: log for log in import_module("data").load_ircd("dev")}
    questions = [one for one in development_set() if _is_local(one)][:QUESTIONS]
    for name, around in (
        ("as they are", list(_as_they_are(logs, questions))),
        *(
            (f"quiet, layout {layout}", list(_as_bursts(logs, questions, layout)))
            for layout in LAYOUTS
        ),
    ):
        click.echo(f"{len(around)} questions, {name}: {_sizes(around)}; {_answered(around)}")
    for names, told in ((True, "quiet"), (False, "quiet, nobody named")):
        annotated = list(_annotated(logs.values(), names=names))
        click.echo(
            f"{len(annotated)} messages, {told}: {_sizes(annotated)}; {_answered(annotated)}"
        )
        click.echo(f"  F1 {_f1(annotated)}; {_late(annotated)}")
    for small in sorted(SMALL_CHANNELS.glob("*.txt")):
        around = list(_in_small_channel(small))
        click.echo(f"small channel {small.stem}: {_sizes(around)}; {_answered(around)}")
        click.echo(f"  F1 {_f1(around)}")


def _is_local(question: DevelopmentQuestion) -> bool:
    """Whether it has several answering lines, near each other."""
    return len(question.lines) > 1 and max(question.lines) - min(question.lines) < BEFORE


def _as_they_are(logs: dict[str, Any], questions: Iterable[DevelopmentQuestion]) -> Iterator[Shown]:
    for question in questions:
        log = logs[question.log]
        talk = [n for n, event in enumerate(log.system) if not event]
        said = [Utterance(n, 60.0 * log.minute[n], log.nick[n], log.text[n]) for n in talk]
        answers = sorted(talk.index(line - 1) for line in question.lines if line - 1 in talk)
        yield _around(said, talk, answers)


def _as_bursts(
    logs: dict[str, Any], questions: Sequence[DevelopmentQuestion], layout: int
) -> Iterator[Shown]:
    bursts = []
    for question in questions:
        log = logs[question.log]
        talk = [n for n, event in enumerate(log.system) if not event]
        places = [talk.index(line - 1) for line in question.lines if line - 1 in talk]
        first, last = max(0, min(places) - AROUND), max(places) + AROUND
        bursts.append(Burst(log, talk[first : last + 1]))
    lines = quiet_channel(bursts, layout, conversations=False)
    said = [line.said for line in lines]
    for number, question in enumerate(questions):
        answers = [
            place
            for place, line in enumerate(lines)
            if line.burst == number and line.number + 1 in question.lines
        ]
        yield _around(said, range(len(said)), answers)


def _around(said: Sequence[Utterance], ids: Sequence[int], answers: Sequence[int]) -> Shown:
    """What is shown around the first of the answering lines."""
    at, *others = answers
    connected, shown = _extent(said, at)
    return Shown(connected, shown, frozenset(ids[place] for place in others))


def _extent(said: Sequence[Utterance], at: int) -> tuple[frozenset[int], frozenset[int]]:
    """The ids connected to the line at a place, itself included, and those shown of them."""
    window = said[max(0, at - BEFORE) : at + AFTER + 1]
    extent = extent_of(said[at].id, window, find_links(window))
    shown = frozenset(link.line for link in extent.shown)
    return shown | {link.line for link in extent.left_out}, shown


def _annotated(logs: Iterable[Any], *, names: bool) -> Iterator[Shown]:
    bursts = [burst for log in logs for burst in _conversations(log)]
    random.Random(1).shuffle(bursts)  # noqa: S311 -- the same order every time
    lines = quiet_channel(bursts, LAYOUTS[0], conversations=True, names=names)
    said = [line.said for line in lines]
    members: dict[int, set[int]] = {}
    for place, line in enumerate(lines):
        members.setdefault(line.burst, set()).add(place)
    for at in range(0, len(lines), EVERY):
        gold = members[lines[at].burst]
        if len(gold) >= 4 and len({said[place].nick for place in gold}) > 1:
            connected, shown = _extent(said, at)
            answers = frozenset(_linked(bursts[lines[at].burst], lines, gold, at))
            late = frozenset(n for n in answers if abs(said[n].at - said[at].at) >= LATE_SECONDS)
            yield Shown(connected, shown, answers, late, frozenset(gold - {at}))


def _in_small_channel(file: Path) -> Iterator[Shown]:
    """Around each line that is not alone; a question's answer is the first by somebody else."""
    said, letters = small_channel(file)
    for at, one in enumerate(said):
        gold = [n for n, letter in enumerate(letters) if letter == letters[at] and n != at]
        if gold:
            connected, shown = _extent(said, at)
            replies = [n for n in gold if n > at and said[n].nick != one.nick]
            answers = frozenset(replies[:1] if ends_with_question_mark(one.text) else ())
            yield Shown(connected, shown, answers, gold=frozenset(gold))


def small_channel(file: Path) -> tuple[list[Utterance], list[str]]:
    """The lines of a small channel, and the letter of each line's conversation.

    A line of the file is `DAY HOUR:MINUTE LETTER NICK TEXT`.
    """
    said, letters = list[Utterance](), list[str]()
    for place, line in enumerate(file.read_text("utf-8").splitlines()):
        day, clock, letter, nick, text = line.split(" ", 4)
        hour, minute = clock.split(":")
        at = 60.0 * (1440 * int(day) + 60 * int(hour) + int(minute))
        said.append(Utterance(place, at, nick, text))
        letters.append(letter)
    return said, letters


def _conversations(log: Any) -> Iterator[Burst]:
    for members in log.clusters():
        lines = sorted(n for n in members if n >= FIRST and not log.system[n])
        if lines:
            yield Burst(log, lines)


def _linked(
    burst: Burst, lines: Sequence[QuietLine], gold: Iterable[int], at: int
) -> Iterator[int]:
    """The places of lines that the one at `at` answers, or that answer it."""
    links, number = burst.log.links, lines[at].number
    for place in gold:
        other = lines[place].number
        if place != at and (other in links.get(number, ()) or number in links.get(other, ())):
            yield place


def _sizes(around: Sequence[Shown]) -> str:
    sizes = [[len(one.connected) for one in around], [len(one.shown) for one in around]]
    medians = " -> ".join(f"{median(some):.0f}" for some in sizes)
    large = " -> ".join(str(sum(size >= LARGE for size in some)) for some in sizes)
    return f"median {medians} lines, of {LARGE} and more {large}"


def _answered(around: Sequence[Shown]) -> str:
    whole = [
        sum(one.answers <= lines for one, lines in pairs)
        for pairs in (
            [(one, one.connected) for one in around],
            [(one, one.shown) for one in around],
        )
    ]
    lost = [len(one.answers & one.connected - one.shown) for one in around]
    return (
        f"all answers in {whole[0]} -> {whole[1]}, {sum(lost)} lost of"
        f" {sum(len(one.answers & one.connected) for one in around)}"
    )


def _late(around: Sequence[Shown]) -> str:
    late = [one.late & one.connected for one in around]
    shown = [one.late & one.shown for one in around]
    return f"late answers {sum(map(len, late))} -> {sum(map(len, shown))}"


def _f1(around: Sequence[Shown]) -> str:
    figures = [
        fmean(2 * len(lines & one.gold) / (len(lines) - 1 + len(one.gold)) for one, lines in pairs)
        for pairs in (
            [(one, one.connected) for one in around],
            [(one, one.shown) for one in around],
        )
    ]
    return " -> ".join(f"{100 * figure:.1f}" for figure in figures)


if __name__ == "__main__":
    main()
