"""Words that others write as two, and two words that others write as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.store.search.compounds import MOST_SPLITS, as_one_word, as_two_words


@pytest.mark.parametrize(
    ("word", "pairs"),
    [
        ("addon", ["ad don", "add on"]),
        ("burnout", ["bur nout", "burn out", "bu rnout", "burno ut"]),
        ("utf8", ["utf 8"]),
        ("x220", ["x 220"]),
        ("foo", []),
        ("init", []),  # no "in it"
        ("isin", []),
        ("login", ["lo gin", "log in"]),
        ("a" * 31, []),
        ("add on", []),
        ("11.04", []),
    ],
)
def test_a_word_is_split_near_its_middle_or_between_letters_and_digits(
    word: str, pairs: list[str]
) -> None:
    assert as_two_words(word) == pairs


@given(st.text())
def test_any_word_is_split_a_few_times(word: str) -> None:
    pairs = as_two_words(word)
    assert len(pairs) <= MOST_SPLITS
    assert all(pair.replace(" ", "", 1) == word for pair in pairs)


def test_two_neighbours_are_joined_unless_one_is_a_stop_word() -> None:
    words = words_in("is it in the front matter 3? log in, with out a 3")
    assert as_one_word(words) == {
        "frontmatter": ("front", "matter"),
        "matter3": ("matter", "3"),
        "3log": ("3", "log"),
    }
