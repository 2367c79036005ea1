"""Names compare as the network's CASEMAPPING says."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import fold, is_channel, is_spelt_alike


def test_rfc1459_folds_brackets_and_the_tilde() -> None:
    assert fold("#Tea[\\]~") == fold("#tEA{|}^") == "#tea{|}^"


def test_other_mappings_fold_less() -> None:
    assert fold("A[\\]~", "ascii") == "a[\\]~"
    assert fold("A[\\]~", "strict-rfc1459") == "a{|}~"
    assert fold("\u00c4\u1e9e", "rfc7613") == "\u00e4ss"
    assert fold("\u00c4") == "\u00c4"  # no IRC server folds it under rfc1459


@given(st.text(), st.sampled_from(["ascii", "strict-rfc1459", "rfc1459", "unknown"]))
def test_folding_what_is_folded_changes_nothing(name: str, casemapping: str) -> None:
    assert fold(fold(name, casemapping), casemapping) == fold(name, casemapping)


@given(st.text(string.printable), st.sampled_from(["ascii", "strict-rfc1459", "rfc1459"]))
def test_other_letters_beside_it_do_not_change_how_a_character_folds(
    name: str, casemapping: str
) -> None:
    assert fold(f"{name}\u00c4", casemapping) == f"{fold(name, casemapping)}\u00c4"


def test_mappings_differ_in_brackets_and_beyond_ascii() -> None:
    assert is_spelt_alike("Ada_-`1", ["rfc1459", "ascii", "strict-rfc1459"])
    assert is_spelt_alike("bo[]", ["rfc1459"])
    assert not is_spelt_alike("bo[]", ["rfc1459", "ascii"])
    assert not is_spelt_alike("kim", ["rfc7613"])  # the Kelvin sign is a k there
    assert not is_spelt_alike("\u00c4nn", ["rfc1459"])


@pytest.mark.parametrize(
    ("target", "public"),
    [
        ("#tea", True),
        ("&tea", True),
        ("+tea", True),
        ("!12345tea", True),
        ("##tea", True),
        ("ada", False),
        ("", False),
        ("@#tea", False),
        (" #tea", False),
    ],
)
def test_what_begins_with_no_prefix_is_a_person(target: str, public: bool) -> None:
    assert is_channel(target) is public


@pytest.mark.parametrize("casemapping", ["ascii", "strict-rfc1459", "rfc1459"])
def test_all_ascii_letters_fold_and_other_signs_stay(casemapping: str) -> None:
    assert fold(string.ascii_uppercase, casemapping) == string.ascii_lowercase
    assert fold("0-9_`", casemapping) == "0-9_`"


def test_rfc1459_is_what_a_server_has_that_does_not_say() -> None:
    assert fold("~") == fold("^") == "^"
    assert fold("~", "strict-rfc1459") == "~"


@pytest.mark.parametrize("char", "[]\\~{}|^")
def test_every_disputed_character_makes_mappings_differ(char: str) -> None:
    assert not is_spelt_alike(f"a{char}", ["rfc1459", "ascii"])
    assert is_spelt_alike(f"a{char}", ["rfc1459", "rfc1459"])


def test_a_name_without_any_network_is_spelt_alike() -> None:
    assert is_spelt_alike("ada", [])
