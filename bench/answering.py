"""Answers the calls of one checkout, a few at a time, as `compare.py` asks for them.

    python answering.py FOLDER LINES ROUNDS

It is run by its path: the modules that it measures are those of the checkout that PYTHONPATH names.
First it prints, as JSON, which checkout that is, and how many questions each kind of call has. Then
it reads lines such as `["recent 50", 0, 5]`, and prints for each question from the first to the
last (exclusive) how many milliseconds of CPU the process took for it.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path

import anyio
from anyio import to_thread

import bench
from bench.bed import Bed
from bench.measure import Clocks
from bench.piece import Piece
from bench.reading import Log
from bench.searching import Searches
from terrarium_mcp.cli.process import freeze_imports
from terrarium_mcp.store.errors import TookTooLong
from terrarium_mcp.store.sqlite.index.talk_counts import TalkCounter
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlockCounter


async def answer(folder: Path, lines: int, rounds: int) -> None:
    """Answer what stdin asks for, until it ends."""
    bed = Bed(folder, lines, rounds)
    async with bed.store() as store:
        for duty in (WordBlockCounter, TalkCounter):
            await duty(store._database).count()  # noqa: SLF001 -- the keeper would, meanwhile
        log = await Log.of(store, bed)
        searches = Searches(store, await store.rooms.all(), bed.questions, rounds)
        pieces = {piece.name: piece for piece in [*log.pieces(), *searches.pieces()]}
        questions = {name: len(piece.questions) for name, piece in pieces.items()}
        _say({"checkout": str(Path(bench.__file__).parents[1]), "questions": questions})
        while line := await to_thread.run_sync(sys.stdin.readline):
            name, first, last = json.loads(line)
            _say(await _spent(pieces[name], first, last))


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)


async def _spent(piece: Piece, first: int, last: int) -> list[float]:
    """Milliseconds of CPU for each of these questions."""
    spent = []
    for question in piece.questions[first:last]:
        began = Clocks()
        with suppress(TookTooLong):
            await piece.ask(question)
        _, whole, _ = began.until(Clocks())
        spent.append(whole)
    return spent


if __name__ == "__main__":
    freeze_imports()  # as whatever serves does
    anyio.run(answer, Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
