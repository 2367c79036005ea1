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


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert split_for_irc("tea \ud83d!", 100) == ["tea ?!"]


def test_no_room_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="room must be at least 4 bytes"):
        split_for_irc("tea", 3)


@given(st.one_of(st.text(), SCRIPTS), st.integers(4, 60))
@example(" " * 9 + "a", 4)
def test_every_piece_fits_and_no_word_is_lost(text: str, room: int) -> None:
    pieces = split_for_irc(text, room)
    assert all(0 < len(piece.encode()) <= room for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


@given(SCRIPTS.map(lambda text: text.replace(" ", "")))
def test_a_grapheme_that_fits_stays_in_one_piece(text: str) -> None:
    graphemes = GRAPHEME.findall(text)
    room = max([4, *(len(grapheme.encode()) for grapheme in graphemes)])
    assert [
        kept for piece in split_for_irc(text, room) for kept in GRAPHEME.findall(piece)
    ] == graphemes
