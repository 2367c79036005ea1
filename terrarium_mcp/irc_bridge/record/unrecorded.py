"""Lines of the bot's own that are not recorded: its answers to people who are not recorded."""

from collections import OrderedDict

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain

MOST = 1_000
"""Lines remembered. The send queue holds fewer; one that was never sent leaves with the oldest."""

_OwnLine = tuple[str, str]
"""Where a line is said, folded, and its words."""


class UnrecordedReplies:
    """Remembers what is about to be said, until the network shows that it was said."""

    def __init__(self) -> None:
        self._awaited: OrderedDict[_OwnLine, int] = OrderedDict()

    def add(self, target: str, text: str) -> None:
        """Do not record this line once it has been said. Call it before saying it."""
        line = _own_line(target, text)
        self._awaited[line] = self._awaited.pop(line, 0) + 1
        if len(self._awaited) > MOST:
            self._awaited.popitem(last=False)

    def take(self, target: str, text: str) -> bool:
        """Whether a line of the bot's own is one of these; it counts once."""
        line = _own_line(target, text)
        times = self._awaited.pop(line, 0)
        if times > 1:
            self._awaited[line] = times - 1
        return times > 0


def _own_line(target: str, text: str) -> _OwnLine:
    """The line as it compares: a network may remove formatting, or trailing spaces."""
    return fold(target), " ".join(plain(text).split())
