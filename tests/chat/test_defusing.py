"""A name that is read as before, and highlights nobody."""

import re
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.defusing import JOINER, NO_ONE_HERE, Unaddressed, defused_name
from terrarium_mcp.chat.identity import NICK_CHARACTERS, fold

TEA = Unaddressed(frozenset(map(fold, ["ada", "Bo", "[cy]", "x", "d\u00e9j\u00e0"])), fold)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ask Ada or bo, they know", "ask A.da or b.o, they know"),
        ("ada: yes; (bo) [ada] {Bo}", "a.da: yes; (b.o) [a.da] {B.o}"),
        ("[cy] and {CY}", "[.cy] and {.CY}"),
        ("@ada, +bo", "@a.da, +b.o"),
        ("adamant boat x-ray ada's", "adamant boat x-ray a.da's"),
        ("x", "x"),
        ("d\u00e9j\u00e0 vu", "d.\u00e9j\u00e0 vu"),
        ("https://bo.example/ada?by=bo www.ada.example", None),
        ("ada!u@h bo@example.org --user=ada /home/ada ~/ada ./bo/ada", None),
        ("nobody here", None),
    ],
)
def test_names_are_defused_and_links_stay(text: str, shown: str | None) -> None:
    assert TEA.defused(text).replace(JOINER, ".") == (text if shown is None else shown)


_AS_IT_IS_MEANT = re.compile(
    rf"(?P<intact>\S*://\S*|[^\s@]+@\S+|\S+=\S*|(?<!\S)(?:www\.|[.~]*/)\S+)"
    rf"|(?P<word>[{NICK_CHARACTERS}]+)"
)
"""What stays intact, and what is a word, in the plain pattern, which takes quadratic time."""


@given(
    st.lists(
        st.sampled_from(["ada", "Bo", "[cy]", "x", *"@@=:/.~<_-[ \n\xa0", "://", "www."]),
        max_size=12,
    ).map("".join)
)
def test_links_hostmasks_options_and_paths_stay_wherever_they_begin(text: str) -> None:
    def meant(found: re.Match[str]) -> str:
        return found[0] if found["intact"] is not None else TEA.defused(found["word"])

    assert TEA.defused(text) == _AS_IT_IS_MEANT.sub(meant, text)


@pytest.mark.parametrize("part", ["<", "a\u0301", '{"name":', "@", "a_", "._", "[", "~/"])
def test_a_long_line_takes_no_quadratic_time(part: str) -> None:
    long = part * (64_000 // len(part))
    began = thread_time()
    assert TEA.defused(f"{long}! {long}a") == f"{long}! {long}a"
    assert thread_time() - began < 1  # 120 s, if each character is looked at from each before it


def test_where_nobody_else_reads_nothing_changes() -> None:
    assert NO_ONE_HERE.defused("ada and bo") == "ada and bo"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ada", "a.da"),
        ("e\u0301va", "e\u0301.va"),
        ("\U0001f469\u200d\U0001f680ada", "\U0001f469\u200d\U0001f680.ada"),
        ("\U0001f600\U0001f600ada", "\U0001f600\U0001f600.ada"),
        ("\U0001f600\U0001f600", "\U0001f600\U0001f600"),
        ("a", "a"),
        ("", ""),
    ],
)
def test_a_joiner_goes_between_graphemes_and_merges_no_pictures(name: str, shown: str) -> None:
    defused = defused_name(name)
    assert defused.removeprefix(shown.partition(".")[0]).replace(JOINER, ".", 1) == (
        shown.removeprefix(shown.partition(".")[0])
    )


@given(st.text())
def test_nothing_but_joiners_is_added(text: str) -> None:
    assert TEA.defused(text).replace(JOINER, "") == text.replace(JOINER, "")
