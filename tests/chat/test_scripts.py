"""The scripts that are written without blanks, as Unicode counts their letters."""

import re
import sys

import regex

from terrarium_mcp.chat.scripts import RUN_TOGETHER

LETTERS = [char for char in map(chr, range(sys.maxunicode + 1)) if re.match(r"\w", char)]
SCRIPTS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
SHARED = regex.compile(r"\p{Common}")  # by several of them, as the sign that makes a vowel long


def test_every_letter_of_these_scripts_is_one_and_none_of_another_script() -> None:
    given = {char for char in LETTERS if re.match(f"[{RUN_TOGETHER}]", char)}
    wanted = {char for char in LETTERS if SCRIPTS.match(char)}
    assert wanted <= given
    assert not [char for char in given - wanted if not SHARED.match(char)]
