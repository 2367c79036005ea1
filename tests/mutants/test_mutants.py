"""The tester tells a test that bites from one that does not, in a project of a few lines."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import equivalent
from tests.mutants.mutants import Mutant, all_of, draw
from tests.mutants.report import Score, write
from tests.mutants.rooms import ROOMS
from tests.mutants.running import NotGreen, Verdict, run
from tests.mutants.sql import is_sql, sql_mutations
from tests.mutants.worker import PYTEST

ROOT = Path(__file__).parents[2]
SHOP = "terrarium_mcp/shop.py"
SOURCE = '''"""A shop."""
import logging
log = logging.getLogger("shop")
LEAST = 3


def is_enough(count: int) -> bool:
    log.info("somebody asks for %s", count)
    return count >= LEAST


def unheard() -> str:
    return "never called"
'''
TESTS = """
import subprocess, sys
from terrarium_mcp.shop import is_enough

def test_much_is_enough_and_little_is_not():
    assert is_enough(9)
    assert not is_enough(0)

def test_a_child_process_sees_it_too():
    asking = "from terrarium_mcp import shop; raise SystemExit(0 if shop.LEAST else 7)"
    assert subprocess.run([sys.executable, "-c", asking]).returncode == 0
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A package of the same name as ours, its tests, and the tester."""
    root = tmp_path / "project"
    for name, text in {
        "terrarium_mcp/__init__.py": "",
        SHOP: SOURCE,
        "tests/test_shop.py": TESTS,
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\n'
        'pythonpath = ["."]\nfilterwarnings = ["error"]\n',
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "tests" / "mutants").symlink_to(ROOT / "tests" / "mutants")
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def verdicts(root: Path, of: str = "") -> dict[str, str]:
    """What became of each mutant, or of those of a text: each takes half a second of CPU."""
    mutants = [one for one in all_of(root, [SHOP]) if of in one.after]
    told = run(root, mutants, ["tests/test_shop.py"], processes=1, tell=lambda _: None)
    return {one.mutant.after.strip(): one.verdict for one in told}


def test_our_own_suite_starts_as_the_tester_starts_it() -> None:
    listed = [*PYTEST, "--collect-only", "tests/test_policy.py"]
    command = [sys.executable, "-m", "pytest", *listed]
    told = subprocess.run(command, check=False, cwd=ROOT, capture_output=True)
    assert told.returncode == 0, told.stderr.decode()


def test_what_a_test_notices_is_killed_and_what_none_notices_survives(shop: Path) -> None:
    told = verdicts(shop)
    assert told["LEAST = None"] == "killed"
    assert told["return count > LEAST"] == "survived"
    assert told["LEAST = 4"] == "survived"
    assert told['return "XXnever calledXX"'] == "survived"
    assert not any("somebody" in after for after in told)


def test_a_child_process_of_a_test_runs_the_mutant(shop: Path) -> None:
    tests = shop / "tests" / "test_shop.py"
    tests.write_text(TESTS.replace("if shop.LEAST else", "if shop.LEAST == 3 else"))
    assert verdicts(shop, "LEAST = 4") == {"LEAST = 4": "killed"}


def test_what_never_ends_is_killed_by_its_time(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutants.running.LEAST", 1.0)
    (shop / SHOP).write_text(SOURCE + "\ndef wait() -> None:\n    while not True: pass\n")
    tests = "from terrarium_mcp.shop import wait\ndef test_it_ends(): wait()\n"
    (shop / "tests" / "test_shop.py").write_text(tests)
    assert verdicts(shop, "while True") == {"while True: pass": "timeout"}


def test_tests_that_fail_by_themselves_judge_nothing(shop: Path) -> None:
    (shop / "tests" / "test_shop.py").write_text("def test_no(): assert False")
    with pytest.raises(NotGreen, match="test_no"):
        verdicts(shop)


def test_a_mutant_belongs_to_every_line_of_its_statement_and_to_none_of_its_body(
    shop: Path,
) -> None:
    (shop / SHOP).write_text(
        "def f(a):\n    match a + \\\n      1:\n        case 5:\n            g(\n             7)\n"
    )
    lines = {one.after.strip(): (one.line, one.lines) for one in all_of(shop, [SHOP])}
    assert lines["match a - 1:"] == (2, range(2, 4))
    assert lines["8)"] == (6, range(5, 7))


def test_the_same_seed_draws_the_same_mutants_and_another_draws_others(shop: Path) -> None:
    one = draw(shop, [SHOP], 4, "a")
    assert one == draw(shop, [SHOP], 4, "a") != draw(shop, [SHOP], 4, "b")
    assert len(one) == 4


def verdict(after: str, said: str) -> Verdict:
    mutant = Mutant("a.py", "f", 3, range(3, 4), "    x = 1", after, after)
    return Verdict(mutant, said, "", 0.0)


def test_the_score_counts_the_equivalent_neither_way(tmp_path: Path) -> None:
    told = [verdict("    x = 2", "killed"), verdict("    x = 3", "timeout")]
    told += [verdict("    x = 4", "survived"), verdict("    x = 5", "survived")]
    block = equivalent.written(told[3].mutant, "nobody reads x")
    (tmp_path / "room.toml").write_text(block.replace("    x", "        x"))
    score = Score.counted("room", told, equivalent.read(tmp_path / "room.toml"), 60.0)
    assert f"{score}" == "66.7% killed (2 of 4, 1 by time, 1 equivalent, 1 survived), 1.0 min"
    assert not score.is_good
    write(tmp_path / "room.md", score, commit="c0ffee", seed="7")
    report = (tmp_path / "room.md").read_text()
    assert "# Mutants of the room room\n\n66.7% killed; the goal is 85%" in report
    assert "Drawn at commit `c0ffee` by the seed `7`, run in 1 minutes." in report
    assert "| 4 | 2 | 1 | 1 | 1 |" in report
    survivors, _, marked = report.partition("## Equivalent")
    assert "`a.py:3` f\n```diff\n-     x = 1\n+     x = 4\n```" in survivors
    assert "+     x = 5\n```\n\nnobody reads x" in marked


def test_sql_is_changed_where_people_err() -> None:
    statement = "SELECT min(id) FROM lines WHERE id <= :last AND room = :room ORDER BY id DESC"
    assert set(sql_mutations(statement)) == {
        statement.replace("min", "max"),
        statement.replace("<=", "<"),
        statement.replace("AND", "OR"),
        statement.replace("= :room", "!= :room"),
        statement.replace("DESC", "ASC"),
    }
    assert "\nWHERE a = 1\n" in set(sql_mutations("\nWHERE a = 1\n  AND b = 2\n"))
    assert not is_sql("the room and the line are where you left them")


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_room_is_where_the_table_says_and_its_equivalents_have_reasons(room: object) -> None:
    from tests.mutants.rooms import Room

    assert isinstance(room, Room)
    assert room.files(ROOT)
    assert all((ROOT / path.removeprefix("--ignore=")).exists() for path in room.tests)
    marked = equivalent.read(equivalent.FOLDER / f"{room.name}.toml")
    for change, reason in marked.items():
        assert reason.strip()
        assert change.path in room.files(ROOT)
