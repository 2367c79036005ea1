"""Tells equal lines of one replay apart: people do say "hi" three times in a second."""

from collections import Counter
from dataclasses import replace

from terrarium_mcp.chat.records import NewMessage

_Alike = tuple[object, ...]


class Repeats:
    """Numbers the equal lines in the replays that are going on, a replay for each channel."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[_Alike]] = {}

    def numbered(self, message: NewMessage, replay_of: str) -> NewMessage:
        """A replayed message, with `repeat` set."""
        counts = self._counts.setdefault(replay_of, Counter())
        second = message.said_at.replace(microsecond=0)
        alike = (message.channel, message.kind, message.nick, message.text, second)
        repeat = counts[alike]
        counts[alike] += 1
        return replace(message, repeat=repeat) if repeat else message

    def end(self, replay_of: str) -> None:
        """Forget a replay that has ended."""
        self._counts.pop(replay_of, None)
