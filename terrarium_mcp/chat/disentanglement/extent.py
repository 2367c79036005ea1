"""The extent of a conversation: which of its lines to show around a message, which to leave out.

A line is left out if it is both far and doubtful. Far: more than `NEAR_LINES` lines away, with a
silence of the room in between. Doubtful: some link of the chain to it is more likely wrong than
right, and the whole chain is hardly right; the longer the silence, the surer it must be. A reply
that comes an hour later and names whom it answers has a sure chain and is shown.

Measured on the annotated Ubuntu logs, laid out as a quiet channel of regulars with nights and late
replies (bench/quality/quiet_channel.py), where wrong links join the talk of different hours: see
bench/README.md. In the logs as they are, without silences, nothing changes. Leaving out doubtful
lines that are near, or far ones that are sure, costs answers: with links of 0.5 up alone the recall
of a conversation falls from 80 % to 45 %.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from terrarium_mcp.chat.disentanglement.chains import ReplyChain, ReplyGraph
from terrarium_mcp.chat.disentanglement.utterance import DOUBTFUL, ReplyLink, Utterance

NEAR_LINES = 8
"""Lines of talk around the message within which no line is far, whatever the silence."""

SILENCE = 600.0
"""Seconds without a line in the room from which on the talk beyond counts as far."""

HARDLY_RIGHT = 0.02
"""Below this probability of all its links being right a chain does not cross a silence of
`SILENCE`. It grows with the root of the silence: 0.05 for an hour, 0.15 for a night, and never more
than `DOUBTFUL`.
"""


@dataclass(frozen=True, slots=True)
class Extent:
    """The links of a conversation's lines that are shown, and of those `left_out`, as given."""

    shown: Sequence[ReplyLink] = ()
    left_out: Sequence[ReplyLink] = ()


def extent_of(
    message_id: int, utterances: Sequence[Utterance], links: Sequence[ReplyLink]
) -> Extent:
    """The extent of a message's conversation; empty if the message is not in the window.

    Args:
        message_id: the message.
        utterances: a window of one room, in the order they were said.
        links: the link of each of them, as `find_links` returns them.
    """
    at = next((index for index, one in enumerate(utterances) if one.id == message_id), None)
    if at is None:
        return Extent()
    chains = ReplyGraph(links).chains_from(message_id)
    shown, left_out = list[ReplyLink](), list[ReplyLink]()
    silences = _silences(utterances, at)
    for index, (link, silence) in enumerate(zip(links, silences, strict=True)):
        if link.line in chains:
            is_far = abs(index - at) > NEAR_LINES and silence >= SILENCE
            leave = is_far and _is_doubtful(chains[link.line], silence)
            (left_out if leave else shown).append(link)
    return Extent(shown, left_out)


def _is_doubtful(chain: ReplyChain, silence: float) -> bool:
    needed = min(DOUBTFUL, HARDLY_RIGHT * math.sqrt(silence / SILENCE))
    return chain.weakest < DOUBTFUL and chain.all_right < needed


def _silences(utterances: Sequence[Utterance], at: int) -> Iterator[float]:
    """For each utterance the longest silence, in seconds, between it and the one at `at`."""
    pauses = [later.at - earlier.at for earlier, later in pairwise(utterances)]
    yield from reversed([*accumulate(reversed(pauses[:at]), max)])
    yield 0.0
    yield from accumulate(pauses[at:], max)
