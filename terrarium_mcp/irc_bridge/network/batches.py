"""Marks replayed lines: those in a batch of history (IRCv3 batch)."""

from dataclasses import replace

from terrarium_mcp.irc_bridge.network.message import IrcMessage

_HISTORY = frozenset(("chathistory", "draft/chathistory", "znc.in/playback"))

_MOST = 1_000
"""Open batches of history that are remembered: servers have a handful, one in another."""


class Batches:
    """The open batches of history of one connection, and those inside them."""

    def __init__(self) -> None:
        self._open: dict[str, None] = {}
        """Their references, the oldest first."""

    def marked(self, line: IrcMessage) -> IrcMessage:
        """`line`, with `replay` set if it is in a batch of history. Also reads BATCH lines."""
        replayed = bool(self._open) and line.tags.get("batch") in self._open
        if line.command == "BATCH" and line.params:
            self._open_or_close(line, within=replayed)
        return replace(line, replay=True) if replayed else line

    def _open_or_close(self, line: IrcMessage, *, within: bool) -> None:
        sign, reference = line.params[0][:1], line.params[0][1:]
        self._open.pop(reference, None)  # it ends, or begins again as another
        if sign == "+" and (within or "".join(line.params[1:2]).lower() in _HISTORY):
            self._open[reference] = None
            if len(self._open) > _MOST:
                del self._open[next(iter(self._open))]
