"""Conversation disentanglement: which message answers which, and with what probability.

A window of utterances is read from first to last. Each one either answers an earlier utterance or
starts a conversation. Every choice has a score, the sum of a dozen learnt table entries: who speaks
to whom, how long ago, shared words, question or answer, what that conversation looks like so far.
The highest score wins, and later utterances are scored against that decision. A reply tag is taken
at its word.

    links = find_links(utterances)         one for each utterance
    links_of_period(before, utterances)    the same, with what was said before in mind
    conversations_in(links)                the links of each conversation
    extent_of(100, utterances, links)      the lines of 100's conversation to show, and to leave out

In the order in which to read them:

- utterance, words, addressees, window: an utterance by itself; buckets: its figures by size
- thread_state, word_overlap, scores, start_score: an utterance beside earlier ones
- quiet_channels: how pauses change a score
- linking, chains, grouping, leaps, periods, extent: who answers whom, and what belongs together
- tables: what was learnt
"""

from terrarium_mcp.chat.disentanglement.chains import ReplyGraph
from terrarium_mcp.chat.disentanglement.extent import Extent, extent_of
from terrarium_mcp.chat.disentanglement.grouping import conversations_in
from terrarium_mcp.chat.disentanglement.leaps import without_leaps, without_silences
from terrarium_mcp.chat.disentanglement.linking import find_links
from terrarium_mcp.chat.disentanglement.periods import lines_before, links_of_period
from terrarium_mcp.chat.disentanglement.utterance import ReplyLink, Utterance
from terrarium_mcp.chat.disentanglement.words import is_bare

__all__ = [
    "Extent",
    "ReplyGraph",
    "ReplyLink",
    "Utterance",
    "conversations_in",
    "extent_of",
    "find_links",
    "is_bare",
    "lines_before",
    "links_of_period",
    "without_leaps",
    "without_silences",
]
