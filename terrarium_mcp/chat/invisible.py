"""Characters that cannot be seen: which go, and which stay because a script or an emoji needs them.

They are told by their Unicode properties, so that a character of next year's Unicode needs no
change here beyond a newer `regex`. All that are ignored by default (UAX 44) or control anything go:
a model reads what a person does not see in them.

| stays | only |
|---|---|
| ZWJ U+200D, ZWNJ U+200C | behind a letter that joins (Persian, Syriac), beside a virama (Indic) |
| ZWJ U+200D | between two pictographs: families, professions, flags |
| variation selectors U+FE0E, U+FE0F | behind a pictograph, and in a keycap: 1 U+FE0F U+20E3 |
| tags U+E0030 to U+E007F | as a region of three to six characters behind a black flag |

Signs that enclose numbers (U+0600 to U+0605 and others) are formatting characters too, but visible.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

INVISIBLE_MARKS = "\u00ad\u061c\u180e{}\ufeff".format(
    "".join(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A))))
)
"""Soft hyphens, joiners, and what tells the direction of text: those that keyboards and pasted text
put around words, and that nobody means."""

_INVISIBLE = (
    r"[[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]"
    r"--\p{Prepended_Concatenation_Mark}]"
)
_REGION = r"[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_PICTOGRAPH = r"\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?"
_MARKS = r"[\p{Mn}--\p{Default_Ignorable_Code_Point}]*"

_KEPT = (
    rf"\U0001f3f4{_REGION}"
    r"|[0-9#*]\ufe0f\u20e3"
    rf"|{_PICTOGRAPH}(?:\u200d{_PICTOGRAPH})*"
    r"|[\p{Joining_Type=Dual_Joining}\p{Joining_Type=Right_Joining}\p{Joining_Type=Left_Joining}]"
    rf"{_MARKS}[\u200c\u200d]"
    r"|\p{Canonical_Combining_Class=9}[\u200c\u200d]"
    r"|[\u200c\u200d](?=\p{Canonical_Combining_Class=9})"
)


def without_invisible(text: str, instead: str = "") -> str:
    """`text` without the characters that cannot be seen and that nothing visible needs.

    Args:
        text: the text.
        instead: what takes the place of each of them.
    """
    if text.isascii() and text.isprintable():  # nearly every text
        return text
    invisible, needed_or_invisible = _patterns()
    if not invisible.search(text):
        return text
    return needed_or_invisible.sub(lambda found: found[1] or instead, text)


def invisible_places(text: str) -> list[int]:
    """The places of the characters that `without_invisible` leaves out."""
    invisible, needed_or_invisible = _patterns()
    if not invisible.search(text):
        return []
    return [found.start() for found in needed_or_invisible.finditer(text) if not found[1]]


@cache
def _patterns() -> "tuple[regex.Pattern[str], regex.Pattern[str]]":
    # When the first such line is rendered: every command imports this module, even --help.
    import regex  # noqa: PLC0415 -- as the line above says

    return (
        regex.compile(_INVISIBLE, regex.VERSION1),
        regex.compile(rf"({_KEPT})|{_INVISIBLE}", regex.VERSION1),
    )
