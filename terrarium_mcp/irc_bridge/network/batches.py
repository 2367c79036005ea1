"""Marks replayed lines: those in a batch of history (IRCv3 batch)."""

from dataclasses import dataclass, replace

from terrarium_mcp.irc_bridge.network.message import IrcMessage

_HISTORY = frozenset(("chathistory", "draft/chathistory", "znc.in/playback"))


@dataclass(frozen=True, slots=True)
class _Batch:
    kind: str
    parent: str | None
    target: str
    """The channel or nick whose history it is; empty in other kinds."""


class Batches:
    """The open batches of one connection."""

    def __init__(self) -> None:
        self._open: dict[str, _Batch] = {}

    def marked(self, line: IrcMessage) -> IrcMessage:
        """`line`, with `replay` and `replay_of` set if it is in a batch of history.

        Also reads BATCH lines: the end of a batch of history has `replay_of` set.
        """
        history = self._history_around(line.tags.get("batch")) if self._open else None
        ended = self._open_or_close(line) if line.command == "BATCH" and line.params else None
        if history:
            return replace(line, replay=True, replay_of=history.target)
        return replace(line, replay_of=ended.target) if ended else line

    def _open_or_close(self, line: IrcMessage) -> _Batch | None:
        """Note that a batch begins or ends; returns a batch of history that ends."""
        sign, reference = line.params[0][:1], line.params[0][1:]
        if sign == "+":
            kind, target = "".join(line.params[1:2]).lower(), "".join(line.params[2:3])
            self._open[reference] = _Batch(kind, line.tags.get("batch"), target)
        elif sign == "-" and (ended := self._open.pop(reference, None)):
            return ended if ended.kind in _HISTORY else None
        return None

    def _history_around(self, reference: str | None) -> _Batch | None:
        """The batch of history that this batch is, or that contains it."""
        seen: set[str] = set()
        while reference in self._open and reference not in seen:
            batch = self._open[reference]
            if batch.kind in _HISTORY:
                return batch
            seen.add(reference)
            reference = batch.parent
        return None
