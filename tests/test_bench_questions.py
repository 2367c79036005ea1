"""The development set of natural questions, and how its answers are scored."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from bench.quality.questions.development_set import (
    LATER_FILE,
    DevelopmentQuestion,
    Half,
    development_set,
)
from bench.quality.questions.scores import ScoredAnswer, table
from tests.servers.forked import forked

ROOT = Path(__file__).parents[1]

HARNESS = """
from types import SimpleNamespace

LOG = ["<ada> hello", "=== bo joined", "<bo> the package is linux-headers, billytwowilly"]

def load_ircd(split):
    if split != "dev":
        return []
    log = SimpleNamespace(name="2004-11-15_03", lines=[f"[12:0{n}] {line}" for n, line in
        enumerate(LOG)], nick=["ada", "bo", "bo"], minute=[720, 721, 722],
        text=[line.partition("> ")[2] for line in LOG], system=[False, True, False])
    return [log]
"""


def test_the_set_has_eighty_questions_of_all_kinds_and_thirty_without_an_answer() -> None:
    questions = development_set()
    answerable = [one for one in questions if one.is_answerable]
    assert len(answerable) >= 80
    assert len(questions) - len(answerable) == 30
    assert len({one.text for one in questions}) == len(questions)
    kinds = Counter(one.kind for one in answerable)
    assert set(kinds) == {"fixed", "said", "who", "error", "addressed", "when"}
    assert min(kinds.values()) >= 10
    halves = Counter(one.half for one in questions)
    assert abs(halves[Half.TUNED] - halves[Half.HELD_OUT]) <= 1


def test_the_later_questions_are_others() -> None:
    later = development_set(LATER_FILE)
    assert not {one.text for one in later} & {one.text for one in development_set()}
    assert Counter(one.is_answerable for one in later) == {True: 39, False: 25}
    logs = {one.log for one in development_set()}
    assert {one.log for one in later} <= logs


def test_ranges_of_lines_are_read_in_full() -> None:
    day = next(one for one in development_set() if one.text.endswith("15 November 2004?"))
    assert {1, 625, 1250} <= day.lines
    assert min(one for question in development_set() for one in question.lines or {1}) >= 1


def answer(
    rank: int,
    distance: int | None,
    kind: str = "said",
    *,
    weak: bool = False,
    lines: int = 1,
    hits: int = 20,
) -> ScoredAnswer:
    question = DevelopmentQuestion("?", kind, Half.TUNED, "log", frozenset(range(1, lines + 1)))
    return ScoredAnswer(question, rank, distance, weak, hits)


def test_the_scores_are_counted_for_each_kind_and_for_all() -> None:
    answers = [
        answer(1, 0),
        answer(0, 8, weak=True),
        answer(4, 0, "who"),
        answer(0, 9, "who"),
        answer(0, None, "who"),
        answer(0, None, "absent topic", weak=True, lines=0),
        answer(0, None, "absent topic", lines=0),
        answer(0, None, "absent person", lines=0, hits=0),
    ]
    assert table(answers).splitlines()[2:] == [
        "| said | 2 | 50.0 % | 100.0 % | 0.500 | 1 (50.0 %) |",
        "| who | 3 | 33.3 % | 33.3 % | 0.083 | 0 (0.0 %) |",
        "| **all** | 5 | 40.0 % | 60.0 % | 0.250 | 1 (20.0 %) |",
        "| tuned | 5 | 40.0 % | 60.0 % | 0.250 | 1 (20.0 %) |",
        "| absent person | 1 | | | | 1 (100.0 %) |",
        "| absent topic | 2 | | | | 1 (50.0 %) |",
    ]


@pytest.mark.parametrize("options", [[], ["--later"]])
def test_the_questions_are_asked_over_the_logs_of_a_harness(
    tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "data.py").write_text(HARNESS, "utf-8")
    done = subprocess.run(
        forked("-m", "bench.quality.questions", tmp_path, "--missed", *options),
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert not done.returncode, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first.startswith("2 lines of 1 logs, ")
    assert any(line.startswith("| **all** | ") for line in rest)
    assert any(line.startswith("not found (") for line in rest)
