"""Persona files: what can be read, what is refused and how it is named."""

import os
from pathlib import Path

import pytest

from terrarium_mcp.settings.personas import MOST_PERSONA, read_persona

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "personas").iterdir())


def refusal(file: Path) -> str:
    with pytest.raises(ValueError, match=file.name) as refused:
        read_persona(file)
    return str(refused.value)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_every_example_can_be_used(file: Path) -> None:
    text = read_persona(file).text
    assert "{nick}" in text
    assert "{channel}" in text
    assert len(text) < 1_000


def test_there_are_the_three_examples_that_the_page_describes() -> None:
    page = (EXAMPLES[0].parents[1] / "personas.md").read_text("utf-8")
    assert len(EXAMPLES) == 3
    assert all(f"(personas/{file.name})" in page for file in EXAMPLES)


def test_the_text_is_what_the_file_says_without_its_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "host.txt"
    file.write_bytes("\ufeff\nDu bist {nick}.\r\nSei freundlich: \U0001f375\n\n".encode())
    assert read_persona(file).text == "Du bist {nick}.\r\nSei freundlich: \U0001f375"


@pytest.mark.parametrize("letter", ["a", "\U0001f375"])
def test_the_longest_persona_is_counted_in_characters(tmp_path: Path, letter: str) -> None:
    file = tmp_path / "long.txt"
    file.write_text("\ufeff" + letter * MOST_PERSONA, "utf-8")
    assert len(read_persona(file).text) == MOST_PERSONA
    file.write_text("\ufeff" + letter * (MOST_PERSONA + 1), "utf-8")
    assert refusal(file) == f"{file} has more than 2,000 characters. Shorten it"


def test_a_file_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path) -> None:
    missing, empty, latin, blanks = (tmp_path / f"{name}.txt" for name in "abcd")
    empty.touch()
    latin.write_bytes("Gast\xe4".encode("latin-1"))
    blanks.write_text(" \n\t\n")
    assert refusal(missing) == f"there is no file {missing}. Name one that exists"
    assert refusal(latin) == f"{latin} is not UTF-8. Save it as UTF-8"
    for file in (empty, blanks):
        assert "is empty. Write into it who the bot is" in refusal(file)


def test_what_is_no_file_is_refused_at_once_and_not_waited_for(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for one in (pipe, folder, Path("/dev/zero")):
        assert refusal(one) == f"there is no file {one}. Name one that exists"


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    assert "x" * 300 in refusal(tmp_path / ("x" * 300))
