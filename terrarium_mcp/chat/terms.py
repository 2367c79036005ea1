"""Search terms, and whether a line contains one.

The index keeps letters and digits only. So that it can answer exactly wherever possible, text is
folded and segmented before it is indexed: letters lose their case and accents, and each character
of a script without spaces, and each symbol such as an emoji, becomes a word. The vowels and tones
that Indic and other scripts write as marks stay with their letter. Any other part of a term (`C++`,
`foo_bar`, a URL) must occur in the line as it was typed, which only the line itself can show.
"""

import re
import unicodedata
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from terrarium_mcp.chat.invisible import INVISIBLE_MARKS

if TYPE_CHECKING:
    import regex

RESERVED_PREFIX = "\ue000"
"""A private-use character, treated like a space in messages. The index begins its own words with
it, so that no message can contain one of them."""

_PRIVATE = 0xF0000
"""Added to the code point of a symbol or a mark, which moves it into the private-use planes. The
tokenizer treats those as letters, but knows no emoji newer than Unicode 6.1, and cuts words at
marks."""

_MOVED = "\U000f0000-\U0010fffd"
"""The private-use planes, as a range."""

# Korean has spaces, but hangs its particles on the words.
_ALONE = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]--[\p{M}\p{Nd}]]"
)
"""A character that is a word by itself, as a regular expression."""

VOWEL_SIGN = "[\u0700-\u0963\u0966-\u109f\u1700-\u1cff]"
"""A regular expression for what is part of a word, though no letter to Python, in the scripts from
Syriac to Burmese and from Tagalog to Vedic. (The danda of Hindi is between the first two ranges.)
"""

_JOINERS = "\u200c\u200d"

_WORD = re.compile(rf"[\w{_MOVED}]+")
_ASCII_LETTERS = bytes(byte if bytes([byte]).isalnum() else 0x20 for byte in range(256)).lower()
"""A translation table: ASCII letters and digits in lower case, a space for every other byte."""

_FOLDED_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0897-\u089f\u08ca-\u08e1"
    "\u08e3-\u08ff\u093c\u0951-\u0954"
)
"""Marks above and below Latin, Greek and Cyrillic letters, the points of Hebrew and Syriac, the
vowels and hamza of Arabic, and the nukta of Hindi, as ranges: most people leave them out."""

_ACCENTS = re.compile(f"[{_FOLDED_MARKS}]+")

_ZEROS = (
    "\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0de6\u0e50\u0ed0\u0f20\u1040"
    "\u1090\u17e0\u1810\u1946\u19d0\u1a80\u1a90\u1b50\u1bb0\u1c40\u1c50\ua620\ua8d0\ua900\ua9d0\ua9f0\uaa50"
    "\uabf0"
)
"""The zeros of scripts with digits of their own; one to nine follow each."""

_PLAIN_LETTERS = str.maketrans(
    {
        **{chr(ord(zero) + digit): str(digit) for zero in _ZEROS for digit in range(10)},
        **dict(zip("\u0131\u0142\u0111\u00f8\u0127\u0167\u00f0", "ildohtd", strict=True)),
        "\u00e6": "ae",
        "\u0153": "oe",
        "\u00fe": "th",
        "\u0640": None,
        "\u06a9": "\u0643",
        "\u06cc": "\u064a",
        "\u02bc": "'",
        "\u05f3": "'",
        "\u05f4": '"',
    }
)
"""Digits, letters whose stroke or missing dot is no accent to Unicode, ligatures, what stretches an
Arabic word, the kaf and yeh of a Persian keyboard, and the apostrophes of Ukrainian and Hebrew,
which are letters to Unicode.

Not the Arabic teh marbuta, which many type as heh: as the last letter a heh also means `his`.
"""

_WIDTHS = re.compile("[\uff01-\uffee]+")
"""Letters and kana as wide, or half as wide, as an ideograph."""

_SENTENCE_PUNCTUATION = (
    ".,;:!?()[]{}<>\"'\u00a1\u00ab\u00bb\u00bf\u2018\u2019\u201a\u201c\u201d\u201e\u2026\u2039\u203a"
    "\u060c\u061b\u061f\u06d4\u0964\u0965"  # Arabic, Urdu, Hindi
    "\u3001\u3002\u3008\u3009\u300a\u300b\u300c\u300d\u300e\u300f\u3010\u3011\u3014\u3015\u301c\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3b\uff3d\uff5e"
    "\uff61\uff62\uff63\uff64"
)
"""Punctuation of the sentence around a word, not part of the word."""

