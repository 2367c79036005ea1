"""What cannot be seen goes by its Unicode property; what a script or an emoji needs stays."""

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.invisible import invisible_places, without_invisible
from terrarium_mcp.chat.irctext import harmless

SMUGGLED = [
    "\u00ad", "\u034f", "\u061c", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180e",
    "\u180f", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028", "\u202e", "\u2060", "\u2061",
    "\u2062", "\u2063", "\u2064", "\u2065", "\u2066", "\u206f", "\u3164", "\ufe00", "\ufe0e",
    "\ufe0f", "\ufeff", "\uffa0", "\ufff0", "\ufffb", "\U0001bca0", "\U0001d173", "\U000e0001",
    "\U000e0020", "\U000e0061", "\U000e007f", "\U000e0100", "\U000e01ef", "\U000e0fff", "\x00",
    "\x1b", "\x9b", "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("char", SMUGGLED, ids=lambda char: f"U+{ord(char):04X}")
def test_an_invisible_character_goes(char: str) -> None:
    for beside in ("ab", "12", "\u0431\u0432", "\u4f60\u597d", "\uac00\uac01"):
        assert without_invisible(f"{beside[0]}{char}{beside[1]}") == beside
        assert without_invisible(f"{beside[0]}{char * 3}{beside[1]}{char}") == beside


def test_no_character_of_these_properties_stays_between_letters() -> None:
    hidden = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]")
    every = [chr(code) for code in range(0x110000) if hidden.match(chr(code))]
    assert len(every) > 4_000
    stays = [char for char in every if without_invisible(f"a{char}b") != "ab"]
    assert [unicodedata.name(char) for char in stays if "NUMBER" not in unicodedata.name(char)] == [
        "ARABIC SIGN SANAH", "ARABIC FOOTNOTE MARKER", "ARABIC SIGN SAFHA",
        "ARABIC SIGN SAMVAT", "ARABIC END OF AYAH", "SYRIAC ABBREVIATION MARK",
        "ARABIC POUND MARK ABOVE", "ARABIC PIASTRE MARK ABOVE", "ARABIC DISPUTED END OF AYAH",
    ]  # fmt: skip


EMOJI = {
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "a heart": "\u2764\ufe0f",
    "a text heart": "\u2764\ufe0e",
    "a rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "a pirate flag": "\U0001f3f4\u200d\u2620\ufe0f",
    "an eye in a bubble": "\U0001f441\ufe0f\u200d\U0001f5e8\ufe0f",
    "a detective": "\U0001f575\U0001f3fd\u200d\u2642\ufe0f",
    "a kiss": "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468",
    "keycaps": "1\ufe0f\u20e3#\ufe0f\u20e3*\ufe0f\u20e3",
    "the flag of Germany": "\U0001f1e9\U0001f1ea",
    "the flag of Scotland":
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
}  # fmt: skip


@pytest.mark.parametrize("emoji", EMOJI.values(), ids=EMOJI)
def test_an_emoji_stays_whole(emoji: str) -> None:
    assert harmless(f"so {emoji} it is{emoji}") == f"so {emoji} it is{emoji}"


SCRIPTS = {
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Persian plural": "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627",
    "Hindi": "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",
    "Bengali": "\u09b0\u200d\u09cd\u09af\u09be\u09ae",
    "Malayalam": "\u0d28\u0d4d\u200d",
    "Sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
    "Arabic with vowels": "\u0645\u064e\u200d",
    "Arabic year": "\u0601\u0661\u0662",
}


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_that_needs_joiners_stays_readable(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize(
    ("hiding", "seen"),
    [
        ("\U0001f3f4" + "".join(chr(0xE0000 + ord(char)) for char in "ignore all") + "\U000e007f",
         "\U0001f3f4"),
        ("\U0001f600\U000e0068\U000e0069", "\U0001f600"),
        ("\U0001f600\ufe0f\ufe0e\ufe0f", "\U0001f600\ufe0f"),
        ("\U0001f600\u200d", "\U0001f600"),
        ("\U0001f600\U000e0101\U000e0102", "\U0001f600"),
        ("\u06cc\u200c\u200d\u200c\u062e", "\u06cc\u200c\u062e"),
        ("\u06cc\u034f\ufe00\u200c\u062e", "\u06cc\u062e"),
        ("\u0915\u094d\u200d\u200d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        ("1\ufe0f2", "12"),
    ],
)  # fmt: skip
def test_nothing_hides_behind_what_stays(hiding: str, seen: str) -> None:
    assert without_invisible(hiding) == seen


@given(st.text(st.sampled_from([*SMUGGLED[:-1], *"ab1#", *"".join(EMOJI.values()),
                                *"".join(SCRIPTS.values())])))  # fmt: skip
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    clean = without_invisible(text)
    assert without_invisible(clean) == clean
    left_out = invisible_places(text)
    assert "".join(char for at, char in enumerate(text) if at not in left_out) == clean
