"""Which of our lines leaves next: flows take turns, and refusals wait for everything else. Pure.

A flow is a channel, or all private chats together, so that many people in private delay a channel
no more than one does. Of a flow that is due, one line leaves, and it goes to the end of the row:

    flows           take turns, a line each
    private chats   take turns among themselves in the same way
    in each of them up to two lines of short commands, then one of an answer, and so on
    refusals        leave when nothing else waits, flows in turn, and so does
                    the sign that we are typing

So the reply to a `!ping` waits for one line of its channel at most, if nobody else has commands
there, and for one or two of each other flow.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Generic, TypeVar

Item = TypeVar("Item")

PRIVATE = ""
"""The flow of all private chats."""


_COMMANDS_IN_A_ROW = 2
"""Lines of short commands that leave before one of an answer does."""


class Lane(Enum):
    """What a line of ours is."""

    ANSWER = auto()
    """To a question: many lines, after a long time."""
    COMMAND = auto()
    """To a short command, and whatever else a person waits for."""
    LAST = auto()
    """That a person must wait, or is not answered."""
    TYPING = auto()
    """That we are typing: it delays nothing either."""


@dataclass(slots=True)
class _TargetLines(Generic[Item]):
    """The lines for one channel or nick, of the two kinds that take turns."""

    answers: deque[Item] = field(default_factory=deque)
    commands: deque[Item] = field(default_factory=deque)
    commands_in_a_row: int = 0

    def next(self) -> Item:
        if self.commands and not (self.answers and self.commands_in_a_row >= _COMMANDS_IN_A_ROW):
            self.commands_in_a_row += 1
            return self.commands.popleft()
        self.commands_in_a_row = 0
        return self.answers.popleft()

    def __bool__(self) -> bool:
        return bool(self.answers or self.commands)


class OutgoingQueue(Generic[Item]):
    """Lines that wait to leave, in an order that is fair to all whom they are for."""

    def __init__(self) -> None:
        # Dictionaries keep their order: the first is due, and goes to the end when it was served.
        self._flows: dict[str, dict[str, _TargetLines[Item]]] = {}
        self._last: dict[str, deque[Item]] = {}
        self._count = 0

    def put(self, item: Item, *, flow: str, target: str, lane: Lane) -> None:
        """Add a line for `target`, a channel or nick, which is in `flow`."""
        self._count += 1
        if lane in (Lane.LAST, Lane.TYPING):
            self._last.setdefault(flow, deque()).append(item)
            return
        lines = self._flows.setdefault(flow, {}).setdefault(target, _TargetLines())
        (lines.answers if lane is Lane.ANSWER else lines.commands).append(item)

    def next(self) -> Item | None:
        """Take out the line that leaves next; None if there is none."""
        if not self._count:
            return None
        self._count -= 1
        if self._flows:
            return self._next_of_flows()
        flow, lines = _first(self._last)
        item = lines.popleft()
        if lines:
            self._last[flow] = lines
        return item

    def remove(self, is_unwanted: Callable[[Item], bool]) -> list[Item]:
        """Take out the lines that will not be said; returns them."""
        removed = [item for lines in self._all() for item in lines if is_unwanted(item)]
        for lines in self._all():
            kept = [item for item in lines if not is_unwanted(item)]
            lines.clear()
            lines.extend(kept)
        self._count -= len(removed)
        self._flows = {
            flow: left
            for flow, targets in self._flows.items()
            if (left := {target: lines for target, lines in targets.items() if lines})
        }
        self._last = {flow: lines for flow, lines in self._last.items() if lines}
        return removed

    @property
    def only_last_left(self) -> bool:
        """Whether nothing waits but refusals and signs that we are typing."""
        return bool(self._last) and not self._flows

    def __len__(self) -> int:
        """How many lines wait."""
        return self._count

    def _next_of_flows(self) -> Item:
        flow, targets = _first(self._flows)
        target, lines = _first(targets)
        item = lines.next()
        if lines:
            targets[target] = lines
        if targets:
            self._flows[flow] = targets
        return item

    def _all(self) -> Iterable[deque[Item]]:
        for targets in self._flows.values():
            for lines in targets.values():
                yield lines.answers
                yield lines.commands
        yield from self._last.values()


Rowed = TypeVar("Rowed")


def _first(row: dict[str, Rowed]) -> tuple[str, Rowed]:
    """Take out the first of a row."""
    key = next(iter(row))
    return key, row.pop(key)
