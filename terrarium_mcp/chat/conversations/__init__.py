"""Takes chat apart into conversations: which line answers which, and how sure that is.

A window of lines is read from first to last. Each line may answer one of some earlier ones, or
start a conversation. Every choice has a score, the sum of a dozen learnt table entries: who speaks
to whom, how long ago, words in common, question or answer, what that conversation looks like so
far. The best choice wins, and later lines are scored against it. A reply tag needs no guess.

    links = linked(lines)                  one for each line
    conversation_of(lines[100].id, links)  those of the lines around one of them

Read in this order: `line`, `words`, `people`, `window` (lines on their own), `history`, `common`,
`scores` (lines beside others), `linking`, `grouping`. `tables` holds what was learnt.
"""

from terrarium_mcp.chat.conversations.grouping import conversation_of
from terrarium_mcp.chat.conversations.line import Line, Link
from terrarium_mcp.chat.conversations.linking import linked

__all__ = ["Line", "Link", "conversation_of", "linked"]
