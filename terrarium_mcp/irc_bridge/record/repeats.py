"""Tells equal lines of one replay apart: people do say "hi" three times in a second."""

from collections import Counter

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import NewMessage


class Repeats:
    """Counts equal lines of a second in the replays of each channel, which are in order of time."""

    def __init__(self) -> None:
        self._seconds: dict[str, tuple[str, Counter[tuple[str, ...]]]] = {}

    def numbered(self, message: NewMessage) -> NewMessage:
        """A replayed message, with `repeat` set."""
        channel, second = fold(message.channel), message.server_second
        counted = self._seconds.get(channel)
        if counted is None or counted[0] != second:
            counted = self._seconds[channel] = second, Counter()
        alike = (message.kind, message.nick, message.text)
        repeat = counted[1][alike]
        counted[1][alike] += 1
        return message._replace(repeat=repeat) if repeat else message

    def end(self, channel: str) -> None:
        """The replay of a channel has ended: the next one counts from the beginning."""
        self._seconds.pop(fold(channel), None)
