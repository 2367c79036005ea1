"""Ends talks with other programs, by whose pace no human answers. Pure: time is passed in.

A line to us is a reflex if it comes soon after we began a reply to the same person. Many reflexes
in a row are a program's, whatever it says, and bring a pause: nothing of that person is answered.
The first takes two minutes, each further one twice as long, up to a day. Silence ends such a talk:
the program has nothing left to answer.

    3 reflexes in a row within 2 s     two programs that answer at once
    20 in a row within 30 s            ... or that take their time, as another language model does
    60 in a row within 10 minutes      ... or wait on purpose

A line later than that starts the row over. Several lines to us without a reply that begins in
between are one. Whoever reads on where we offered more is no program, since every answer ends: that
line counts in no row. A pause is forgotten a day after it ended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.irc_bridge.ask.commands import PersonKey

FIRST_PAUSE = 120.0
"""Seconds."""
LONGEST_PAUSE = 86_400.0
FORGOTTEN_AFTER = 86_400.0

MOST_PEOPLE = 1_000
"""People remembered: those we talked to last."""


@dataclass(frozen=True, slots=True)
class ReflexRule:
    """`lines` in a row, each within `seconds` after one of our replies began."""

    seconds: float
    lines: int


def reflex_rules(quickest: float) -> tuple[ReflexRule, ...]:
    """The rules, of which the first has `quickest` seconds; 0 switches it off."""
    quick = (ReflexRule(quickest, 3),) if quickest else ()
    return (*quick, ReflexRule(30, 20), ReflexRule(600, 60))


class Pace(Enum):
    """How a line came."""

    HUMAN = auto()
    TOO_MUCH = auto()
    """A pause begins with it."""
    PAUSED = auto()
    """It came in a pause."""


@dataclass(slots=True)
class _Exchange:
    """What was said between one person and us."""

    rows: list[int]
    """Reflexes in a row, for each rule."""
    replied_at: float | None = None
    """When our last reply to them began, if they said nothing since its first line."""
    offered: bool = False
    """Whether we offered more, and they have not taken it."""
    pause: float = 0
    paused_until: float = 0


@dataclass(slots=True)
class LoopGuard:
    """Notes who speaks when, and says when it is enough."""

    rules: Sequence[ReflexRule]
    _exchanges: BoundedDict[PersonKey, _Exchange] = field(
        default_factory=lambda: BoundedDict(MOST_PEOPLE)
    )

    def replied(self, person: PersonKey, at: float) -> None:
        """The first line of a reply has left, which was ready `at` that time.

        The pace of the network delays our lines; it makes nobody who asks the next thing a program.
        """
        self._exchange(person).replied_at = at

    def offered(self, person: PersonKey) -> None:
        """A reply to a person has ended with an offer to read on."""
        self._exchange(person).offered = True

    def heard(self, person: PersonKey, now: float, *, reads_on: bool = False) -> Pace:
        """A person said something to us; with `reads_on`, that they want more of a reply."""
        exchange = self._exchange(person)
        if now < exchange.paused_until:
            return Pace.PAUSED
        if reads_on and exchange.offered:
            exchange.offered, exchange.replied_at = False, None
        if exchange.replied_at is None:
            return Pace.HUMAN
        gap, exchange.replied_at = now - exchange.replied_at, None
        exchange.rows = [
            row + 1 if gap <= rule.seconds else 0
            for row, rule in zip(exchange.rows, self.rules, strict=True)
        ]
        if all(row < rule.lines for row, rule in zip(exchange.rows, self.rules, strict=True)):
            return Pace.HUMAN
        if now > exchange.paused_until + FORGOTTEN_AFTER:
            exchange.pause = 0
        exchange.pause = min(exchange.pause * 2 or FIRST_PAUSE, LONGEST_PAUSE)
        exchange.paused_until = now + exchange.pause
        exchange.rows = [0] * len(self.rules)
        return Pace.TOO_MUCH

    def is_paused(self, person: PersonKey, now: float) -> bool:
        """Whether nothing of a person is answered now."""
        exchange = self._exchanges.get(person)
        return exchange is not None and now < exchange.paused_until

    def _exchange(self, person: PersonKey) -> _Exchange:
        exchange = self._exchanges.get(person) or _Exchange([0] * len(self.rules))
        self._exchanges[person] = exchange  # the last of all
        return exchange
