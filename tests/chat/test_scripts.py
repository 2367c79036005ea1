"""The scripts that are written without blanks, as Unicode counts their letters."""

import re
import sys

import regex

from terrarium_mcp.chat.scripts import RUN_TOGETHER

SCRIPTS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
SHARED = regex.compile(r"\p{Common}")  # by several of them, as the sign that makes a vowel long


def test_every_letter_of_these_scripts_is_one_and_none_of_another_script() -> None:
    letters = "".join(re.findall(r"\w", "".join(map(chr, range(sys.maxunicode + 1)))))
    given = {*re.findall(f"[{RUN_TOGETHER}]", letters)}
    wanted = {*SCRIPTS.findall(letters)}
    assert wanted <= given
    assert not [char for char in given - wanted if not SHARED.match(char)]