_SIGN_BEFORE = re.compile(r"(?<![.:;<!])[.:;<!]$")
"""A single sign at the beginning of a word is part of it: `.NET`, `:P`, `<3`, `!ops`."""

_MARKS_AROUND = re.compile(f"^[{INVISIBLE_MARKS}]+|[{INVISIBLE_MARKS}]+$")

_IN_PRIVATE = re.compile(f"[{_MOVED}]")

# What the index drops and a person sees: all but letters, digits, spaces, apostrophes, and
# combining characters.
_DROPPED = re.compile(rf"[^\w\s'\u2019{_FOLDED_MARKS}{INVISIBLE_MARKS}\ufe00-\ufe0f{_MOVED}]|_")


BEGINNING = "*"
"""The sign behind the beginning of a word, which stands for any word that begins so."""


class TermKind(StrEnum):
    """How a term must occur: as a word, as consecutive words, as the beginning of a word."""

    WORD = "word"
    PHRASE = "phrase"
    PREFIX = "prefix"


class Term(NamedTuple):
    """A term as typed, without the quotation marks or the asterisk."""

    text: str
    kind: TermKind = TermKind.WORD

    def __str__(self) -> str:
        """The term as it must be typed."""
        match self.kind:
            case TermKind.PHRASE:
                return f'"{self.text}"'
            case TermKind.PREFIX:
                return f"{self.text}*"
        return f'"{self.text}"' if begins_like_an_exclusion(self.text) else self.text

    @property
    def words(self) -> tuple[str, ...]:
        """The part that the index can match: normalized words, which must be consecutive."""
        return _words(self.text)

    @property
    def literal(self) -> tuple[str, ...]:
        """The part that it cannot match: normalized pieces, which must occur in the line itself."""
        return _literal(self.text)


def begins_like_an_exclusion(text: str) -> bool:
    """Whether `text` begins with one minus: it is typed in quotes where it excludes nothing."""
    return text[:1] == "-" and text[1:2] not in ("", "-", " ")


def indexed(text: str) -> str:
    """`text` as it is indexed: folded, with spaces around characters that are words by themselves.

    FTS5 folds letters as well, but only Latin ones surely as `normalized` does, by which a line and
    a question are compared.
    """
    return text if text.isascii() else _folded(_segmented(text))


def words_in(text: str) -> tuple[str, ...]:
    """The normalized words of `text`, as they are in the index."""
    if text.isascii():
        # Takes a third of the time of the regex; a search compares thousands of lines.
        return tuple(text.encode().translate(_ASCII_LETTERS).decode().split())
    return tuple(_split(indexed(text)))


def encoded_words(text: str) -> list[bytes]:
    """The words of `text` in UTF-8, with `?` for a lone surrogate."""
    return encoded_words_of(indexed(text))


def encoded_words_of(folded: str) -> list[bytes]:
    """The words in UTF-8 of a text as it is `indexed`, which is not folded again."""
    if folded.isascii():
        return folded.encode().translate(_ASCII_LETTERS).split()
    return [word.encode(errors="replace") for word in _split(folded)]


def _split(folded: str) -> list[str]:
    return _WORD.findall(folded.replace("_", " "))


def as_written(word: str) -> str:
    """A word of the index as people write it: its marks and symbols are themselves again."""
    return word if word.isascii() else _IN_PRIVATE.sub(_unmoved, word)


def normalized(text: str) -> str:
    """`text` in lower case and without accents, in letters of the usual width."""
    return text.lower() if text.isascii() else _folded(_in_usual_width(text))


def _folded(text: str) -> str:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text.casefold()))
    # Korean and Indic letters are whole again.
    return unicodedata.normalize("NFC", bare.translate(_PLAIN_LETTERS))


def contains_term(line: str, term: Term) -> bool:
    """Whether `line`, without formatting codes, contains `term`."""
    text, cut = normalized(line), term.kind is TermKind.PREFIX
    literal = all(_occurs(piece, text, cut=cut) for piece in term.literal)
    return literal and _consecutive(term.words, words_in(line), cut=cut)


def _in_usual_width(text: str) -> str:
    return _WIDTHS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def _segmented(text: str) -> str:
    if text.isascii():
        return text
    placed = unicodedata.normalize("NFC", _in_usual_width(text)).translate(_PLACES)
    return _torn_apart().sub("", placed) if _IN_PRIVATE.search(placed) else placed


