"""Conversations: the connected components of the reply links."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from terrarium_mcp.chat.disentanglement.utterance import ReplyLink


def conversation_of(message_id: int, links: Sequence[ReplyLink]) -> list[ReplyLink]:
    """The links of all messages connected to `message_id`, itself included, in the order given.

    Messages that answer the same message outside the window are connected through it.
    """
    neighbours = _neighbours(links)
    reached: set[int | str] = {message_id}
    queue: list[int | str] = [message_id]
    for node in queue:
        new = [other for other in neighbours[node] if other not in reached]
        reached.update(new)
        queue += new
    return [link for link in links if link.line in reached]


def _neighbours(links: Iterable[ReplyLink]) -> dict[int | str, list[int | str]]:
    """The reply graph: nodes are message ids, and msgids of messages outside the window."""
    neighbours: dict[int | str, list[int | str]] = defaultdict(list)
    for link in links:
        other = link.outside if link.answers is None else link.answers
        if other:
            neighbours[link.line].append(other)
            neighbours[other].append(link.line)
    return neighbours
