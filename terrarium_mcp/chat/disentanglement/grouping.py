"""Conversations: the connected components of the reply links."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from terrarium_mcp.chat.disentanglement.utterance import ReplyLink


def conversation_of(message_id: int, links: Sequence[ReplyLink]) -> list[ReplyLink]:
    """The links of all messages connected to `message_id`, itself included, in the order given.

    Messages that answer the same message outside the window are connected through it.
    """
    reached = _reached(message_id, _graph(links))
    return [link for link in links if link.line in reached]


def conversations_in(links: Sequence[ReplyLink]) -> list[list[ReplyLink]]:
    """The links of every conversation; conversations and links are in the order given."""
    graph = _graph(links)
    first: dict[int | str, int] = {}
    found: dict[int, list[ReplyLink]] = defaultdict(list)
    for link in links:
        if link.line not in first:
            first |= dict.fromkeys(_reached(link.line, graph), link.line)
        found[first[link.line]].append(link)
    return [*found.values()]


def _reached(message_id: int, graph: Mapping[int | str, Sequence[int | str]]) -> set[int | str]:
    """The nodes connected to a message, itself included."""
    reached: set[int | str] = {message_id}
    queue: list[int | str] = [message_id]
    for node in queue:
        new = [other for other in graph.get(node, ()) if other not in reached]
        reached.update(new)
        queue += new
    return reached


def _graph(links: Iterable[ReplyLink]) -> Mapping[int | str, Sequence[int | str]]:
    """The reply graph: nodes are message ids, and msgids of messages outside the window."""
    neighbours: dict[int | str, list[int | str]] = defaultdict(list)
    for link in links:
        other = link.outside if link.answers is None else link.answers
        if other:
            neighbours[link.line].append(other)
            neighbours[other].append(link.line)
    return neighbours
