"""What English adds: other forms, kindred words, and words that tell nothing."""

import pytest

from terrarium_mcp.chat.english import IRREGULAR, KINDRED, forms, is_stop_word, kindred, stem


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("deploy", {"deploys", "deployed", "deploying"}),
        ("replies", {"reply", "replied", "replying"}),
        ("stopped", {"stop", "stops", "stopping"}),
        ("making", {"make", "makes"}),
    ],
)
def test_a_word_has_other_forms(word: str, others: set[str]) -> None:
    found = set(forms(word))
    assert found >= {word} | others
    assert {stem(one) for one in found} == {stem(word)}


@pytest.mark.parametrize("word", ["", "7", "東", "x" * 10_000, "\U000f0001"])
def test_what_is_no_english_word_is_its_own_only_form(word: str) -> None:
    assert set(forms(word)) <= {word, *(word + end for end in ("s", "ed", "ing", "e"))}


def test_irregular_forms_and_kindred_words_stand_in_for_each_other() -> None:
    assert kindred("went")["go"] == IRREGULAR
    assert kindred("bikes")["bicycle"] == KINDRED
    assert "bike" not in kindred("bike")
    assert kindred("xyzzy") == {}


@pytest.mark.parametrize("word", ["the", "what", "say", "don't", "anyone"])
def test_stop_words_tell_nothing(word: str) -> None:
    assert is_stop_word(word)


def test_other_words_tell() -> None:
    assert not is_stop_word("deploy")
