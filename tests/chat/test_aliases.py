"""Who was behind a nick: chains of nick changes, which break where we cannot be sure."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.aliases import Move, alias_times, holds
from terrarium_mcp.chat.records import Kind
from terrarium_mcp.chat.when import BEGINNING, EVERY_LINE, Position


def at(minute: int, number: int = 0) -> Position:
    return Position(f"2026-05-01 12:{minute:02}:00.000", number)


def move(minute: int, nick: str, kind: Kind, new: str = "", room: int = 1, number: int = 0) -> Move:
    return Move(at(minute, number), kind, room, nick, new)


def told(nick: str, minute: int, *moves: Move) -> list[tuple[str, Position, Position]]:
    return [(one.nick, one.since, one.until) for one in alias_times(nick, at(minute), moves)]


def test_a_nick_that_never_moved_is_one_person() -> None:
    assert told("ada", 5) == [("ada", BEGINNING, EVERY_LINE)]


def test_a_chain_is_followed_both_ways() -> None:
    moves = (move(1, "ada", Kind.NICK, "bo"), move(3, "bo", Kind.NICK, "cy"))
    chain = [("ada", BEGINNING, at(1)), ("bo", at(1), at(3)), ("cy", at(3), EVERY_LINE)]
    assert told("ada", 0, *moves) == told("bo", 2, *moves) == told("cy", 9, *moves) == chain


def test_a_quit_ends_it() -> None:
    moves = (move(1, "ada", Kind.NICK, "bo"), move(3, "bo", Kind.QUIT))
    assert told("bo", 2, *moves)[-1] == ("bo", at(1), at(3))
    assert told("bo", 4, *moves) == [("bo", at(3), EVERY_LINE)]


def test_only_the_last_room_ends_it() -> None:
    joins = (move(0, "ada", Kind.JOIN), move(1, "ada", Kind.JOIN, room=2))
    moves = (*joins, move(2, "ada", Kind.PART), move(4, "ada", Kind.PART, room=2))
    assert told("ada", 3, *moves) == [("ada", BEGINNING, at(4))]


def test_somebody_else_who_takes_the_nick_ends_it() -> None:
    moves = (move(2, "eve", Kind.NICK, "ada"),)
    assert told("ada", 1, *moves) == [("ada", BEGINNING, at(2))]
    assert told("ada", 3, *moves) == [("eve", BEGINNING, at(2)), ("ada", at(2), EVERY_LINE)]


def test_joining_twice_means_that_a_quit_was_missed() -> None:
    moves = (move(1, "ada", Kind.JOIN), move(5, "ada", Kind.JOIN))
    assert told("ada", 3, *moves) == [("ada", BEGINNING, at(5))]


def test_a_change_that_two_rooms_saw_is_one() -> None:
    moves = (
        move(1, "ada", Kind.NICK, "bo", room=1, number=1),
        move(1, "ada", Kind.NICK, "bo", room=2, number=2),
    )
    assert told("bo", 5, *moves) == [("ada", BEGINNING, at(1, 1)), ("bo", at(1, 1), EVERY_LINE)]


NICKS = st.sampled_from(["ada", "bo", "cy"])
MOVES = st.lists(
    st.builds(
        Move,
        st.builds(at, st.integers(0, 20), st.integers(0, 1_000)),
        st.sampled_from([Kind.NICK, Kind.JOIN, Kind.PART, Kind.QUIT]),
        st.integers(1, 2),
        NICKS,
        st.just(""),
    ).flatmap(
        lambda one: (
            st.builds(Move, st.just(one.at), st.just(one.kind), st.just(one.room),
                      st.just(one.nick), NICKS)
            if one.kind is Kind.NICK
            else st.just(one)
        )
    ),
    max_size=12,
    unique_by=lambda one: one.at,
)  # fmt: skip


@given(NICKS, MOVES)
def test_a_nick_is_in_one_hand_at_a_time(nick: str, moves: list[Move]) -> None:
    hands = holds(nick, sorted(moves, key=lambda one: one.at))
    assert (hands[0].since, hands[-1].until) == (BEGINNING, EVERY_LINE)
    assert all(one.until == other.since for one, other in pairwise(hands))


@given(NICKS, st.integers(0, 20), MOVES)
def test_a_chain_is_the_same_from_each_of_its_links(
    nick: str, minute: int, moves: list[Move]
) -> None:
    chain = alias_times(nick, at(minute), moves)
    assert any(one.nick == nick and one.covers(at(minute)) for one in chain)
    assert all(one.until == other.since for one, other in pairwise(chain))
    for link in chain:
        assert alias_times(link.nick, link.since, moves) == chain
