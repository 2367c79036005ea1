"""Tables as lines of text."""

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

_WIDEST = 80
"""Columns of a table that is aligned; a wider one would be broken by clients anyway."""


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, its cells aligned if the whole is narrow enough for that."""
    columns = zip_longest(*rows, fillvalue="")
    widths = [max(map(_width, column)) for column in columns]
    if sum(widths) + 3 * (len(widths) - 1) > _WIDEST:
        return [" | ".join(row) for row in rows]
    return [
        " | ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)
        )
        for row in rows
    ]


def _width(text: str) -> int:
    """Columns that `text` takes in a font of fixed width, where CJK takes two for a character."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
