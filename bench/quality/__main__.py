"""Runs the questions of the quality harness.

    python -m bench.quality HARNESS locomo [--direct | --compare | --view]
    python -m bench.quality HARNESS known-items [--items N] [--direct | --compare | --view]
    python -m bench.quality HARNESS buried [--lines N] [--direct | --compare | --view]

HARNESS is the folder with its code and data, which are not part of this project. It needs numpy.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from bench.quality.retriever import Comparing, Retriever

DEVELOPMENT = 5
"""The number of development dialogues. The others are held out."""


def main() -> None:
    """Run the task given on the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality")
    parser.add_argument("harness", type=Path)
    parser.add_argument("what", choices=["locomo", "known-items", "buried"])
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument("--lines", type=int, default=1_000_000)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--direct", action="store_true", help="call the store without MCP")
    way.add_argument("--compare", action="store_true", help="do both and count differing answers")
    way.add_argument("--view", action="store_true", help="ask under a view, as the bridge does")
    asked = parser.parse_args()
    sys.path.insert(0, str(asked.harness))

    with ExitStack() as opened:
        compared: list[Comparing] = []

        def make() -> Retriever:
            if not asked.compare:
                return opened.enter_context(
                    closing(Retriever(direct=asked.direct, view=asked.view))
                )
            compared.append(opened.enter_context(closing(Comparing())))
            return compared[-1]

        match asked.what:
            case "locomo":
                locomo(make)
            case "known-items":
                known_items(make(), asked.items)
            case "buried":
                buried(make(), asked.lines)
    if compared:
        differing = [query for one in compared for query in one.differing]
        of = sum(one.asked for one in compared)
        print(f"through MCP and directly: {len(differing)} of {of} answers differ", *differing)


def locomo(make: Callable[[], Retriever]) -> None:
    """Evidence recall on the development dialogues, each in its own store."""
    task: Any = importlib.import_module("t1_locomo")
    dialogues = importlib.import_module("data").load_locomo()[:DEVELOPMENT]
    print(task.line(Retriever.name, task.summary(task.evaluate(make, dialogues))), flush=True)


def known_items(retriever: Retriever, items: int) -> None:
    """Finding known lines of real IRC: MRR / hit@10 for each way of asking."""
    task: Any = importlib.import_module("t3_known_items")
    messages = task.load(300_000)
    wanted = task.build(messages, items)
    retriever.index(messages)
    row, spent = [], []
    for way in task.WAYS:
        ranks = []
        for query, number, _ in wanted:
            began = time.process_time()
            found = retriever.search(query[way], 10, now=messages[-1].ts)
            spent.append(time.process_time() - began)
            ranks.append(found.index(number) + 1 if number in found else 0)
        reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
        row.append(f"{way} {reciprocal:.2f}/{sum(map(bool, ranks)) / len(ranks):.2f}")
    print(" | ".join(row), "|", _cpu(spent), flush=True)


def buried(retriever: Retriever, lines: int) -> None:
    """The dialogues among newer lines of other channels: searched by channel, and everywhere."""
    task: Any = importlib.import_module("buried")
    message: Any = importlib.import_module("interface").Message
    dialogues = importlib.import_module("data").load_locomo()[:DEVELOPMENT]
    rows = [(*row, None) for row in task.irc(lines, newer=True)]
    rows += [(m.ts, m.channel, m.nick, m.text, m.id) for _, said, _ in dialogues for m in said]
    rows.sort(key=lambda row: row[0])
    retriever.index([message(n, *row[:4]) for n, row in enumerate(rows)])
    back = {str(row[4]): n for n, row in enumerate(rows) if row[4] is not None}
    for with_channel in (True, False):
        means, spent, kinds = task.ask(retriever, dialogues, back, with_channel)
        task.line("with the channel" if with_channel else "whole log", means, spent, kinds)


def _cpu(spent: Sequence[float]) -> str:
    ordered = sorted(spent)
    return (
        f"cpu ms p50 {1000 * ordered[len(ordered) // 2]:.1f}"
        f" p99 {1000 * ordered[int(len(ordered) * 0.99)]:.1f}"
    )


if __name__ == "__main__":
    main()
