"""Between the lines of the protocol nothing is said on stdout, and nothing breaks it."""

import json
import os
import pty
import subprocess
from pathlib import Path

from tests.patience import PATIENCE
from tests.serving.processes import INITIALIZE, StdioHouse, call, house_words


def test_stray_output_goes_to_stderr_and_stray_input_finds_nothing(
    stdio_house: StdioHouse,
) -> None:
    stdio_house.send(call(1, "stray"))
    answer = stdio_house.read()
    assert answer["result"]["content"][0]["text"] == "stdin: b''"
    stdio_house.hang_up()
    assert stdio_house.read_some(100) == b""
    said = stdio_house.wait().said
    assert "a child process talks" in said
    assert "somebody debugs" in said


def test_a_large_answer_arrives_in_one_line(stdio_house: StdioHouse) -> None:
    large = "more than a pipe holds " * 100_000
    stdio_house.send(call(1, "echo", text=large))
    assert stdio_house.read()["result"]["content"][0]["text"] == large


def test_a_regular_file_is_served_too(tmp_path: Path) -> None:
    questions = tmp_path / "questions"
    questions.write_text(json.dumps(INITIALIZE) + "\n")
    with questions.open() as stdin:
        done = subprocess.run(
            house_words(tmp_path / "ledger", "stdio"),
            stdin=stdin,
            capture_output=True,
            check=True,
            timeout=PATIENCE,
        )
    assert json.loads(done.stdout)["id"] == 0


def test_a_terminal_is_served_and_given_back_as_it_was(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    house = subprocess.Popen(
        house_words(tmp_path / "ledger", "stdio"),
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.write(ours, json.dumps(INITIALIZE).encode() + b"\n")
    seen = b""
    while b'"result"' not in seen:
        seen += os.read(ours, 4096)
    os.write(ours, b"\x04")  # what Ctrl-D sends
    assert house.wait(PATIENCE) == 0
    assert os.get_blocking(theirs)
    os.close(ours)
    os.close(theirs)


def test_what_keeps_the_lifespan_from_starting_is_seen_as_itself(tmp_path: Path) -> None:
    a_folder = tmp_path
    done = subprocess.run(
        house_words(a_folder, "stdio"),
        input=b"",
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    last_line = done.stderr.decode().splitlines()[-1]
    assert last_line.startswith("IsADirectoryError")
