"""Marks replayed lines: those in a batch of history (IRCv3 batch)."""

from dataclasses import dataclass, replace

from terrarium_mcp.irc_bridge.network.message import IrcMessage

_HISTORY = frozenset(("chathistory", "draft/chathistory", "znc.in/playback"))


@dataclass(frozen=True, slots=True)
class _Batch:
    kind: str
    parent: str | None


class Batches:
    """The open batches of one connection."""

    def __init__(self) -> None:
        self._open: dict[str, _Batch] = {}

    def marked(self, line: IrcMessage) -> IrcMessage:
        """`line`, with `replay` set if it is in a batch of history. Also reads BATCH lines."""
        replayed = bool(self._open) and self._in_history(line.tags.get("batch"))
        if line.command == "BATCH" and line.params:
            self._open_or_close(line)
        return replace(line, replay=True) if replayed else line

    def _open_or_close(self, line: IrcMessage) -> None:
        sign, reference = line.params[0][:1], line.params[0][1:]
        if sign == "+":
            kind = "".join(line.params[1:2]).lower()
            self._open[reference] = _Batch(kind, line.tags.get("batch"))
        elif sign == "-":
            self._open.pop(reference, None)

    def _in_history(self, reference: str | None) -> bool:
        """Whether this batch, or one that contains it, is history."""
        seen: set[str] = set()
        while reference in self._open and reference not in seen:
            batch = self._open[reference]
            if batch.kind in _HISTORY:
                return True
            seen.add(reference)
            reference = batch.parent
        return False
