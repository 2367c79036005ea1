"""What English adds: other forms, kindred words, and words that tell nothing."""

import pytest

from terrarium_mcp.chat.english.words import (
    IRREGULAR,
    KINDRED,
    is_asking_word,
    is_everyday_word,
    is_stop_word,
    related_words,
    stem,
    word_forms,
)


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
    found = set(word_forms(word))
    assert found >= {word} | others
    assert {stem(one) for one in found} == {stem(word)}


@pytest.mark.parametrize("word", ["", "7", "東", "x" * 10_000, "\U000f0001"])
def test_what_is_no_english_word_is_its_own_only_form(word: str) -> None:
    assert set(word_forms(word)) <= {word, *(word + end for end in ("s", "ed", "ing", "e"))}


def test_a_stop_word_is_no_form_of_another_word() -> None:
    assert stem("dos") == stem("do")
    assert "dos" in word_forms("dos")
    assert not {"do", "does", "doing"} & set(word_forms("dos"))
    assert "do" in word_forms("do")


def test_irregular_forms_and_kindred_words_stand_in_for_each_other() -> None:
    assert related_words("went")["go"] == IRREGULAR
    assert related_words("bikes")["bicycle"] == KINDRED
    assert "bike" not in related_words("bike")
    assert related_words("xyzzy") == {}


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("elevator", "lift"),
        ("vpn", "wireguard"),
        ("vulnerabilities", "cve"),
        ("swapped", "replace"),
        ("holidays", "vacation"),
    ],
)
def test_two_words_for_one_thing_are_kindred(word: str, other: str) -> None:
    assert related_words(word)[other] == KINDRED


@pytest.mark.parametrize("word", ["the", "what", "say", "don't", "anyone"])
def test_stop_words_tell_nothing(word: str) -> None:
    assert is_stop_word(word)


def test_other_words_tell() -> None:
    assert not is_stop_word("deploy")


def test_a_word_of_thirty_letters_has_forms_and_a_longer_one_has_none() -> None:
    assert len(word_forms("a" * 30)) > 1
    assert word_forms("a" * 31) == ("a" * 31,)


@pytest.mark.parametrize(
    ("word", "form"),
    [
        *[("tea", "teas"), ("box", "boxes"), ("like", "liked"), ("walk", "walked")],
        *[("walk", "walking"), ("build", "buildings"), ("run", "running"), ("happy", "happily")],
        *[("reply", "replies"), ("reply", "replied"), ("quick", "quickly"), ("dark", "darkness")],
        *[("deploy", "deployment"), ("deploy", "deployments"), ("adjust", "adjustable")],
        *[("connect", "connection"), ("connect", "connections"), ("help", "helpful")],
        *[("arrive", "arrival"), ("happy", "happiness")],
    ],
)
def test_usual_endings_are_forms_where_the_stem_stays(word: str, form: str) -> None:
    assert (form in word_forms(word)) is (stem(form) == stem(word))


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("connect", "connects connected connecting connection connections"),
        ("walk", "walks walked walking walkings"),
        ("adjust", "adjustable adjustment adjustments adjuster adjusters"),
        ("hope", "hoped hoping hopeful hopes"),
        ("dark", "darkness"),
        ("tidy", "tidied tidies tidying tidy"),
        ("stop", "stopped stopper stopping"),
    ],
)
def test_forms_of_english_words(word: str, others: str) -> None:
    same_stem = {other for other in others.split() if stem(other) == stem(word)}
    assert len(same_stem) >= len(others.split()) - 2
    assert same_stem <= set(word_forms(word))


def test_weights_of_stand_ins() -> None:
    assert (IRREGULAR, KINDRED) == (0.5, 0.3)
    assert related_words("mom")["mother"] == related_words("moms")["mother"] == KINDRED
    assert related_words("gone") == {"go": 0.5, "goes": 0.5, "went": 0.5, "going": 0.5}


@pytest.mark.parametrize("word", ["summer", "red", "ubuntu", "mark", "will"])
def test_some_words_are_nicks_as_well(word: str) -> None:
    assert is_everyday_word(word)


@pytest.mark.parametrize("word", ["alice", "karlheg", "", "xyzzy"])
def test_a_name_is_no_everyday_word(word: str) -> None:
    assert not is_everyday_word(word)


def test_words_of_asking_say_how_something_was_said() -> None:
    assert is_asking_word("recommend")
    assert is_asking_word("according")
    assert is_asking_word("thinks")
    assert is_asking_word("wanted")
    assert not is_asking_word("deploy")
