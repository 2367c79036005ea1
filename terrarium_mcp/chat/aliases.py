"""Aliases: who was behind a nick at a moment, and under which nicks before and after.

A nick is held by one person at a time. A hold ends when its holder takes another nick, quits, or
leaves the last room in which we saw them; also when somebody else takes the nick, or joins a room
in which its holder already is: then we missed how it ended. Where in doubt a hold ends: better two
people where there is one than the other way round.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from terrarium_mcp.chat.records import Kind
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position

AT_ONCE = timedelta(minutes=1)
"""A change of nick and a QUIT are recorded once for each room, within this time."""


@dataclass(frozen=True, slots=True)
class Move:
    """Somebody joins, leaves (PART, KICK, QUIT) or takes the nick `new`. Nicks are folded."""

    at: Position
    kind: Kind
    room: int
    nick: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """A nick in the hands of one person: from `since` on, and before `until`.

    `was` is the nick they had before, `becomes` the next; "" where that is not known.
    """

    nick: str
    since: Position
    until: Position
    was: str = ""
    becomes: str = ""

    def covers(self, at: Position) -> bool:
        """Whether the nick was in these hands at a place."""
        return self.since <= at < self.until


def alias_times(nick: str, at: Position, moves: Iterable[Move]) -> list[Hold]:
    """What everybody said who was `nick` at `at`: their nicks, each with its time, oldest first.

    Args:
        nick: the folded nick.
        at: the moment.
        moves: those of every nick that may be one of theirs, in any order.
    """
    story = _once(moves)
    start = _hold(nick, at, story)
    chain = [start]
    while chain[0].was:
        earlier = next(
            (one for one in holds(chain[0].was, story) if one.until == chain[0].since), None
        )
        if earlier is None or earlier.becomes != chain[0].nick:
            break
        chain.insert(0, earlier)
    while chain[-1].becomes:
        later = _hold(chain[-1].becomes, chain[-1].until, story)
        if later.since != chain[-1].until or later.was != chain[-1].nick:
            break
        chain.append(later)
    return chain


def holds(nick: str, story: Sequence[Move]) -> list[Hold]:
    """All hands that a nick went through, oldest first and without a gap between them.

    Args:
        nick: the folded nick.
        story: moves in order, what concerns several rooms told once.
    """
    told: list[Hold] = []
    hand = _Hand(BEGINNING)
    for move in story:
        if nick not in (move.nick, move.new):
            continue
        if move.new == nick:
            told.append(hand.let_go(nick, move.at))
            hand = _Hand(move.at, was=move.nick)
        elif move.kind is Kind.NICK:
            told.append(hand.let_go(nick, move.at, becomes=move.new))
            hand = _Hand(move.at)
        elif hand.ends_with(move):
            told.append(hand.let_go(nick, move.at))
            hand = _Hand(move.at)
        if move.kind is Kind.JOIN:
            hand.rooms.add(move.room)
    told.append(hand.let_go(nick, EVERY_LINE))
    return told


@dataclass(slots=True)
class _Hand:
    """Whoever has the nick just now, and the rooms in which we saw them come."""

    since: Position
    was: str = ""
    rooms: set[int] = field(default_factory=set)

    def let_go(self, nick: str, at: Position, *, becomes: str = "") -> Hold:
        return Hold(nick, self.since, at, self.was, becomes)

    def ends_with(self, move: Move) -> bool:
        """Whether a JOIN, PART, KICK or QUIT ends it; notes where they are if not."""
        if move.kind is Kind.JOIN:
            return move.room in self.rooms
        if move.kind is Kind.QUIT:
            return True
        self.rooms.discard(move.room)
        return not self.rooms


def _hold(nick: str, at: Position, story: Sequence[Move]) -> Hold:
    return next(one for one in reversed(holds(nick, story)) if one.since <= at)


def _once(moves: Iterable[Move]) -> list[Move]:
    """Moves in order; of what is recorded in several rooms the first, of no change of nick none."""
    story: list[Move] = []
    lately: dict[tuple[Kind, str, str], tuple[Position, set[int]]] = {}
    for move in sorted(moves, key=lambda one: one.at):
        if move.kind in (Kind.NICK, Kind.QUIT):
            if move.nick == move.new:
                continue
            key = (move.kind, move.nick, move.new)
            first, rooms = lately.get(key, (move.at, set[int]()))
            again = move.room not in rooms and move.at.moment - first.moment <= AT_ONCE
            if rooms and again:
                rooms.add(move.room)
                continue
            lately[key] = (move.at, {move.room})
        story.append(move)
    return story
