"""Long text, cut where a reader would take a breath."""

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from terrarium_mcp.chat.splitting import split_for_irc

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # one picture out of three people: 18 bytes
GRAPHEME = regex.compile(r"\X")
SCRIPTS = st.text(
    st.sampled_from(
        "ab. !? \u00e9\u0301\u6f22\u5b57\u3002\u05e9\u0645\u200d\ufe0f\x02"
        "\U0001f468\U0001f3fd\U0001f1e9\U0001f1ea"
    )
)


def test_what_fits_is_left_as_it_is() -> None:
    assert split_for_irc("  tea at four ", 14) == ["  tea at four "]
    assert split_for_irc("", 14) == []


def test_a_sentence_end_is_preferred_to_a_later_space() -> None:
    assert split_for_irc("Tea is at four. Bring your cup", 24) == [
        "Tea is at four.",
        "Bring your cup",
    ]
    assert split_for_irc("He said \u201ctea.\u201d And then he left", 26) == [
        "He said \u201ctea.\u201d",
        "And then he left",
    ]
    assert split_for_irc("\u8336\u8336\u8336\u3002\u8336\u8336", 15) == [
        "\u8336\u8336\u8336\u3002",
        "\u8336\u8336",
    ]


def test_a_sentence_end_in_the_first_half_wastes_no_line() -> None:
    assert split_for_irc("Yes. But only with milk and honey", 28) == [
        "Yes. But only with milk and",
        "honey",
    ]


def test_a_space_just_behind_the_room_costs_no_word() -> None:
    assert split_for_irc("green tea time", 9) == ["green tea", "time"]


def test_without_a_space_the_cut_falls_between_graphemes() -> None:
    assert split_for_irc(FAMILY * 3, 40) == [FAMILY * 2, FAMILY]
    assert split_for_irc("e\u0301" * 3, 4) == ["e\u0301"] * 3


def test_a_grapheme_larger_than_the_room_is_cut_between_code_points() -> None:
    assert "".join(split_for_irc(FAMILY, 7)) == FAMILY
    assert split_for_irc(FAMILY, 11)[0] == FAMILY[:3]  # 4 + 3 + 4 bytes


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert split_for_irc("tea \ud83d!", 100) == ["tea ?!"]


def test_no_room_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="most_bytes must be at least 4 "):
        split_for_irc("tea", 3)


@given(st.one_of(st.text(), SCRIPTS), st.integers(4, 60))
@example(" " * 9 + "a", 4)
def test_every_piece_fits_and_no_word_is_lost(text: str, most_bytes: int) -> None:
    pieces = split_for_irc(text, most_bytes)
    assert all(0 < len(piece.encode()) <= most_bytes for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


@given(SCRIPTS.map(lambda text: text.replace(" ", "")))
def test_a_grapheme_that_fits_stays_in_one_piece(text: str) -> None:
    graphemes = GRAPHEME.findall(text)
    most_bytes = max([4, *(len(grapheme.encode()) for grapheme in graphemes)])
    assert [
        kept for piece in split_for_irc(text, most_bytes) for kept in GRAPHEME.findall(piece)
    ] == graphemes


@pytest.mark.parametrize("end", [".", "!", "?", "\u2026", '."', ".)", "!']", ".\u00bb", "?\u2019"])
def test_every_end_of_a_sentence_is_one(end: str) -> None:
    text = f"tea at noon{end} four or"
    assert split_for_irc(text, len(f"tea at noon{end} four".encode()))[0] == f"tea at noon{end}"


@pytest.mark.parametrize("end", ["\u3002", "\uff01", "\uff1f"])
def test_full_width_ends_need_no_space(end: str) -> None:
    assert split_for_irc(f"abcd{end}efgh", 9)[0] == f"abcd{end}"


@pytest.mark.parametrize("end", ["\u0964", "\u0965", "\u06d4", "\u061f", "\u061f\u00bb"])
def test_sentences_of_scripts_with_blanks_end_before_one(end: str) -> None:
    text = f"tea at noon{end} four or"
    assert split_for_irc(text, len(f"tea at noon{end} four".encode()))[0] == f"tea at noon{end}"


@pytest.mark.parametrize(
    "end", ["\u3002\u300d", "\uff01\uff1f", "\uff1f\u300f\uff09", "\u3002\u201d"]
)
def test_what_closes_a_sentence_stays_with_its_end(end: str) -> None:
    most = len(f"abcdefgh{end}".encode())
    assert split_for_irc(f"abcdefgh{end}abcdefgh", most) == [f"abcdefgh{end}", "abcdefgh"]
    assert split_for_irc(f"abcdef. h{end}abcdefgh", most)[0] == "abcdef."


def test_a_full_stop_inside_a_word_ends_nothing() -> None:
    assert split_for_irc("see a.example now", 14) == ["see a.example", "now"]


def test_the_last_of_several_sentence_ends_is_taken() -> None:
    assert split_for_irc("aaaa. bb. cc. ddddd", 16)[0] == "aaaa. bb. cc."


def test_a_break_in_the_middle_of_the_room_still_counts_and_one_before_it_does_not() -> None:
    assert split_for_irc("abcd efghijkl", 8) == ["abcd", "efghijkl"]
    assert split_for_irc("abc efghijklm", 8) == ["abc efgh", "ijklm"]


def test_a_sentence_may_end_exactly_at_the_end_of_the_room() -> None:
    assert split_for_irc("a tea now. go on", 10) == ["a tea now.", "go on"]


def test_four_bytes_are_room_enough() -> None:
    assert split_for_irc("\U0001f375\U0001f375", 4) == ["\U0001f375"] * 2


def test_spaces_at_a_cut_are_dropped_and_others_stay() -> None:
    assert split_for_irc("green   tea at four", 12) == ["green   tea", "at four"]
    assert split_for_irc("green tea    four", 9) == ["green tea", "four"]


URL = "https://example.org/" + "a" * 20


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (f"see {URL} for tea", ["see", URL, "for tea"]),
        (f"see <{URL}>.", ["see", f"<{URL}>."]),
        (f"\u8336\u8336{URL}\u3002", ["\u8336\u8336", f"{URL}\u3002"]),
        (f"tea. {URL}", ["tea.", URL]),
    ],
)
def test_a_link_that_fits_a_piece_of_its_own_is_not_cut(text: str, pieces: list[str]) -> None:
    assert split_for_irc(text, len(URL) + 3) == pieces


def test_a_link_that_is_too_long_is_cut_like_any_word() -> None:
    assert split_for_irc(f"see {URL}", 24) == [f"see {URL[:20]}", URL[20:]]


@pytest.mark.parametrize(
    "whole",
    [
        *(FAMILY, "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd", "1\ufe0f\u20e3"),
        *("e\u0301\u0323", "\u1112\u1161\u11ab", "\u0915\u094d\u0937", "\u0e01\u0e33"),
    ],
)
def test_what_a_reader_sees_as_one_character_is_never_divided(whole: str) -> None:
    room = len(whole.encode()) * 2 - 1
    assert split_for_irc(whole * 5, max(room, 4)) == [whole] * 5
