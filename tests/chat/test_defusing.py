"""A name that is read as before, and highlights nobody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.defusing import JOINER, NOBODY, Unaddressed, defused_name
from terrarium_mcp.chat.identity import fold

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


def test_where_nobody_else_reads_nothing_changes() -> None:
    assert NOBODY.defused("ada and bo") == "ada and bo"


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
