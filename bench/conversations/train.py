"""Learns the weights of the conversation scorer from annotated logs.

    python -m bench.conversations.train FOLDER WEIGHTS.json [--passes 4]

FOLDER holds the training split of https://jkk.name/irc-disentanglement (CC BY 4.0, Kummerfeld et
al., ACL 2019). The weights are derived from it, and the file says so. Needs numpy and scipy.

The model is a softmax over the choices of an utterance (to answer one of its candidates, or to
start a conversation), linear in one indicator for each table entry. The gradient is exact, and
L-BFGS finds the optimum. Earlier links must be the scorer's own, errors included, so the training
runs in passes: read all windows with the current weights, record which entries each choice uses,
and fit. On the development split link F1 is 67.6 after one pass, 73.9 after two, 74.3 after four.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TypeAlias

import click
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bench.conversations.logs import Excerpt, Log, excerpts, logs
from terrarium_mcp.chat.disentanglement.scores import score_choices
from terrarium_mcp.chat.disentanglement.tables import ANSWERING, SCALE, STARTING, ScoreTables
from terrarium_mcp.chat.disentanglement.thread_state import ThreadState
from terrarium_mcp.chat.disentanglement.window import read_window

PENALTY = 2.0
"""L2 penalty; chosen on the development split."""

STARTS = 1.0
"""Subtracted from starting a conversation: the training logs have more of that than other logs."""

FIRST_FIT, LATER_FIT = 80, 50
"""Steps of L-BFGS in the first and in later passes."""

NOTE = (
    "Learnt from, and so derived from, the annotated Ubuntu IRC logs of Kummerfeld et al.,"
    " A Large-Scale Corpus for Conversation Disentanglement, ACL 2019,"
    " https://jkk.name/irc-disentanglement, licensed under CC BY 4.0"
    " (https://creativecommons.org/licenses/by/4.0/)."
    " The logs themselves are not part of this project."
)

SIZES = {name: prod(facts) for name, facts in (ANSWERING | STARTING).items()}
WHOLE = sum(SIZES.values())
Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Choices:
    """All choices of all utterances: the entries each uses, and whether the annotation has it.

    `entries` are concatenated: those of choice n begin at `choices[n]`, and the choices of
    utterance m begin at `lines[m]`.
    """

    entries: NDArray[np.int32]
    choices: NDArray[np.int64]
    lines: NDArray[np.int64]
    right: NDArray[np.bool_]


def positions() -> ScoreTables:
    """Tables in which each entry is, instead of a weight, a tuple of its own number.

    A "score" is then the tuple of all entries it used. So training runs the same code as scoring,
    and the two cannot drift apart.
    """
    numbers = iter(range(WHOLE))
    return ScoreTables.from_flat(
        {name: [(next(numbers),) for _ in range(n)] for name, n in SIZES.items()}
    )


def read(corpus: Iterable[Log], weights: Floats) -> Choices:
    """Read all logs with the current weights and record the choices of all annotated utterances."""
    known, tables = weights.tolist(), positions()
    used: list[Sequence[int]] = []
    lines: list[int] = []
    right: list[bool] = []
    for log in corpus:
        for excerpt in excerpts(log):
            for index, choices, candidates in _read_one(excerpt, tables, known):
                answers = log.answers.get(excerpt.lines[index].id)
                if index in excerpt.scored and answers:
                    lines.append(len(choices))
                    used += choices
                    right += [excerpt.lines[one].id in answers for one in (index, *candidates)]
    flat = np.fromiter((entry for choice in used for entry in choice), np.int32)
    return Choices(flat, _begins(list(map(len, used))), _begins(lines), np.array(right))


def _read_one(
    excerpt: Excerpt, tables: ScoreTables, weights: Sequence[float]
) -> Iterable[tuple[int, list[tuple[int, ...]], list[int]]]:
    """Each utterance's index, the entries of its choices, and the indices of its candidates."""
    state = ThreadState(read_window(excerpt.lines))
    for features in state.window.utterances[: excerpt.scored.stop]:
        candidates = state.candidates(features)
        choices = score_choices(features, candidates, state, tables)
        sums = [sum(weights[entry] for entry in choice) for choice in choices]
        best = sums.index(max(sums))
        state.add(features, candidates[best - 1] if best else None)
        yield features.index, choices, [one.features.index for one in candidates]


def _begins(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def fit(seen: Choices, weights: Floats, steps: int) -> tuple[Floats, float]:
    """The weights that make the annotated answers most probable, and the loss per utterance."""
    choice_sizes, line_sizes = np.diff(seen.choices), np.diff(seen.lines)
    known = np.add.reduceat(seen.right, seen.lines[:-1]) > 0  # an answer is among the candidates
    counts = np.repeat(known, line_sizes)

    def loss(w: Floats) -> tuple[float, Floats]:
        score = np.add.reduceat(w[seen.entries], seen.choices[:-1])
        odds = np.exp(score - np.repeat(np.maximum.reduceat(score, seen.lines[:-1]), line_sizes))
        everything = np.add.reduceat(odds, seen.lines[:-1])
        annotated = odds * seen.right
        found = np.where(known, np.add.reduceat(annotated, seen.lines[:-1]), 1)
        slope = odds / np.repeat(everything, line_sizes) - annotated / np.repeat(found, line_sizes)
        gradient = np.bincount(
            seen.entries, np.repeat(slope * counts, choice_sizes), minlength=WHOLE
        )
        lost = np.log(everything / np.maximum(found, 1e-30))[known].sum()
        return lost + PENALTY / 2 * (w @ w), gradient + PENALTY * w

    best = minimize(loss, weights, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    return best.x, best.fun / known.sum()


def written(weights: Floats) -> str:
    """The text of the weights file, one table on each line."""
    split = np.split(weights, np.cumsum(list(SIZES.values()))[:-1])
    tables = dict(zip(SIZES, split, strict=True))
    tables["crowd"] = tables["crowd"] - STARTS  # every utterance uses one entry of it
    rows = [
        f'"{name}": {json.dumps(hundredths.tolist(), separators=(",", ":"))}'
        for name, table in tables.items()
        for hundredths in [np.rint(SCALE * table).astype(int)]
    ]
    joined = ",\n".join(rows)
    return f'{{\n"note": {json.dumps(NOTE)},\n"tables": {{\n{joined}\n}}\n}}\n'


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--passes", type=click.IntRange(min=1), default=4, help="Number of passes.")
def main(folder: Path, file: Path, passes: int) -> None:
    """Learn from the logs in FOLDER and write the weights to FILE."""
    corpus, weights = logs(folder), np.zeros(WHOLE)
    for n in range(passes):
        seen = read(corpus, weights)
        weights, loss = fit(seen, weights, LATER_FIT if n else FIRST_FIT)
        click.echo(f"pass {n + 1}: {len(seen.lines) - 1} lines, loss {loss:.4f}")
        file.write_text(written(weights), "utf-8")


if __name__ == "__main__":
    main()
