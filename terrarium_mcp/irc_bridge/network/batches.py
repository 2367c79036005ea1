"""Marks replayed lines: those in a batch of history (IRCv3 batch)."""

from dataclasses import dataclass, replace

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.irc_message import IrcMessage

_HISTORY = frozenset(("chathistory", "draft/chathistory", "znc.in/playback"))

_MOST = 1_000
"""Open batches of history that are remembered: servers have a handful, one in another."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch of history, or one inside it."""

    target: str
    """The channel or nick whose history it is."""
    is_whole: bool
    """Whether it is the batch of history itself."""


class Batches:
    """The open batches of history of one connection, and those inside them."""

    def __init__(self) -> None:
        self._open = BoundedDict[str, _Batch](_MOST)
        """By reference, the oldest first."""

    def marked(self, line: IrcMessage) -> IrcMessage:
        """`line`, with `replay` and `replay_of` set if it is in a batch of history.

        Also reads BATCH lines: the end of a batch of history has `replay_of` set.
        """
        around = self._open.get(line.tags["batch"]) if "batch" in line.tags else None
        ended = None
        if line.command == "BATCH" and line.params:
            ended = self._open_or_close(line, around)
        if around:
            return replace(line, replay=True, replay_of=around.target)
        return replace(line, replay_of=ended.target) if ended else line

    def _open_or_close(self, line: IrcMessage, around: _Batch | None) -> _Batch | None:
        """Note that a batch begins or ends; returns a batch of history that ends."""
        sign, reference = line.params[0][:1], line.params[0][1:]
        before = self._open.pop(reference, None)  # it ends, or begins again as another
        if sign == "-":
            return before if before and before.is_whole else None
        kind, target = "".join(line.params[1:2]).lower(), "".join(line.params[2:3])
        if sign == "+" and kind in _HISTORY:
            self._open[reference] = _Batch(target, is_whole=True)
        elif sign == "+" and around:
            self._open[reference] = _Batch(around.target, is_whole=False)
        return None
