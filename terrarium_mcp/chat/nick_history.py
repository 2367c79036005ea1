"""Nick history: who held a nick at a moment, and which nicks they held before and after.

A nick is held by one person at a time. A tenure ends when its holder changes nick, quits, or leaves
the last room in which they were seen. It also ends when another person takes the nick, or joins a
room in which the holder already is: the real end was not recorded. In doubt a tenure ends, because
taking one person for two does less harm than taking two for one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position

SAME_EVENT = timedelta(minutes=1)
"""A NICK or QUIT is recorded once in each room, within this time."""


class NickEvent(NamedTuple):
    """A person joins, leaves (PART, KICK, QUIT) or takes the nick `new`. Nicks are folded."""

    at: Position
    kind: MessageType
    room: int
    nick: str
    new: str = ""


class NickTenure(NamedTuple):
    """The tenure of a nick by one person, from `since` to `until` (exclusive).

    `was` is the nick they had before and `becomes` the next one, "" if unknown.
    """

    nick: str
    since: Position
    until: Position
    was: str = ""
    becomes: str = ""

    def covers(self, at: Position) -> bool:
        """Whether this tenure includes the position."""
        return self.since <= at < self.until


def nick_tenures(nick: str, at: Position, moves: Iterable[NickEvent]) -> list[NickTenure]:
    """The tenures of the person who held `nick` at `at`, under all their nicks, oldest first.

    Args:
        nick: the folded nick.
        at: the position.
        moves: the events of every nick that may be one of theirs, in any order.
    """
    history = once_each(moves)
    start = _tenure_at(nick, at, history)
    chain = [start]
    while chain[0].was:
        earlier = next(
            (tenure for tenure in tenures(chain[0].was, history) if tenure.until == chain[0].since),
            None,
        )
        if earlier is None or earlier.becomes != chain[0].nick:
            break
        chain.insert(0, earlier)
    while chain[-1].becomes:
        later = _tenure_at(chain[-1].becomes, chain[-1].until, history)
        if later.since != chain[-1].until or later.was != chain[-1].nick:
            break
        chain.append(later)
    return chain


def tenures(nick: str, history: Sequence[NickEvent]) -> list[NickTenure]:
    """All tenures of a nick, oldest first and without gaps between them.

    Args:
        nick: the folded nick.
        history: the events in order; one that concerns several rooms appears once.
    """
    ended: list[NickTenure] = []
    holder = _CurrentHolder(BEGINNING)
    for move in history:
        if nick not in (move.nick, move.new):
            continue
        if move.kind is MessageType.NICK or holder.ends_with(move):
            is_taken = move.new == nick
            ended.append(holder.release(nick, move.at, becomes="" if is_taken else move.new))
            holder = _CurrentHolder(move.at, was=move.nick if is_taken else "")
        if move.kind is MessageType.JOIN:
            holder.rooms.add(move.room)
    ended.append(holder.release(nick, EVERY_LINE))
    return ended


@dataclass(slots=True)
class _CurrentHolder:
    """The current holder of a nick, and the rooms that they were seen to join."""

    since: Position
    was: str = ""
    rooms: set[int] = field(default_factory=set)

    def release(self, nick: str, at: Position, *, becomes: str = "") -> NickTenure:
        return NickTenure(nick, self.since, at, self.was, becomes)

    def ends_with(self, move: NickEvent) -> bool:
        """Whether a JOIN, PART, KICK or QUIT ends the tenure. A room they left is forgotten."""
        if move.kind is MessageType.JOIN:
            return move.room in self.rooms
        if move.kind is MessageType.QUIT:
            return True
        self.rooms.discard(move.room)
        return not self.rooms


def _tenure_at(nick: str, at: Position, history: Sequence[NickEvent]) -> NickTenure:
    return next(tenure for tenure in reversed(tenures(nick, history)) if tenure.since <= at)


def once_each(moves: Iterable[NickEvent]) -> list[NickEvent]:
    """The events in order: of copies in several rooms the first, and no NICK to the same nick."""
    history: list[NickEvent] = []
    latest: dict[tuple[MessageType, str, str], tuple[Position, set[int]]] = {}
    for move in sorted(moves, key=lambda move: move.at):
        if move.kind in (MessageType.NICK, MessageType.QUIT):
            if move.nick == move.new:
                continue
            key = (move.kind, move.nick, move.new)
            first, rooms = latest.get(key, (move.at, set[int]()))
            again = move.room not in rooms and move.at.moment - first.moment <= SAME_EVENT
            if rooms and again:
                rooms.add(move.room)
                continue
            latest[key] = (move.at, {move.room})
        history.append(move)
    return history
