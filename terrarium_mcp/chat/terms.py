"""Terms: what somebody looks for, and when a line holds it.

The index keeps letters and digits. So that it can answer exactly wherever possible, text goes into
it `spread`: each character of a script without spaces, and each symbol such as an emoji, stands
alone as a word. Whatever else a term holds (`C++`, `foo_bar`, a URL) has to stand in the line as it
was typed, and only the line itself can tell.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import regex

UNSAYABLE = "\ue000"
"""A character for private use, which separates words like a space. The index begins with it the
words that it adds of its own, so that nobody can say one of them."""

_APART = regex.compile(
    # Korean has spaces, but hangs its particles on the words.
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
    rf"|(?P<symbol>[\p{{S}}--\p{{ASCII}}])|(?P<space>{UNSAYABLE})",
    regex.VERSION1,
)
_PRIVATE = 0xF0000
"""Symbols move up by this, into the planes for private use: there the tokenizer takes them for
letters. It knows no emoji later than Unicode 6.1."""

_WORD = re.compile(r"[^\W_]+|[\U000f0000-\U0010fffd]")
_ASCII_LETTERS = bytes(byte if bytes([byte]).isalnum() else 0x20 for byte in range(256)).lower()
"""For each byte a letter or digit in lower case, and a space for all others."""

_ACCENTS = re.compile("[\u0300-\u036f]+")
_AROUND = (
    ".,;:!?()[]{}<>\"'\u2019\u2026\u00ab\u00bb\u201c\u201d\u201e\u3001\u3002\uff01\uff0c\uff1f"
)
"""Punctuation of the sentence in which a word stands, not part of the word."""

# Neither spaces nor apostrophes, nor what only joins or shapes other characters.
_NOT_KEPT = re.compile(
    r"[^\w\s'\u2019\u0300-\u036f\u200b-\u200d\ufe00-\ufe0f\U000f0000-\U0010fffd]|_"
)


class TermKind(StrEnum):
    """How a term has to stand in a line: as a word, as words in a row, as a word's beginning."""

    WORD = "word"
    PHRASE = "phrase"
    PREFIX = "prefix"


@dataclass(frozen=True, slots=True)
class Term:
    """Something looked for, as it was typed but for the signs around it."""

    text: str
    kind: TermKind = TermKind.WORD

    def __str__(self) -> str:
        """Print the term as it has to be typed."""
        match self.kind:
            case TermKind.PHRASE:
                return f'"{self.text}"'
            case TermKind.PREFIX:
                return f"{self.text}*"
        return self.text

    @property
    def words(self) -> tuple[str, ...]:
        """What the index holds of it: folded words, which have to follow on each other."""
        return words_in(self.text)

    @property
    def literal(self) -> tuple[str, ...]:
        """What the index does not hold of it: folded pieces, which the line itself has to show."""
        return _literal(self.text)


def spread(text: str) -> str:
    """`text` as it is indexed: what is a word of its own stands between spaces."""
    return text if text.isascii() else _APART.sub(_alone, text)


def words_in(text: str) -> tuple[str, ...]:
    """The words of `text`, folded, as the index holds them."""
    if text.isascii():
        # A third of the time of a regular expression: thousands of lines are looked at.
        return tuple(text.encode().translate(_ASCII_LETTERS).decode().split())
    return tuple(_WORD.findall(folded(spread(text))))


def encoded_words(text: str) -> list[bytes]:
    """The same in UTF-8; of a lone surrogate remains a `?`."""
    if text.isascii():
        return text.encode().translate(_ASCII_LETTERS).split()
    return [word.encode(errors="replace") for word in words_in(text)]


def folded(text: str) -> str:
    """`text` without upper case and accents."""
    if text.isascii():
        return text.lower()
    return _ACCENTS.sub("", unicodedata.normalize("NFD", text.casefold()))


def holds(line: str, term: Term) -> bool:
    """Whether `line`, as people read it, holds `term`."""
    text, cut = folded(line), term.kind is TermKind.PREFIX
    literal = all(_stands(piece, text, cut=cut) for piece in term.literal)
    return literal and _in_a_row(term.words, words_in(line), cut=cut)


def _alone(found: regex.Match[str]) -> str:
    if found["space"]:
        return " "
    char = chr(ord(found[0]) + _PRIVATE) if found["symbol"] else found[0]
    return f" {char} "


@lru_cache(maxsize=1_000)  # asked for every line that may hold it
def _literal(text: str) -> tuple[str, ...]:
    if not words_in(text):
        return tuple(folded(text).split()) or (text,)
    pieces = [piece.strip(_AROUND) for piece in text.split()]
    return tuple(folded(piece) for piece in pieces if _NOT_KEPT.search(spread(piece)))


def _stands(piece: str, text: str, *, cut: bool) -> bool:
    """Whether `piece` is in `text`, and no word goes on there at its ends: one end, if `cut`."""
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        before, after = text[at - 1 : at], "" if cut else text[end : end + 1]
        if not (_joined(before, piece[0]) or _joined(piece[-1], after)):
            return True
        at = text.find(piece, at + 1)
    return False


def _joined(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    pair = spread(one + other)
    return len(pair) == 2 and one.isalnum() and other.isalnum()


def _in_a_row(wanted: tuple[str, ...], words: tuple[str, ...], *, cut: bool) -> bool:
    """Whether words follow on each other in a line; of the last one its beginning, if `cut`."""
    whole = f" {' '.join(wanted)}{'' if cut else ' '}"
    return not wanted or whole in f" {' '.join(words)} "
