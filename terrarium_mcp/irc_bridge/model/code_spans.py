"""Tells which places of a model's answer are code, where a tag is quoted and means nothing."""

import re

_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_TICKS = re.compile(r"^ {0,3}```+|(`+)", re.MULTILINE)
"""Runs of backticks, in its group those inside a line: at its beginning they are a fence."""


class CodeSpans:
    """The code of one text in markdown, fenced or between backticks; asked from front to back.

    An estimate that reads the text once: fences and, in a line, runs of backticks are counted.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._is_fenced = False
        self._is_inline = False

    def holds(self, place: int) -> bool:
        """Whether the character at `place` is code; no place may come before an earlier one."""
        if len(_FENCE.findall(self._text, self._at, place)) % 2:
            self._is_fenced = not self._is_fenced
        line = self._text.rfind("\n", self._at, place) + 1
        if line:
            self._is_inline = False
        if sum(map(bool, _TICKS.findall(self._text, line or self._at, place))) % 2:
            self._is_inline = not self._is_inline
        self._at = place
        return self._is_fenced or self._is_inline
