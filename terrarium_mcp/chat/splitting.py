"""Cuts long text into lines that fit, where a reader would take a breath."""

import regex

LARGEST_CODE_POINT = 4  # bytes of UTF-8 (RFC 3629 3)

_GRAPHEME = regex.compile(r"\X")
_SENTENCE_END = regex.compile(
    r"""[.!?\u2026]["')\]\u00bb\u201d\u2019]*(?=\s)|[\u3002\uff01\uff1f](?![\p{GCB=Extend}\p{GCB=SpacingMark}\u200d])"""
)


def split_for_irc(text: str, room: int) -> list[str]:
    """Cut `text` into pieces of at most `room` bytes of UTF-8.

    A cut falls at the end of a sentence or at a space if one stands in the second half of the
    room, else between two graphemes, and inside a grapheme only if that is larger than the room.
    Spaces at a cut vanish; nothing else does, except that a lone surrogate becomes `?`.
    """
    if room < LARGEST_CODE_POINT:
        raise ValueError(
            f"{room} bytes hold no character: room must be {LARGEST_CODE_POINT} or more"
        )
    rest = text.encode("utf-8", "replace").decode()
    pieces = []
    while rest:
        cut = _cut(rest, room)
        piece, rest = rest[:cut], rest[cut:]
        if rest:
            piece, rest = piece.rstrip(" "), rest.lstrip(" ")
        if piece:
            pieces.append(piece)
    return pieces


def _cut(text: str, room: int) -> int:
    """How many characters of `text` the next piece takes."""
    fits = len(text[:room].encode()[:room].decode("utf-8", "ignore"))
    if fits == len(text):
        return fits
    return _sentence_end(text, fits) or _space(text, fits) or _grapheme_end(text, fits) or fits


def _sentence_end(text: str, fits: int) -> int:
    """Just after the last sentence that ends in the second half of the room, or 0."""
    ends = _SENTENCE_END.finditer(text, fits // 2, fits + 1)
    return max((end.end() for end in ends if end.end() <= fits), default=0)


def _space(text: str, fits: int) -> int:
    """At the last space in the second half of the room (or just behind the room), or 0."""
    return max(text.rfind(" ", fits // 2, fits + 1), 0)


def _grapheme_end(text: str, fits: int) -> int:
    """After the last grapheme that fits as a whole, or 0."""
    graphemes = _GRAPHEME.finditer(text, 0, fits + 1)
    return max((found.end() for found in graphemes if found.end() <= fits), default=0)
