"""A history without a line: its operator reads where it is and how it is filled, on stderr."""

from pathlib import Path

from tests.cli.programs import ran

HOW = (
    "Nothing is recorded yet in {}. Run `terrarium-mcp bridge` to record the channels of"
    " IRC_CHANNELS, or set DB_PATH to a terrarium-irc database."
)


def test_a_server_without_history_says_on_stderr_how_it_is_filled(tmp_path: Path) -> None:
    done = ran("terrarium-mcp serve", at=tmp_path, DB_PATH=tmp_path / "irc_logs.db")
    assert HOW.format(tmp_path / "irc_logs.db") in done.stderr
    assert not done.stdout
    assert done.returncode == 0


def test_a_search_in_no_history_says_how_it_is_filled(tmp_path: Path) -> None:
    ran("terrarium-mcp serve", at=tmp_path, DB_PATH=tmp_path / "irc_logs.db")
    done = ran("terrarium-mcp search tea", at=tmp_path, DB_PATH=tmp_path / "irc_logs.db")
    assert HOW.format(tmp_path / "irc_logs.db") in done.stderr
    assert done.returncode == 1


def test_a_server_with_history_says_nothing_of_it(history: Path) -> None:
    done = ran("terrarium-mcp serve", at=history.parent, DB_PATH=history)
    assert "Nothing is recorded" not in done.stderr
