"""`terrarium-mcp talk`: the last questions of the talk log, as tables or as they are."""

import os
from pathlib import Path

import pytest

from tests.cli.programs import ran

ONE = "terrarium-mcp talk --last"

LINE = (
    '{"time":"2026-11-22T18:00:00.5Z","id":"%s","network":"libera","channel":"#tea","model":"glm",'
    '"outcome":"answered","ms":100.0,"parts":[{"name":"queue","at":0.0,"ms":4.0},{"name":"model'
    ' request","at":4.0,"ms":90.0}],"rounds":0,"tokens":{"prompt":900,"completion":12,"estimated":'
    'true},"lines":1,"bytes":40}'
)


def log_of(folder: Path, *lines: str, name: str = "talk.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def test_the_last_question_is_shown_as_a_table(tmp_path: Path) -> None:
    path = log_of(tmp_path, LINE % "aaaaaa", LINE % "bbbbbb")
    for command in (ONE, "terrarium-mcp talk"):
        done = ran(command, at=tmp_path, TERRARIUM_TALK_LOG=path, TERRARIUM_TIMEZONE="Europe/Rome")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [
            "2026-11-22 19:00:00 libera/#tea bbbbbb: answered, 1 line (40 bytes)",
            "model glm, 0 rounds of tools with 0 calls, tokens: 900 sent, 12 received, estimated",
            "",
            " at     ms   share  part",
            "0.0    4.0    4.0%  queue",
            "4.0   90.0   90.0%  model request",
            "       6.0    6.0%  other",
            "     100.0  100.0%  in all",
        ]


def test_several_are_shown_oldest_first_and_json_is_the_raw_lines(tmp_path: Path) -> None:
    lines = [LINE % f"{number:06}" for number in range(2_000)]  # several blocks of the file
    path = log_of(tmp_path, *lines)
    done = ran("terrarium-mcp talk --last 1500 --json", "--file", path, at=tmp_path)
    assert done.stdout.splitlines() == lines[500:]
    done = ran("terrarium-mcp talk --last 2", "--file", "talk.jsonl", at=tmp_path)
    heads = [line for line in done.stdout.splitlines() if "libera/#tea" in line]
    assert [head.split()[3] for head in heads] == ["001998:", "001999:"]
    assert "\n\n2026" in done.stdout
    done = ran("terrarium-mcp talk --last 9999 --json", "--file", path, at=tmp_path)
    assert done.stdout.splitlines() == lines


@pytest.mark.parametrize(
    "bad",
    [
        '{"time": "2026',
        "",
        "[1, 2]",
        LINE.replace("100.0", "NaN"),
        LINE.replace("100.0", "-1"),
        LINE.replace("answered", "pwned"),
        '{"parts":' + "[" * 5_000,
        "\udcff\udcfe",
    ],
)
def test_lines_that_are_none_are_skipped_and_counted(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "talk.jsonl"
    lines = [LINE % "aaaaaa", bad, LINE % "bbbbbb", bad]
    path.write_bytes(os.fsencode("\n".join(lines)))
    done = ran("terrarium-mcp talk --last 2", "--file", path, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("libera/#tea") == 2
    counted = f"WARNING 2 lines in {path} skipped: not from a talk log\n" if bad else ""
    assert done.stderr == counted


def test_without_a_log_it_says_which_setting_switches_it_on(tmp_path: Path) -> None:
    done = ran(ONE, at=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "No talk log is kept. Set TERRARIUM_TALK_LOG to a file, such as" in done.stderr
    done = ran(ONE, at=tmp_path, TERRARIUM_TALK_LOG="talk.jsonl")
    assert done.returncode == 1
    assert "There is no talk log talk.jsonl. The bridge makes it with the first" in done.stderr
    done = ran(ONE, at=tmp_path, TERRARIUM_TALK_LOG="logs/talk.jsonl")
    assert "There is no folder logs for the talk log talk.jsonl. Make it: " in done.stderr


def test_a_log_without_a_question_and_one_that_cannot_be_read_are_told_apart(
    tmp_path: Path,
) -> None:
    path = log_of(tmp_path)
    assert f"There is no question in {path} yet." in ran(ONE, "--file", path, at=tmp_path).stderr
    done = ran(ONE, "--file", tmp_path, at=tmp_path)
    assert done.returncode == 1
    assert f"{tmp_path} cannot be read: Is a directory." in done.stderr


def test_a_path_in_a_settings_file_counts_from_that_file(tmp_path: Path) -> None:
    log_of(tmp_path, LINE % "cccccc")
    (tmp_path / ".env").write_text("TERRARIUM_TALK_LOG=talk.jsonl\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = ran(ONE, "--env-file", tmp_path / ".env", at=elsewhere)
    assert "cccccc" in done.stdout, done.stderr


def test_the_number_must_be_one(tmp_path: Path) -> None:
    done = ran("terrarium-mcp talk --last 0", at=tmp_path)
    assert done.returncode == 2
    assert "--last" in done.stderr
