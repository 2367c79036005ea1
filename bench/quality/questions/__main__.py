"""Asks the development set of natural questions, each in one call of `search_irc_history`.

    python -m bench.quality.questions HARNESS [--haystack] [--later] [--half tuned] [--missed]

HARNESS is the folder of the quality harness, whose logs are imported into a database of one
channel: the development logs, with --haystack among the training logs (unpack these first).
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from bench.quality.questions.development_set import (
    FILE,
    LATER_FILE,
    DevelopmentQuestion,
    Half,
    development_set,
)
from bench.quality.questions.scores import ScoredAnswer, table
from bench.quality.retriever import Retriever

CHANNEL = "#ubuntu"
LIMIT = 20
NOW = datetime(2018, 6, 1, 12, tzinfo=UTC)
"""When the questions are asked: after the last of the logs."""

_IDS_PER_LOG = 100_000


@dataclass(slots=True)  # not frozen: the attributes of HarnessMessage can be set
class LogLine:
    """A line that was said, as the retriever indexes it."""

    id: int
    ts: float
    channel: str
    nick: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class SaidLines:
    """The lines of the development logs: `places` has their order among all that was said there.

    A line is known by its log and its number in the file, from 1.
    """

    places: Mapping[str, Mapping[int, int]]
    lines: Mapping[int, tuple[str, int]]

    def distance(self, hit: int, question: DevelopmentQuestion) -> int | None:
        """How many lines lie between a hit and the nearest answer; None in another log."""
        log, number = self.lines.get(hit, ("", 0))
        if log != question.log:
            return None
        places = self.places[log]
        distances = (abs(places[number] - places[one]) for one in question.lines if one in places)
        return min(distances, default=None)

    def answers(self, hit: int, question: DevelopmentQuestion) -> bool:
        """Whether a hit is one of the lines that answer a question."""
        log, number = self.lines.get(hit, ("", 0))
        return log == question.log and number in question.lines


@click.command()
@click.argument("harness", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--haystack", is_flag=True, help="Among the training logs.")
@click.option("--later", is_flag=True, help="The questions to which no weight was fitted.")
@click.option("--half", type=click.Choice(list(Half)), help="Only one half of the questions.")
@click.option("--missed", is_flag=True, help="List what was not found, and what was misjudged.")
def main(harness: Path, *, haystack: bool, later: bool, half: str | None, missed: bool) -> None:
    """Ask all questions and print the scores."""
    sys.path.insert(0, str(harness))
    load: Any = import_module("data").load_ircd
    development = {log.name for log in load("dev")}
    others = load("train") if haystack else []
    if haystack and not others:
        raise click.UsageError("The training logs are not there: unpack them in the harness first.")
    logs = sorted([*load("dev"), *others], key=lambda log: log.name)
    lines, said = _read(logs, development)
    with closing(Retriever()) as retriever:
        retriever.index(lines)
        every = development_set(LATER_FILE if later else FILE)
        questions = [one for one in every if half in (None, one.half)]
        answers = [_scored(retriever, said, question) for question in questions]
    click.echo(f"{len(lines):,} lines of {len(logs)} logs, {len(questions)} questions")
    click.echo(table(answers))
    if missed:
        for answer in answers:
            for line in _misjudged(answer):
                click.echo(line)


def _read(logs: Sequence[Any], development: set[str]) -> tuple[list[LogLine], SaidLines]:
    """All lines in the order in which they were said."""
    lines: list[LogLine] = []
    places: dict[str, dict[int, int]] = {}
    known: dict[int, tuple[str, int]] = {}
    for number, log in enumerate(logs):
        for place, line in enumerate(_said(log, number * _IDS_PER_LOG)):
            lines.append(line)
            if log.name in development:
                at = line.id % _IDS_PER_LOG
                places.setdefault(log.name, {})[at] = place
                known[line.id] = log.name, at
    return lines, SaidLines(places, known)


def _said(log: Any, first_id: int) -> Iterator[LogLine]:
    """What was said in a log whose name begins with its day."""
    day = datetime.fromisoformat(log.name[:10]).replace(tzinfo=UTC).timestamp()
    latest = day
    for number, text in enumerate(log.text):
        if not log.system[number] and text.strip():
            latest = max(latest, day + 60 * log.minute[number])
            kind = "action" if log.lines[number][8:10] == " *" else "message"
            yield LogLine(first_id + number + 1, latest, CHANNEL, log.nick[number], text, kind)


def _scored(retriever: Retriever, said: SaidLines, question: DevelopmentQuestion) -> ScoredAnswer:
    answer = retriever.answer(question.text, LIMIT, now=NOW.timestamp())
    hits = answer.found
    rank = next((n for n, hit in enumerate(hits, 1) if said.answers(hit, question)), 0)
    distances = [
        distance
        for hit in hits
        if question.is_answerable and (distance := said.distance(hit, question)) is not None
    ]
    return ScoredAnswer(question, rank, min(distances, default=None), answer.is_weak, len(hits))


def _misjudged(answer: ScoredAnswer) -> Iterator[str]:
    question = answer.question
    name = f"{question.half} {question.kind}: {question.text}"
    if question.is_answerable and not answer.rank:
        near = "no hit in that log" if answer.distance is None else f"{answer.distance} lines away"
        yield f"not found ({near}): {name}"
    if answer.promises_nothing == question.is_answerable:
        yield f"{'weak' if answer.promises_nothing else 'not weak'}: {name}"


if __name__ == "__main__":
    main()
