"""A nick is mentioned where it stands as a whole, in any spelling of the network."""

import pytest

from terrarium_mcp.chat.mentions import addressee, mentions, without_addressee


@pytest.mark.parametrize("line", ["ada: hi", "hi ADA", "@ada, look", "(ada)", "ada's tea", "ada"])
def test_a_nick_is_mentioned(line: str) -> None:
    assert mentions(line, "Ada")


@pytest.mark.parametrize(
    "line", ["adam: hi", "ada_ is here", "canada", "ada|away left", "ad a", ""]
)
def test_a_part_of_another_word_is_no_mention(line: str) -> None:
    assert not mentions(line, "ada")


def test_spellings_compare_under_the_networks_mapping() -> None:
    assert mentions("hi a{b}!", "A[b]")
    assert not mentions("hi a{b}!", "A[b]", "ascii")
    assert mentions("hi \u00c4DA!", "\u00e4da", "rfc7613")


@pytest.mark.parametrize("char", "azAZ09_[]\\`^{}|-\u00e4")
def test_a_character_of_nicks_joins_on_both_sides(char: str) -> None:
    assert not mentions(f"{char}ada", "ada")
    assert not mentions(f"ada{char}", "ada")


@pytest.mark.parametrize("char", " .,:;!?()<>@#'\"/+*~\u3002")
def test_any_other_character_ends_a_nick(char: str) -> None:
    assert mentions(f"{char}ada{char}", "ada", "ascii")


def test_signs_in_a_nick_mean_themselves() -> None:
    assert mentions("hi a.b", "a.b")
    assert not mentions("hi axb", "a.b")


@pytest.mark.parametrize(
    ("text", "called"),
    [
        *[("ada: hi", "ada"), ("Ada, hi", "ada"), ("ada> hi", "ada"), ("@ada: hi", "ada")],
        *[("Bo[m]: hi", "bo{m}"), ("  ada : hi", "ada"), ("ada hi", ""), ("hi ada: you", "")],
        *[(": hi", ""), ("", ""), ("http://x", ""), ("x" * 70 + ": hi", "")],
    ],
)
def test_a_line_may_begin_with_the_nick_it_calls(text: str, called: str) -> None:
    assert addressee(text) == called


@pytest.mark.parametrize("line", ["ada: tea?", "@ada, tea?", " ada> tea?", "ada :tea?", " tea? "])
def test_what_is_said_is_what_is_left_of_a_call(line: str) -> None:
    assert without_addressee(line) == "tea?"


def test_a_url_is_what_is_said() -> None:
    assert without_addressee("https://tea.example/") == "https://tea.example/"
