"""Conversations: the connected components of the reply links."""

from collections import defaultdict
from collections.abc import Sequence

from terrarium_mcp.chat.disentanglement.chains import ReplyGraph
from terrarium_mcp.chat.disentanglement.utterance import ReplyLink


def conversations_in(links: Sequence[ReplyLink]) -> list[list[ReplyLink]]:
    """The links of every conversation; conversations and links are in the order given.

    Messages that answer the same message outside the window are connected through it.
    """
    graph = ReplyGraph(links)
    first: dict[int | str, int] = {}
    found: dict[int, list[ReplyLink]] = defaultdict(list)
    for link in links:
        if link.line not in first:
            first |= dict.fromkeys(graph.chains_from(link.line), link.line)
        found[first[link.line]].append(link)
    return [*found.values()]
