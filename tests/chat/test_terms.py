"""A line holds a term as a person would say that it does."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.terms import (
    RESERVED_PREFIX,
    Term,
    TermKind,
    as_written,
    contains_term,
    encoded_words,
    indexed,
    normalized,
    words_in,
)


@pytest.mark.parametrize(
    ("line", "typed", "held"),
    [
        ("green tea at four", "TEA", True),
        ("green teas at four", "tea", False),
        ("in the Caf\u00e9", "cafe", True),
        ("in the cafe", "Caf\u00e9", True),
        ("what about the deploy", "deploy?", True),
        ("what (about) it", "about", True),
        ("I like C++ best", "c++", True),
        ("C++11 is out", "C++", True),
        ("C and c + +", "c++", False),
        ("abc++", "c++", False),
        ("c# or f#", "F#", True),
        ("call foo_bar()", "foo_bar", True),
        ("call foo bar", "foo_bar", False),
        ("call foo_bars", "foo_bar", False),
        ("foo-bar", "foo-bar", True),
        ("see https://example.org/a?b=1, it is good", "https://example.org/a?b=1", True),
        ("see https://example.org/a?b=12", "https://example.org/a?b=1", False),
        ("rm /etc/passwd", "/etc/passwd", True),
        ("version 1.2.3", "1.2.3", True),
        ("version 1, 2, 3", "1.2.3", False),
        ("I don\u2019t know", "don't", True),
        ("tea \U0001f375\U0001f375", "\U0001f375", True),
        ("hot\u2615\ufe0fnow", "\u2615", True),
        ("hot \u2615 now", "\u2615\ufe0f", True),
        ("\u6211\u559d\u8336\u4e86", "\u8336", True),
        ("\u6211\u559d\u8336\u4e86", "\u559d\u8336", True),
        ("\u6211\u559d\u4e86\u8336", "\u559d\u8336", False),
        ("\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48", "\u0e19\u0e35\u0e48", True),
        ("\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48", "\u0e19\u0e31\u0e48", False),
        ("\u05e9\u05dc\u05d5\u05dd ada", "\u200f\u05e9\u05dc\u05d5\u05dd\u200f", True),
        ("\u05e9\u05dc\u05d5\u05dd\u200f ada", "\u05e9\u05dc\u05d5\u05dd", True),
        ("I like C++ best", "\u202ac++\u202c", True),
        ("I like C best", "\u202ac++\u202c", False),
        ("ok :)", ":)", True),
        ("ok", ":)", False),
        ("I use .NET here", ".net", True),
        ("see foo.net", ".NET", True),
        ("the net is down", ".NET", False),
        ("nice :P", ":P", True),
        ("nice:p", ":P", True),
        ("see http://x/p/", ":P", False),
        ("I <3 tea", "<3", True),
        ("version 3", "<3", False),
        ("!ops", "!ops", True),
        ("the ops", "!ops", False),
        ("the ops", "...ops", True),
        ("what ada said", "<ada>:", True),
        ("rm -rf it", "-rf", True),
        ("rm rf it", "-rf", False),
        ("openssh-server", "-server", False),
        ("a -server", "-server", True),
        ("use --force", "--force", True),
        ("use x--force", "--force", False),
        ("A->B", "->", True),
        ("wait...", "...", True),
    ],
)
def test_words_hold(line: str, typed: str, held: bool) -> None:
    assert contains_term(line, Term(typed)) is held


def test_phrases_stand_in_a_row_and_prefixes_begin_a_word() -> None:
    phrase, prefix = TermKind.PHRASE, TermKind.PREFIX
    assert contains_term("a green, tea", Term("green tea", phrase))
    assert not contains_term("tea, very green", Term("green tea", phrase))
    assert not contains_term("green tea", Term("green teas", phrase))
    assert contains_term("sudo rm -rf / now", Term("rm -rf /", phrase))
    assert not contains_term("sudo rm rf now", Term("rm -rf /", phrase))
    assert contains_term("green teapots", Term("tea", prefix))
    assert not contains_term("a steam", Term("tea", prefix))
    assert contains_term("foo-bars", Term("foo-ba", prefix))


def test_what_is_a_word_of_its_own_stands_apart_for_the_index() -> None:
    assert indexed("tea cups") == "tea cups"
    assert indexed("\u8336tea").split() == ["\u8336", "tea"]
    assert words_in("tea\U0001f375 cup\u8336") == ("tea", "\U0010f375", "cup", "\u8336")


@given(st.text())
def test_a_line_holds_each_of_its_own_words(line: str) -> None:
    assert all(contains_term(line, Term(word)) for word in line.split())


@given(st.text())
def test_what_is_folded_stays_folded(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)


def test_a_term_prints_as_it_is_typed() -> None:
    assert str(Term("tea")) == "tea"
    assert str(Term("green tea", TermKind.PHRASE)) == '"green tea"'
    assert str(Term("te", TermKind.PREFIX)) == "te*"
    assert [kind.value for kind in TermKind] == ["word", "phrase", "prefix"]


@pytest.mark.parametrize(
    "char", ["\u8336", "\u304a", "\u30c6", "\ud55c", "\u0e17", "\u0ea5", "\u1781", "\u1000"]
)
def test_a_script_without_spaces_is_segmented_by_character(char: str) -> None:
    assert words_in(f"a{char}{char}b") == ("a", normalized(char), normalized(char), "b")


def test_words_in_utf8_are_the_words() -> None:
    for text in ("Green TEA, at_4!", "Caf\u00e9 \u8336 \U0001f375", "", "a\udc80b"):
        expected = [word.encode(errors="replace") for word in words_in(text)]
        assert encoded_words(text) == expected
    assert encoded_words("Green TEA, at_4!") == [b"green", b"tea", b"at", b"4"]


def test_the_prefix_of_the_indexs_own_words_cannot_be_said() -> None:
    assert words_in(f"a{RESERVED_PREFIX}b") == ("a", "b")
    assert RESERVED_PREFIX not in indexed(f"{RESERVED_PREFIX}n")


@pytest.mark.parametrize(
    ("typed", "literal"),
    [
        ("tea", ()),
        ("C++", ("c++",)),
        ("(C++)", ("c++",)),
        (".NET,", (".net",)),
        ("(:P)", (":p",)),
        (":-D", (":-d",)),
        ("<3", ("<3",)),
        ("<ada>:", ()),
        ("...so ::x", ()),
        ("so :P", (":p",)),
        ("foo_bar, tea", ("foo_bar",)),
        ("don't", ()),
        ("caf\u00e9", ()),
        (":)", (":)",)),
        (" ", (" ",)),
        ("\U0001f375", ()),
        ("\u00bfreceta?", ()),
        ("\u0627\u0644\u0643\u0647\u0631\u0628\u0627\u0621\u061f", ()),
        ("\u0939\u093f\u0902\u0926\u0940\u0964", ()),
        ("\uff08\u4e09\u767e\uff09", ()),
        ("\u300c\u94a5\u5319\u300d\uff1a", ()),
        ("\u2039tea\u203a", ()),
        ("\uff23\uff0b\uff0b\u3002", ("c++",)),
    ],
)
def test_what_the_index_cannot_match_has_to_be_in_the_line(
    typed: str, literal: tuple[str, ...]
) -> None:
    assert Term(typed).literal == literal


@pytest.mark.parametrize(
    ("line", "term", "held"),
    [
        ("xc++", Term("c++", TermKind.PREFIX), False),
        ("foo-bars", Term("foo-bar"), False),
        ("afoo-bar foo-bar", Term("foo-bar"), True),
        ("foo-bars", Term("foo-bar", TermKind.PREFIX), True),
        ("afoo-bar", Term("foo-bar", TermKind.PREFIX), False),
        ("\u8336foo-bar\u8336", Term("foo-bar"), True),
        ("te at", Term("tea"), False),
        ("green teas", Term("green te", TermKind.PREFIX), True),
        ("greens tea", Term("green te", TermKind.PREFIX), False),
        ("", Term("tea"), False),
    ],
)
def test_pieces_and_words_end_where_words_end(line: str, term: Term, held: bool) -> None:
    assert contains_term(line, term) is held


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\u0939\u093f\u0902\u0926\u0940 1", ["\u0939\u093f\u0902\u0926\u0940", "1"]),  # Hindi
        ("\u09a6\u09c7\u09b6", ["\u09a6\u09c7\u09b6"]),  # Bengali
        ("\u0bae\u0bca\u0bb4\u0bbf", ["\u0bae\u0bca\u0bb4\u0bbf"]),  # Tamil
        ("\u0dc1\u0dca\u200d\u0dbb\u0dd3", ["\u0dc1\u0dca\u0dbb\u0dd3"]),  # Sinhala, joined
        ("\u0e19\u0e49\u0e33", ["\u0e19\u0e49", "\u0e33"]),  # Thai
        ("\u1780\u17d2\u200d a", ["\u1780\u17d2", "a"]),  # Khmer
        ("\u65e5 \u093f", ["\u65e5", "\u093f"]),
        ("1\ufe0f\u20e3", ["1"]),
        ("\u2068ada\u2069 \u061ctea", ["ada", "tea"]),
        ("x\U000f0001", ["x\U000f0001"]),
    ],
)
def test_a_mark_of_a_script_stays_with_its_letter(text: str, words: list[str]) -> None:
    assert [as_written(word) for word in words_in(text)] == words
    assert Term(words[0]).literal == ()


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("\u0e19\u0e49\u0e33", "\u0e19\u0e33"),
        ("\u0e21\u0e49\u0e32", "\u0e21\u0e32"),
        ("\u0915\u092e\u0940", "\u0915\u092e"),
    ],
)
def test_a_word_is_not_found_in_one_with_another_mark(line: str, asked: str) -> None:
    assert contains_term(line, Term(line))
    assert not contains_term(line, Term(asked))
    assert not contains_term(f"a_{line}", Term(f"a_{asked}"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\uff83\uff9e\uff70\uff80", "\u30c7\u30fc\u30bf"),  # half as wide, with a voicing mark
        ("\u30ab\uff9e\u30b9", "\u30ac\u30b9"),
        ("\u06a9\u0644\u06cc\u062f", "\u0643\u0644\u064a\u062f"),  # Persian, Arabic keyboard
        ("\u06f1\u06f2\u06f0", "120"),
        ("\u0e51\u0e52\u0e50", "120"),
        ("\u095b\u0930\u0942\u0930", "\u091c\u0930\u0942\u0930"),  # nukta
        ("\u0644\u064f\u063a\u0629", "\u0644\u063a\u0629"),
    ],
)
def test_what_another_keyboard_types_is_the_same_word(one: str, other: str) -> None:
    assert words_in(one) == words_in(other)
    assert normalized(one) == normalized(other)
    assert Term(one).literal == ()


def test_the_digits_of_every_script_are_digits() -> None:
    digits = [char for char in map(chr, range(0x10000)) if unicodedata.category(char) == "Nd"]
    assert {normalized(char) for char in digits} == set("0123456789")


@given(st.text())
def test_a_word_of_the_index_is_one_word(text: str) -> None:
    assert all(words_in(word) == (word,) for word in words_in(text))
