"""A conversation: the lines that are tied together by links."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from terrarium_mcp.chat.conversations.line import Link


def conversation_of(line: int, links: Sequence[Link]) -> list[Link]:
    """The links of all lines tied to `line`, itself included, in the order given.

    Lines that answer the same line outside the window are tied together too.
    """
    tied = _ties(links)
    found: set[int | str] = {line}
    waiting: list[int | str] = [line]
    for one in waiting:
        new = [other for other in tied[one] if other not in found]
        found.update(new)
        waiting += new
    return [link for link in links if link.line in found]


def _ties(links: Iterable[Link]) -> dict[int | str, list[int | str]]:
    """For each line, and each msgid outside the window, the lines that are next to it."""
    tied: dict[int | str, list[int | str]] = defaultdict(list)
    for link in links:
        other = link.outside if link.answers is None else link.answers
        if other:
            tied[link.line].append(other)
            tied[other].append(link.line)
    return tied