@cache
def _separate() -> "regex.Pattern[str]":
    """Characters that are words by themselves, marks that stay in a word, and what is a space."""
    import regex  # noqa: PLC0415 -- loaded with the first text that is not ASCII

    return regex.compile(
        rf"(?P<alone>{_ALONE})|(?P<symbol>[\p{{S}}--\p{{ASCII}}])"
        # The tokenizer takes some invisible marks for letters.
        rf"|(?P<space>[[{RESERVED_PREFIX}{INVISIBLE_MARKS}]--[{_JOINERS}]])"
        # Not marks of no script: they make an emoji of a digit, or are for any letter.
        rf"|(?P<mark>[\p{{M}}--[\p{{Inherited}}\p{{Common}}\p{{DI}}{_FOLDED_MARKS}]])",
        regex.VERSION1,
    )


@cache
def _torn_apart() -> "regex.Pattern[str]":
    """What is between a character that is a word by itself and its marks, or beside a mark.

    Joiners only choose the shape of the letters around them. (A space in the text itself follows
    the one behind the character.)
    """
    import regex  # noqa: PLC0415

    return regex.compile(
        rf"(?<={_ALONE}) (?=[{_JOINERS}]*[{_MOVED}])"
        rf"|(?<=[{_MOVED}])[{_JOINERS}]+|[{_JOINERS}]+(?=[{_MOVED}])",
        regex.VERSION1,
    )


_MOST_PLACES = 20_000
"""Characters whose place is remembered: more than a language has, fewer than strangers can send."""


class _Places(dict[int, str]):
    """How characters that have been seen are indexed, by their code points."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        found = _separate().fullmatch(char)
        match found and found.lastgroup:
            case "alone":
                place = f" {char} "
            case "symbol":
                place = f" {chr(code + _PRIVATE)} "
            case "mark":
                place = chr(code + _PRIVATE)
            case "space":
                place = " "
            case _:
                place = char
        if len(self) < _MOST_PLACES:
            self[code] = place
        return place


_PLACES = _Places()


def _unmoved(found: re.Match[str]) -> str:
    char = chr(ord(found[0]) - _PRIVATE)
    return char if _PLACES[ord(char)].strip() == found[0] else found[0]


@lru_cache(maxsize=1_000)  # a search asks a dozen times
def _words(text: str) -> tuple[str, ...]:
    return words_in(text)


@lru_cache(maxsize=1_000)  # called for every line that may contain it
def _literal(text: str) -> tuple[str, ...]:
    if not words_in(text):
        return tuple(normalized(text).split()) or (text,)
    pieces = [_MARKS_AROUND.sub("", piece) for piece in text.split()]
    pieces = [_without_punctuation(piece) for piece in pieces]
    return tuple(normalized(piece) for piece in pieces if _DROPPED.search(_segmented(piece)))


def _without_punctuation(piece: str) -> str:
    """`piece` without the punctuation of its sentence: `(C++)`, `.NET,`, `<ada>:`."""
    ended = piece.rstrip(_SENTENCE_PUNCTUATION)
    word = ended.lstrip(_SENTENCE_PUNCTUATION)
    before = ended.removesuffix(word) if word else ""
    in_brackets = before[-1:] == "<" and ">" in piece[len(ended) :]
    sign = None if in_brackets else _SIGN_BEFORE.search(before)
    return (sign[0] if sign else "") + word


def _occurs(piece: str, text: str, *, cut: bool) -> bool:
    """Whether `piece` occurs in `text` as whole words; with `cut` the last may be a beginning.

    An option begins with its minus: `-server` is not in `openssh-server`.
    """
    first = piece.lstrip("-")[:1] or "-"
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        before, after = text[at - 1 : at], "" if cut else text[end : end + 1]
        if not (_in_one_word(before, first) or _in_one_word(piece[-1], after)):
            return True
        at = text.find(piece, at + 1)
    return False


def _in_one_word(one: str, other: str) -> bool:
    """Whether two adjacent characters belong to one word."""
    pair = _segmented(one + other)
    return len(pair) == 2 and _split(pair) == [pair]


def _consecutive(wanted: tuple[str, ...], words: tuple[str, ...], *, cut: bool) -> bool:
    """Whether the words are consecutive in a line; with `cut` the last may be a beginning."""
    whole = f" {' '.join(wanted)}{'' if cut else ' '}"
    return not wanted or whole in f" {' '.join(words)} "
