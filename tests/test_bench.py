"""`python -m bench`, in a small form: it measures whatever the goals are set for, and says so."""

import json
import os
import platform
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest
from click import ClickException
from click.testing import CliRunner, Result
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from bench import compare, corpus, rebuilding
from bench.__main__ import main
from bench.bed import Bed
from bench.corpus import Language, Vocabulary, Words, talk
from bench.questions import Line, plain_words
from bench.rivals import Wanted, finders, match
from bench.vocabulary import spoken
from bench.wording import question_about

ROOT = Path(__file__).parents[1]
LINES, ROUNDS = "1000", "1"
ENDED = datetime(2026, 5, 1, tzinfo=UTC)


def bench(*arguments: str | Path) -> Result:
    """A run in this process, which has loaded its words already."""
    return CliRunner().invoke(main, [*map(str, arguments)])


def recorded(path: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return told


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Path]:
    """The table and the record of a run, and the databases that it left.

    It takes half a minute of CPU: processes that share these tests share it.
    """
    folder = shared_by_processes(tmp_path_factory)
    kept, record, table = folder / "kept", folder / "record.json", folder / "table.txt"
    with FileLock(folder / "bench.lock"):
        if not table.exists():
            table.write_text(ran(kept, record), "utf-8")
    return table.read_text("utf-8"), record, kept


