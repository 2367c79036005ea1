"""Leaps: reply links over a pause that do not join what was said before and after it.

This is where a conversation ends for whoever is told what a time held: in a digest, and in the
conversations of a day. What is shown around one message has room for more (`extent`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from terrarium_mcp.chat.disentanglement.utterance import DOUBTFUL, ReplyLink

_SURE_ENOUGH = ((3_600.0, 0.9), (600.0, DOUBTFUL))
"""(seconds, probability): a reply link longer than that needs at least that probability. A wrong
one joins what was said at different hours: to what somebody said two hours ago, their new topic is
linked with 0.75. Where they are 0.9 sure, links are right 95 times in 100."""

_OVER = 6 * 3_600.0
"""Seconds of silence after which those who go on begin another conversation, or what two people say
day after day would be one of them, and shown once."""


def without_leaps(links: Iterable[ReplyLink], times: Mapping[int, float]) -> list[ReplyLink]:
    """The links, as starts of conversations where they reach too far back for how sure they are.

    Args:
        links: the reply links of some lines.
        times: when each of these lines was said, in seconds, by id.
    """
    return [link._replace(answers=None) if _is_leap(link, times) else link for link in links]


def without_silences(
    conversation: Sequence[ReplyLink], times: Mapping[int, float]
) -> Iterator[Sequence[ReplyLink]]:
    """The links of a conversation, whose lines are in order, up to each long silence in it."""
    said_at = [times[link.line] for link in conversation]
    ends = [n for n in range(1, len(said_at)) if said_at[n] - said_at[n - 1] > _OVER]
    for start, end in pairwise([0, *ends, len(said_at)]):
        yield conversation[start:end]


def _is_leap(link: ReplyLink, times: Mapping[int, float]) -> bool:
    if link.answers is None or link.answers not in times:
        return False
    pause = times[link.line] - times[link.answers]
    needed = next((least for length, least in _SURE_ENOUGH if pause > length), 0.0)
    return link.probability < needed
