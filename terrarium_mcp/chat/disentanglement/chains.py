"""Chains of reply links: how surely two messages of a window belong together."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from terrarium_mcp.chat.disentanglement.utterance import ReplyLink


class ReplyChain(NamedTuple):
    """The links between two messages: the probability of the weakest, and of all being right.

    The links are taken as independent, so `all_right` is the product of their probabilities.
    """

    weakest: float = 1.0
    all_right: float = 1.0


class ReplyGraph:
    """The reply links of a window, in both directions.

    Its nodes are the ids of messages, and the msgids of messages outside the window.
    """

    def __init__(self, links: Iterable[ReplyLink]) -> None:
        self._neighbours: dict[int | str, list[tuple[int | str, float]]] = defaultdict(list)
        for link in links:
            other = link.outside if link.answers is None else link.answers
            if other:
                self._neighbours[link.line].append((other, link.probability))
                self._neighbours[other].append((link.line, link.probability))

    def chains_from(self, message_id: int, least: float = 0.0) -> dict[int | str, ReplyChain]:
        """The shortest chain to every node connected to a message, the message itself included.

        With `least`, only to nodes whose chain is right with at least that probability.
        """
        chains: dict[int | str, ReplyChain] = {message_id: ReplyChain()}
        queue: list[int | str] = [message_id]
        for node in queue:
            weakest, all_right = chains[node]
            for other, probability in self._neighbours.get(node, ()):
                chance = all_right * probability
                if other not in chains and chance >= least:
                    chains[other] = ReplyChain(min(weakest, probability), chance)
                    queue.append(other)
        return chains
