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


@pytest.mark.parametrize(
    ("line", "nick"),
    [
        *[("ada\u3055\u3093", "ada"), ("ada\ub2d8 hi", "ada"), ("\u8c22\u8c22Ada\u7684", "ada")],
        *[("@ada\u4f60\u597d", "ada"), ("\u30e6\u30ad\u3055\u3093", "\u30e6\u30ad")],
        *[("\u0e16\u0e32\u0e21ada\u0e14\u0e39", "ada"), ("\u8c22\u5c0f\u660e", "\u5c0f\u660e")],
    ],
)
def test_words_that_run_together_with_a_nick_are_no_part_of_it(line: str, nick: str) -> None:
    assert mentions(line, nick)


@pytest.mark.parametrize(
    "line", ["\u30e6\u30ad_away", "\u30e6\u30ad2", "x\u30e6\u30ad", "\u00e4\u30e6\u30ad"]
)
def test_a_nick_without_latin_letters_may_be_a_part_of_a_longer_one(line: str) -> None:
    assert not mentions(line, "\u30e6\u30ad")


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
        *[("ada\uff1a hi", "ada"), ("ada\uff0chi", "ada"), ("ada\u060c hi", "ada")],
        *[
            ("ada\u3001hi", "ada"),
            ("\u5c0f\u660e\uff0c\u4f60\u597d", "\u5c0f\u660e"),
            ("http\uff1a//x", ""),
        ],
    ],
)
def test_a_line_may_begin_with_the_nick_it_calls(text: str, called: str) -> None:
    assert addressee(text) == called


@pytest.mark.parametrize("line", ["ada: tea?", "@ada, tea?", " ada> tea?", "ada :tea?", " tea? "])
def test_what_is_said_is_what_is_left_of_a_call(line: str) -> None:
    assert without_addressee(line) == "tea?"


@pytest.mark.parametrize("sign", ":\uff1a\uff0c\u060c")
def test_a_call_is_left_out_whatever_keyboard_wrote_its_sign(sign: str) -> None:
    assert without_addressee(f"ada{sign} tea?") == "tea?"


@pytest.mark.parametrize("sign", ",\uff0c\u3001")
def test_a_clause_of_words_that_run_together_is_said_and_calls_nobody(sign: str) -> None:
    clause = f"\u9375\u306e\u5834\u6240\u306f{sign}\u5f15\u304d\u51fa\u3057"
    assert without_addressee(f" {clause}") == clause
    assert without_addressee(f"\u6ce8\u610f\uff1a{clause}") == clause


def test_a_url_is_what_is_said() -> None:
    assert without_addressee("https://tea.example/") == "https://tea.example/"