def shared_by_processes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this session that each of its processes finds."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def ran(kept: Path, record: Path) -> str:
    """The table of a run in a process of its own."""
    options = ["--rounds", ROUNDS, "--keep", str(kept), "--record", str(record)]
    done = subprocess.run(
        [sys.executable, "-m", "bench", LINES, *options],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
        timeout=300,  # eight servers are started, among much else
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_every_row_stands_in_the_table_and_in_the_record(run: tuple[str, Path, Path]) -> None:
    table, record, _ = run
    names = [row["name"] for row in recorded(record)["rows"]]
    assert len(names) == len(set(names))
    assert [line.split("  ")[0] for line in table.splitlines()[1:]] == names


@pytest.fixture
def other_checkout(tmp_path: Path) -> Path:
    """A copy of our code: what is committed may know an older schema."""
    folder = tmp_path / "checkout"
    for name in ("bench", "terrarium_mcp"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_each_checkout_answers_with_its_own_code(
    run: tuple[str, Path, Path], other_checkout: Path
) -> None:
    _, _, kept = run
    for checkout in (ROOT, other_checkout):
        with compare.Answering(checkout, kept, int(LINES), int(ROUNDS)) as answering:
            assert answering.checkout == checkout
            assert [spent > 0 for spent in answering.spent("recent 50", 0)] == [True]


def test_revisions_are_compared_row_by_row(
    run: tuple[str, Path, Path],
    other_checkout: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, _, kept = run
    revision = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(revision, capture_output=True, check=True, text=True).stdout.strip()
    for name in ("here", commit):
        (tmp_path / name).symlink_to(kept)
    monkeypatch.setattr(
        compare, "extract", lambda _, to: shutil.copytree(other_checkout, to, dirs_exist_ok=True)
    )
    record = tmp_path / "records" / "record.json"
    options = [
        "--rounds",
        ROUNDS,
        "--keep",
        tmp_path,
        "--only",
        "recent,no such",
        "--record",
        record,
    ]
    done = CliRunner().invoke(compare.main, list(map(str, ["HEAD", LINES, *options])))
    assert not done.exception, done.output
    assert recorded(record)["revision"].startswith(commit)
    (row,) = recorded(record)["rows"]
    (rival,) = row["rivals"]
    assert (row["name"], rival["name"]) == ("recent 50", "HEAD")
    assert row["p50"] > 0
    assert rival["p50"] > 0
    assert "recent 50" in done.stdout


def test_databases_of_another_length_are_named(run: tuple[str, Path, Path], tmp_path: Path) -> None:
    _, _, kept = run
    (tmp_path / "here").symlink_to(kept)
    done = CliRunner().invoke(compare.main, ["HEAD", "2000", "--keep", str(tmp_path)])
    assert done.exit_code == 1
    assert f"{tmp_path}/here holds 1,000 lines. Name another folder." in done.stderr


def test_the_files_of_a_commit_are_extracted(tmp_path: Path) -> None:
    compare.extract("HEAD", tmp_path)
    assert (tmp_path / "terrarium_mcp" / "server.py").exists()


def test_a_revision_that_git_does_not_know_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(compare.main, ["of-no-such-name", "--keep", str(tmp_path)])
    assert done.exit_code == 1
    assert "Needed a single revision" in done.stderr
    assert not list(tmp_path.iterdir())


def test_only_the_same_questions_are_compared(run: tuple[str, Path, Path], tmp_path: Path) -> None:
    _, _, kept = run
    asked = recorded(kept / "questions.json")
    asked["lines"][0]["said_at"] = "2000-01-01 12:00:00"
    (tmp_path / "questions.json").write_text(json.dumps(asked), "utf-8")
    compare.check_questions(kept, tmp_path)
    asked["lines"][0]["text"] = "tea"
    (tmp_path / "questions.json").write_text(json.dumps(asked), "utf-8")
    with pytest.raises(ClickException, match="cannot be compared"):
        compare.check_questions(kept, tmp_path)


def test_what_no_name_holds_is_not_compared() -> None:
    assert compare.wanted("", ["recent 50", "two words"]) == ["recent 50", "two words"]
    assert compare.wanted("50,no", ["recent 50", "two words"]) == ["recent 50"]
    with pytest.raises(ClickException, match="They are: recent 50, two words"):
        compare.wanted("reading", ["recent 50", "two words"])


def test_every_goal_has_a_row(run: tuple[str, Path, Path]) -> None:
    _, record, _ = run
    goals = {row["name"] for row in recorded(record)["rows"] if row["goal"]}
    assert goals >= {
        "recent 50",
        "context of 21 lines",
        "the conversation around a line",
        "a page anywhere",
        "a page back over the seam",
        "a page onward over the seam",
        "stats of the biggest channel",
        "figures of a person",
        "figures of a common word",
        "figures of a very common word in the biggest channel",
        "figures of a channel in a month",
        "figures of a word in a month",
        "recent 50 beside a scan of all lines (wall)",
        "a rare word",
        "a medium word",
        "a common word",
        "a very common word",
        "two words",
        "a phrase",
        "a rare phrase",
        "a word in a channel",
        "a word of a nick",
        "a word of a type",
        "a word in 30 days",
        "the beginning of a word",
        "a piece from within a word",
        "a word with a letter wrong",
        "a word of Chinese",
        "a question, whole log",
        "a question in a channel",
        "a question under a view",
        "derived, without the words",
        "derived: words",
        "opening: more than empty (wall)",
        "a reader's memory",
        "start to the first tools/list (CPU)",
        "start to the first tools/list (wall)",
        "memory after the first tools/list",
        "one-hit search over stdio (server's CPU)",
        "recent 20 over stdio (server's CPU)",
        "figures over stdio (server's CPU)",
        "one-hit search over keep-alive HTTP (wall)",
        "recent 20 over keep-alive HTTP (wall)",
        "figures over keep-alive HTTP (wall)",
        "a line said alone (written)",
        "the whole file",
        "rebuild of all that is derived (CPU)",
        "question, answered at once: p95 (wall)",
        "question, after a search: p95 (wall)",
        "bulk append, with its pauses (wall)",
        "durable recording (wall)",
    }


def test_a_record_names_its_circumstances_and_no_machine(run: tuple[str, Path, Path]) -> None:
    _, record, kept = run
    told = recorded(record)
    assert told.keys() == {
        *("lines", "seed", "rounds", "date", "python", "sqlite", "cpus"),
        *("load before", "load after", "rows"),
    }
    assert (told["lines"], told["python"]) == (1000, platform.python_version())
    assert not [place for place in (ROOT, kept) if str(place) in f"{told}"]


def test_the_parts_of_a_question_are_rows(run: tuple[str, Path, Path]) -> None:
    _, record, _ = run
    found = {row["name"]: row["p50"] for row in recorded(record)["rows"]}
    for part in ("context", "model request", "tool calls", "first line"):
        assert found[f"after a search: {part} (wall)"] > 0
    assert "answered at once: tool calls (wall)" not in found
    for process in ("the bridge", "its MCP server"):
        assert found[f"answered at once: {process} (CPU)"] > 0


def test_every_search_has_the_rivals_beside_it_that_can_answer_it(
    run: tuple[str, Path, Path],
) -> None:
    _, record, _ = run
    beside = {
        row["name"]: [rival["name"] for rival in row["rivals"]] for row in recorded(record)["rows"]
    }
    assert beside["a rare word"] == ["LIKE", "bm25", "grep -iF"]
    assert beside["a word of a nick"] == ["LIKE", "bm25"]
    assert beside["a piece from within a word"] == ["LIKE", "grep -iF"]
    assert beside["a question, whole log"] == ["bm25"]


def test_the_rivals_find_the_lines_as_well(run: tuple[str, Path, Path]) -> None:
    bed = Bed(run[2], int(LINES), int(ROUNDS))
    line = next(line for line in bed.questions.lines if len(plain_words(line.text)) > 4)
    text = " ".join(line.text.split()[:4])
    with finders(bed) as rivals:
        assert [rival.find(Wanted([text], match([text]))) for rival in rivals] == [1, 1, 1]


def test_databases_that_were_kept_are_used_again(run: tuple[str, Path, Path]) -> None:
    kept = run[2]
    made = ["filled.json", "bm25.db", "log.txt"]
    before = [(kept / name).stat().st_mtime_ns for name in made]
    done = bench(LINES, "--rounds", ROUNDS, "--keep", kept, "--only", "searching")
    assert not done.exit_code, done.output
    assert [(kept / name).stat().st_mtime_ns for name in made] == before


def test_databases_of_another_size_are_refused(run: tuple[str, Path, Path]) -> None:
    kept = run[2]
    done = bench("2000", "--keep", kept)
    assert done.exit_code == 2
    assert f"{kept} holds 1,000 lines" in done.stderr


async def test_of_a_long_talk_a_part_is_rebuilt_and_the_rows_say_so(
    run: tuple[str, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuilding, "MOST", 400)
    rows = await rebuilding.rows(Bed(run[2], int(LINES), int(ROUNDS)))
    assert rows[0].name == "rebuild of all that is derived from 400 lines (CPU)"
    with closing(sqlite3.connect(run[2] / "part.db")) as db:
        assert db.execute("SELECT count(*) FROM messages").fetchone() == (400,)


def test_lines_in_chinese_leave_all_others_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> list[str]:
        words = Words(["tea", "mate"], [1, 2])
        english = Language(words, {"tea": Words(["mate"], [0.5])}, {"tea"}, words, words)
        vocabulary = Vocabulary(english, Words(["\u8336"], [1]))
        return [line.text for line in talk(1_000, ended=ENDED, vocabulary=vocabulary)]

    mixed = said()
    monkeypatch.setattr(corpus, "CHINESE", 0)
    replaced = [one for one, other in zip(mixed, said(), strict=True) if one != other]
    assert 1 <= len(replaced) <= 20
    assert {*"".join(replaced)} == {"\u8336"}


def test_words_are_as_frequent_as_in_english_and_follow_on_each_other_as_there() -> None:
    english = spoken().english
    rng = random.Random(7)  # noqa: S311 -- made-up talk
    lines = [line.split() for line in english.lines(rng, [10] * 30_000)]
    said = Counter(chain.from_iterable(lines))
    weights = dict(zip(english.alone.words, _single(english.alone), strict=True))
    for word in ("the", "to", "and", "of", "you", "they", "time"):
        share = weights[word] / english.alone.weights[-1]
        assert said[word] / said.total() == pytest.approx(share, rel=0.1), word
    pairs = Counter(chain.from_iterable(map(pairwise, lines)))
    counted = english.after["of"]
    share = dict(zip(counted.words, _single(counted), strict=True))["the"]
    assert pairs["of", "the"] / sum(n for (one, _), n in pairs.items() if one == "of") == (
        pytest.approx(share, rel=0.1)
    )
    for one, other in pairs:
        if one in english.common and other in english.common:
            assert other in english.after[one].words, (one, other)


def _single(words: Words) -> list[float]:
    return [high - low for low, high in pairwise([0.0, *words.weights])]


@given(st.randoms(use_true_random=False))
def test_a_plain_question_has_five_to_ten_words(rng: random.Random) -> None:
    line = Line("#tea", "ada", "green tea is best at four", "2026-05-01 16:00:00.000")
    assert 5 <= len(question_about(line, rng).split()) <= 10


def test_without_a_folder_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = bench("1000", "--rounds", ROUNDS, "--only", "size")
    assert not done.exit_code, done.output
    assert not [*tmp_path.iterdir()]
