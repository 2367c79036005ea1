"""`terrarium-mcp search`: the tool's own answer, and why."""

from pathlib import Path

import pytest

from tests.cli.conftest import SAID
from tests.cli.programs import ran
from tests.store.scene import write

SEARCH = "terrarium-mcp search"
EXPLAIN = "terrarium-mcp search --explain"


def test_it_prints_what_the_tool_answers(ours: Path) -> None:
    done = ran(f"{SEARCH} garden gate", "--db", ours, at=ours.parent)
    assert done.returncode == 0, done.stderr
    assert "search garden gate: 1 of 1 hit in #tea (all words, by relevance)" in done.stdout
    assert f"<ada> {SAID}" in done.stdout
    assert "rung:" not in done.stdout


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "mistyped" / "irc_logs.db"
    done = ran(f"{SEARCH} garden gate", "--db", path, at=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"terrarium-mcp: There is no database {path}. Name one with")
    assert not list(tmp_path.iterdir())


def test_it_explains_what_it_found(ours: Path) -> None:
    done = ran(f"{EXPLAIN} what did bo mend yesterday", "--db", ours, at=ours.parent)
    assert done.returncode == 0, done.stderr
    why, _, answer = done.stdout.partition("\n\n")
    told = why.splitlines()
    assert told[0] == "query: what did bo mend yesterday"
    assert told[1].startswith("note: yesterday is after:20")
    assert told[1].endswith(": nothing was said here then, so any hits are of other times")
    assert [line.partition(" (")[0] for line in told[2:4]] == [
        "rung: all words: 0 lines",
        "rung: any word: 1 line",
    ]
    assert any(line.startswith("time: 'yesterday' is ") for line in told)
    assert "word: mend: in 1 line; also mended 0.8" in told
    assert any("look-up:    1 line " in line and '"mended"' in line for line in told)
    assert any(
        line.startswith(" 1. 1 <ada> ") and "words here and close by" in line for line in told
    )
    assert f"<ada> {SAID}" in answer


def test_an_explanation_names_nicks_and_channels_and_the_words_that_stood_in(ours: Path) -> None:
    done = ran(f"{EXPLAIN} from:ada in:#tea gaet", "--db", ours, at=ours.parent)
    why = done.stdout.partition("\n\n")[0].splitlines()
    assert "rung: similar words: 1 line" in "\n".join(why)
    assert "word: gaet: also gate" in why
    assert why[-1].startswith(" 1. 1 <ada> ")
    assert "words here and close by" in why[-1]
    write(ours, "INSERT INTO messages (channel, nick, message) VALUES ('#mate', 'cy', 'gate')")
    done = ran(f"{EXPLAIN} in:#tea from:ada gate mended fence", "--db", ours, at=ours.parent)
    looks = [line for line in done.stdout.splitlines() if line.startswith("look-up:")]
    assert looks
    assert all('"#tea"' in line and '"ada"' in line for line in looks)
    assert "#mate" not in done.stdout


def test_an_explanation_says_which_lines_hold_all_words(ours: Path) -> None:
    write(ours, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'cy', 'a gate')")
    done = ran(f"{EXPLAIN} garden gate", "--db", ours, at=ours.parent)
    (first,) = [line for line in done.stdout.splitlines() if line.startswith(" 1. ")]
    assert "it holds all words; " in first
    assert "(1 with all words, then any word, by relevance)" in done.stdout


def test_its_options_narrow_and_order_what_it_shows(ours: Path) -> None:
    write(ours, "INSERT INTO messages (channel, nick, message) VALUES ('#mate', 'cy', 'gate')")
    done = ran(
        f"{SEARCH} --channel #mate --sort oldest --limit 1 gate", "--db", ours, at=ours.parent
    )
    assert "1 of 1 hit in #mate (all words, oldest first)" in done.stdout


@pytest.fixture
def mugs(ours: Path) -> Path:
    """That history, with 101 more lines about mugs."""
    for n in range(101):
        mug = "INSERT INTO messages (channel, nick, message, timestamp) VALUES ('#tea', 'cy', ?, ?)"
        write(ours, mug, [f"mug {n}", f"2026-11-05 14:{n % 60:02}:00.000"])
    return ours


def last_line(mugs: Path, *query: str) -> str:
    """The last line of a search."""
    done = ran(SEARCH, *query, "--db", mugs, at=mugs.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_it_ends_with_what_shows_more_in_a_shell(mugs: Path) -> None:
    for query in ("mug", "mug's", "from:cy"):
        assert last_line(mugs, query) == "more: --limit 100"
        most = last_line(mugs, query, "--limit", "100")
        assert most == "more hits than one answer shows: narrow the query"
    assert last_line(mugs, "garden gate").startswith("[/irc ")


def test_what_is_not_there_is_said_without_a_traceback(ours: Path) -> None:
    done = ran(f"{SEARCH} --channel #nowhere gate", "--db", ours, at=ours.parent)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("terrarium-mcp: No channel")


def test_control_codes_of_strangers_do_not_reach_the_terminal(ours: Path) -> None:
    write(
        ours,
        "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'x', ?)",
        ["gate \x1b[31mred\x07"],
    )
    done = ran(f"{EXPLAIN} \x1b[31mred gate", "--db", ours, at=ours.parent)
    assert "red" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


def test_a_word_to_exclude_may_begin_the_query(ours: Path) -> None:
    write(ours, "INSERT INTO messages (channel, nick, message) VALUES ('#tea', 'cy', 'a gate')")
    done = ran(f"{SEARCH} -heater -latch --limit 5 gate", "--db", ours, at=ours.parent)
    assert done.returncode == 0, done.stderr
    assert "<cy> a gate" in done.stdout
    assert SAID not in done.stdout
    done = ran(f"{SEARCH} -latch", "--db", ours, at=ours.parent)
    assert "<cy> a gate" in done.stdout
    assert SAID not in done.stdout


def test_options_are_still_options_and_mistyped_ones_are_refused(ours: Path) -> None:
    done = ran(f"{SEARCH} --limt=5 gate", "--db", ours, at=ours.parent)
    assert done.returncode == 2
    assert "--limt" in done.stderr
    assert "--limit" in done.stderr.splitlines()[-1]
    assert ran(f"{SEARCH} -h", at=ours.parent).stdout.startswith("Usage: ")
    for forgotten in ("gate --limit", "--limit -- gate", "gate --limit --explain", "gate --db"):
        done = ran(f"{SEARCH} {forgotten}", at=ours.parent)
        assert done.returncode == 2
        assert done.stderr.endswith("requires an argument.\n")
    done = ran(SEARCH, "--limit=1", "--db", ours, "--", "--rebuild", "gate", at=ours.parent)
    assert done.returncode == 0, done.stderr
    assert 'search "--rebuild gate"' in done.stdout or "search --rebuild gate" in done.stdout


def test_a_mistyped_operator_is_said_to_be_text(ours: Path) -> None:
    done = ran(f"{SEARCH} gate frmo:ada", "--db", ours, at=ours.parent)
    assert "note: frmo: is not an operator; did you mean from:?" in done.stdout


@pytest.mark.parametrize("query", ["zzzyx", "a-b c", "h[i", "zzzyx-q qqqv"])
def test_a_search_that_finds_nothing_is_explained(query: str, ours: Path) -> None:
    done = ran(EXPLAIN, query, "--db", ours, at=ours.parent)
    assert done.returncode == 0, done.stderr
    assert f"query: {query}\nrung: all words: 0 lines" in done.stdout
    assert "rung: similar words: 0 lines" in done.stdout
