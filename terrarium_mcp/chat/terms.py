"""Search terms, and whether a line contains one.

The index keeps letters and digits only. So that it can answer exactly wherever possible, text is
folded and segmented before it is indexed: letters lose their case and accents, and each character
of a script without spaces, and each symbol such as an emoji, becomes a word. Any other part of a
term (`C++`, `foo_bar`, a URL) must occur in the line as it was typed, which only the line itself
can show.
"""

import re
import unicodedata
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import regex

RESERVED_PREFIX = "\ue000"
"""A private-use character, treated like a space in messages. The index begins its own words with
it, so that no message can contain one of them."""

_PRIVATE = 0xF0000
"""Added to the code point of a symbol, which moves it into the private-use planes. The tokenizer
treats those as letters, but knows no emoji newer than Unicode 6.1."""

_WORD = re.compile(r"[^\W_]+|[\U000f0000-\U0010fffd]")
_ASCII_LETTERS = bytes(byte if bytes([byte]).isalnum() else 0x20 for byte in range(256)).lower()
"""A translation table: ASCII letters and digits in lower case, a space for every other byte."""

_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0655\u0670]+"
)
"""Marks above and below Latin, Greek and Cyrillic letters, the points of Hebrew and the vowels and
hamza of Arabic: most people leave them out."""

_PLAIN_LETTERS = str.maketrans(
    {
        **dict(zip("\u0131\u0142\u0111\u00f8\u0127\u0167\u00f0", "ildohtd", strict=True)),
        "\u00e6": "ae",
        "\u0153": "oe",
        "\u00fe": "th",
        "\u0640": None,
        "\u02bc": "'",
        "\u05f3": "'",
        "\u05f4": '"',
    }
)
"""Letters whose stroke or missing dot is no accent to Unicode, ligatures, what stretches an Arabic
word, and the apostrophes of Ukrainian and Hebrew, which are letters to Unicode."""

_WIDTHS = re.compile("[\uff01-\uffee]+")
"""Letters and kana as wide, or half as wide, as an ideograph."""

_SENTENCE_PUNCTUATION = (
    ".,;:!?()[]{}<>\"'\u2019\u2026\u00ab\u00bb\u201c\u201d\u201e\u3001\u3002\uff01\uff0c\uff1f"
)
"""Punctuation of the sentence around a word, not part of the word."""

_SIGN_BEFORE = re.compile(r"(?<![.:;<!])[.:;<!]$")
"""A single sign at the beginning of a word is part of it: `.NET`, `:P`, `<3`, `!ops`."""

_MARKS = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""Soft hyphens, joiners, and what tells the direction of text, as ranges: pasted text from right to
left is full of them, and nobody means them."""

_MARKS_AROUND = re.compile(f"^[{_MARKS}]+|[{_MARKS}]+$")

# What the index drops and a person sees: all but letters, digits, spaces, apostrophes, and
# combining characters.
_DROPPED = re.compile(rf"[^\w\s'\u2019\u0300-\u036f{_MARKS}\ufe00-\ufe0f\U000f0000-\U0010fffd]|_")


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
    return text if text.isascii() else normalized(_segmented(unicodedata.normalize("NFC", text)))


def words_in(text: str) -> tuple[str, ...]:
    """The normalized words of `text`, as they are in the index."""
    if text.isascii():
        # Takes a third of the time of the regex; a search compares thousands of lines.
        return tuple(text.encode().translate(_ASCII_LETTERS).decode().split())
    return tuple(_WORD.findall(indexed(text)))


def encoded_words(text: str) -> list[bytes]:
    """The words of `text` in UTF-8, with `?` for a lone surrogate."""
    return encoded_words_of(indexed(text))


def encoded_words_of(folded: str) -> list[bytes]:
    """The words in UTF-8 of a text as it is `indexed`, which is not folded again."""
    if folded.isascii():
        return folded.encode().translate(_ASCII_LETTERS).split()
    return [word.encode(errors="replace") for word in _WORD.findall(folded)]


def normalized(text: str) -> str:
    """`text` in lower case and without accents, in letters of the usual width."""
    if text.isascii():
        return text.lower()
    usual = _WIDTHS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", usual.casefold()))
    # Korean and Indic letters are whole again.
    return unicodedata.normalize("NFC", bare.translate(_PLAIN_LETTERS))


def contains_term(line: str, term: Term) -> bool:
    """Whether `line`, without formatting codes, contains `term`."""
    text, cut = normalized(line), term.kind is TermKind.PREFIX
    literal = all(_occurs(piece, text, cut=cut) for piece in term.literal)
    return literal and _consecutive(term.words, words_in(line), cut=cut)


def _segmented(text: str) -> str:
    return text if text.isascii() else _separate().sub(_spaced, text)


@cache
def _separate() -> "regex.Pattern[str]":
    """Characters that are words by themselves, or spaces."""
    import regex  # noqa: PLC0415 -- loaded with the first text that is not ASCII

    return regex.compile(
        # Korean has spaces, but hangs its particles on the words.
        r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
        rf"|(?P<symbol>[\p{{S}}--\p{{ASCII}}])|(?P<space>{RESERVED_PREFIX})",
        regex.VERSION1,
    )


def _spaced(found: "regex.Match[str]") -> str:
    if found["space"]:
        return " "
    char = chr(ord(found[0]) + _PRIVATE) if found["symbol"] else found[0]
    return f" {char} "


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
    return len(pair) == 2 and one.isalnum() and other.isalnum()


def _consecutive(wanted: tuple[str, ...], words: tuple[str, ...], *, cut: bool) -> bool:
    """Whether the words are consecutive in a line; with `cut` the last may be a beginning."""
    whole = f" {' '.join(wanted)}{'' if cut else ' '}"
    return not wanted or whole in f" {' '.join(words)} "
