"""Splits long text into lines that fit into IRC messages, at the ends of sentences or words."""

import regex

from terrarium_mcp.chat.irctext import encodable
from terrarium_mcp.chat.urls import URL

LARGEST_CODE_POINT = 4  # bytes of UTF-8 (RFC 3629 3)

_GRAPHEME = regex.compile(r"\X")
_LINK = regex.compile(rf"[<(\[\"']{{0,3}}{URL.pattern}[>\"]?", regex.IGNORECASE)
"""A URL with the brackets or quotation marks that it stands in."""
_SENTENCE_END = regex.compile(
    # Also in Hindi, Urdu and Arabic.
    r"""[.!?\u2026\u0964\u0965\u06d4\u061f]["')\]\u00bb\u201d\u2019]*(?=\s)"""
    # Chinese and Japanese need no blank.
    r"|[\u3002\uff01\uff1f]++[\p{Close_Punctuation}\p{Final_Punctuation}]*+"
    r"(?![\p{GCB=Extend}\p{GCB=SpacingMark}\u200d])"
)


def split_for_irc(text: str, most_bytes: int) -> list[str]:
    """Cut `text` into pieces of at most `most_bytes` bytes of UTF-8.

    A piece ends at the last end of a sentence in the second half of what fits, otherwise at the
    last space there, otherwise between two graphemes; inside a grapheme only if that alone is too
    long. A URL is cut only if it does not fit into a piece of its own. Spaces at a cut are dropped
    and a lone surrogate becomes `?`; all other text is kept.

    Raises:
        ValueError: `most_bytes` is smaller than one UTF-8 character can be.
    """
    if most_bytes < LARGEST_CODE_POINT:
        raise ValueError(
            f"most_bytes must be at least {LARGEST_CODE_POINT} (one UTF-8 character): {most_bytes}"
        )
    rest = encodable(text)
    pieces = []
    while rest:
        piece, taken = first_piece(rest, most_bytes)
        rest = rest[taken:]
        if piece:
            pieces.append(piece)
    return pieces


def first_piece(text: str, most_bytes: int) -> tuple[str, int]:
    """The first piece of `encodable` text, and how many characters of the text it takes up.

    Spaces at the cut are taken up with it, so that a piece may be empty.
    """
    cut = _cut(text, most_bytes)
    if cut == len(text):
        return text, cut
    return text[:cut].rstrip(" "), len(text) - len(text[cut:].lstrip(" "))


def _cut(text: str, most_bytes: int) -> int:
    """The length of the next piece in characters."""
    fits = len(text[:most_bytes].encode()[:most_bytes].decode("utf-8", "ignore"))
    if fits == len(text):
        return fits
    cut = _sentence_end(text, fits) or _space(text, fits) or _grapheme_end(text, fits) or fits
    return _before_link(text, cut, most_bytes) or cut


def _before_link(text: str, cut: int, most_bytes: int) -> int:
    """The start of the link that a cut would divide, if it fits into a piece of its own, or 0."""
    # A longer one than this finds does not fit.
    for link in _LINK.finditer(text, 0, cut + most_bytes):
        if link.start() < cut < link.end() and len(link[0].encode()) <= most_bytes:
            return link.start()
    return 0


def _sentence_end(text: str, fits: int) -> int:
    """The end of the last sentence that ends in the second half of what fits, or 0."""
    ends = _SENTENCE_END.finditer(text, fits // 2, fits + 1)
    return max((end.end() for end in ends if end.end() <= fits), default=0)


def _space(text: str, fits: int) -> int:
    """The last space in the second half of what fits or directly after it, or 0."""
    return max(text.rfind(" ", fits // 2, fits + 1), 0)


def _grapheme_end(text: str, fits: int) -> int:
    """The end of the last grapheme that fits completely, or 0."""
    graphemes = _GRAPHEME.finditer(text, 0, fits + 1)
    return max((found.end() for found in graphemes if found.end() <= fits), default=0)
