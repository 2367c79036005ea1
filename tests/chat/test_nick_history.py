"""Who was behind a nick: chains of nick changes, which break where we cannot be sure."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.nick_history import NickEvent, NickTenure, nick_tenures, tenures
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, Position


def at(minute: int, number: int = 0) -> Position:
    return Position(f"2026-05-01 12:{minute:02}:00.000", number)


def move(
    minute: int, nick: str, kind: MessageType, new: str = "", room: int = 1, number: int = 0
) -> NickEvent:
    return NickEvent(at(minute, number), kind, room, nick, new)


def told(nick: str, minute: int, *moves: NickEvent) -> list[tuple[str, Position, Position]]:
    return [(one.nick, one.since, one.until) for one in nick_tenures(nick, at(minute), moves)]


def test_a_nick_that_never_moved_is_one_person() -> None:
    assert told("ada", 5) == [("ada", BEGINNING, EVERY_LINE)]


def test_a_chain_is_followed_both_ways() -> None:
    moves = (move(1, "ada", MessageType.NICK, "bo"), move(3, "bo", MessageType.NICK, "cy"))
    chain = [("ada", BEGINNING, at(1)), ("bo", at(1), at(3)), ("cy", at(3), EVERY_LINE)]
    assert told("ada", 0, *moves) == told("bo", 2, *moves) == told("cy", 9, *moves) == chain


def test_a_quit_ends_it() -> None:
    moves = (move(1, "ada", MessageType.NICK, "bo"), move(3, "bo", MessageType.QUIT))
    assert told("bo", 2, *moves)[-1] == ("bo", at(1), at(3))
    assert told("bo", 4, *moves) == [("bo", at(3), EVERY_LINE)]


def test_only_the_last_room_ends_it() -> None:
    joins = (move(0, "ada", MessageType.JOIN), move(1, "ada", MessageType.JOIN, room=2))
    moves = (*joins, move(2, "ada", MessageType.PART), move(4, "ada", MessageType.PART, room=2))
    assert told("ada", 3, *moves) == [("ada", BEGINNING, at(4))]


def test_somebody_else_who_takes_the_nick_ends_it() -> None:
    moves = (move(2, "eve", MessageType.NICK, "ada"),)
    assert told("ada", 1, *moves) == [("ada", BEGINNING, at(2))]
    assert told("ada", 3, *moves) == [("eve", BEGINNING, at(2)), ("ada", at(2), EVERY_LINE)]


def test_joining_twice_means_that_a_quit_was_missed() -> None:
    moves = (move(1, "ada", MessageType.JOIN), move(5, "ada", MessageType.JOIN))
    assert told("ada", 3, *moves) == [("ada", BEGINNING, at(5))]


def test_a_change_that_two_rooms_saw_is_one() -> None:
    moves = (
        move(1, "ada", MessageType.NICK, "bo", room=1, number=1),
        move(1, "ada", MessageType.NICK, "bo", room=2, number=2),
    )
    assert told("bo", 5, *moves) == [("ada", BEGINNING, at(1, 1)), ("bo", at(1, 1), EVERY_LINE)]


NICKS = st.sampled_from(["ada", "bo", "cy"])
MOVES = st.lists(
    st.builds(
        NickEvent,
        st.builds(at, st.integers(0, 20), st.integers(0, 1_000)),
        st.sampled_from([MessageType.NICK, MessageType.JOIN, MessageType.PART, MessageType.QUIT]),
        st.integers(1, 2),
        NICKS,
        st.just(""),
    ).flatmap(
        lambda one: (
            st.builds(NickEvent, st.just(one.at), st.just(one.kind), st.just(one.room),
                      st.just(one.nick), NICKS)
            if one.kind is MessageType.NICK
            else st.just(one)
        )
    ),
    max_size=12,
    unique_by=lambda one: one.at,
)  # fmt: skip


@given(NICKS, MOVES)
def test_a_nick_is_in_one_hand_at_a_time(nick: str, moves: list[NickEvent]) -> None:
    hands = tenures(nick, sorted(moves, key=lambda one: one.at))
    assert (hands[0].since, hands[-1].until) == (BEGINNING, EVERY_LINE)
    assert all(one.until == other.since for one, other in pairwise(hands))


@given(NICKS, st.integers(0, 20), MOVES)
def test_a_chain_is_the_same_from_each_of_its_links(
    nick: str, minute: int, moves: list[NickEvent]
) -> None:
    chain = nick_tenures(nick, at(minute), moves)
    assert any(one.nick == nick and one.covers(at(minute)) for one in chain)
    assert all(one.until == other.since for one, other in pairwise(chain))
    for link in chain:
        assert nick_tenures(link.nick, link.since, moves) == chain


def test_copies_of_a_change_are_one_within_a_minute_and_in_different_rooms() -> None:
    change = move(1, "ada", MessageType.NICK, "bo", room=1, number=1)

    def tenures_of_bo(*later: NickEvent) -> list[Position]:
        return [one.since for one in holds_of("bo", change, *later)]

    assert tenures_of_bo(move(2, "ada", MessageType.NICK, "bo", room=2)) == [BEGINNING, at(1, 1)]
    assert tenures_of_bo(move(3, "ada", MessageType.NICK, "bo", room=2)) == [
        BEGINNING,
        at(1, 1),
        at(3),
    ]
    assert tenures_of_bo(move(2, "ada", MessageType.NICK, "bo", room=1)) == [
        BEGINNING,
        at(1, 1),
        at(2),
    ]
    thrice = [move(1, "ada", MessageType.NICK, "bo", room=room, number=room) for room in (2, 3)]
    assert tenures_of_bo(*thrice) == [BEGINNING, at(1, 1)]
    again = move(2, "ada", MessageType.NICK, "bo", room=2, number=9)
    assert tenures_of_bo(thrice[0], again) == [BEGINNING, at(1, 1), at(2, 9)]


def holds_of(nick: str, *moves: NickEvent) -> list[NickTenure]:
    """The tenures on the way to this nick and from it on, as its chain at the last minute."""
    found: list[NickTenure] = []
    for minute in range(60):
        found += [one for one in nick_tenures(nick, at(minute, 500), moves) if one.nick == nick]
    return list(dict.fromkeys(found))


def test_a_quit_that_two_rooms_saw_is_one_but_not_that_of_the_next_holder() -> None:
    both = (move(1, "ada", MessageType.QUIT, room=1), move(2, "ada", MessageType.QUIT, room=2))
    assert [one.until for one in holds_of("ada", *both)] == [at(1), EVERY_LINE]
    apart = (move(1, "ada", MessageType.QUIT, room=1), move(3, "ada", MessageType.QUIT, room=2))
    assert [one.until for one in holds_of("ada", *apart)] == [at(1), at(3), EVERY_LINE]


def test_a_change_to_the_same_nick_is_none() -> None:
    assert told("ada", 5, move(1, "ada", MessageType.NICK, "ada")) == [
        ("ada", BEGINNING, EVERY_LINE)
    ]


def test_a_tenure_knows_the_nicks_before_and_after_it() -> None:
    moves = (move(1, "ada", MessageType.NICK, "bo"), move(3, "bo", MessageType.NICK, "cy"))
    assert nick_tenures("bo", at(2), moves) == [
        NickTenure("ada", BEGINNING, at(1), was="", becomes="bo"),
        NickTenure("bo", at(1), at(3), was="ada", becomes="cy"),
        NickTenure("cy", at(3), EVERY_LINE, was="bo", becomes=""),
    ]
    gone = (moves[0], move(3, "bo", MessageType.QUIT))
    assert nick_tenures("bo", at(2), gone)[-1] == NickTenure(
        "bo", at(1), at(3), was="ada", becomes=""
    )
    assert nick_tenures("bo", at(4), gone) == [
        NickTenure("bo", at(3), EVERY_LINE, was="", becomes="")
    ]


def test_a_kick_from_the_last_room_ends_a_tenure_and_a_second_join_elsewhere_does_not() -> None:
    joined = (move(0, "ada", MessageType.JOIN), move(1, "ada", MessageType.JOIN, room=2))
    assert told("ada", 5, *joined) == [("ada", BEGINNING, EVERY_LINE)]
    assert told("ada", 0, move(0, "ada", MessageType.JOIN), move(2, "ada", MessageType.KICK)) == [
        ("ada", BEGINNING, at(2))
    ]
    back = (*joined, move(2, "ada", MessageType.PART), move(3, "ada", MessageType.JOIN))
    assert told("ada", 5, *back) == [("ada", BEGINNING, EVERY_LINE)]


def test_who_leaves_a_room_that_nobody_saw_them_join_was_in_no_other() -> None:
    assert told("ada", 0, move(2, "ada", MessageType.PART)) == [("ada", BEGINNING, at(2))]
    joined = (move(0, "ada", MessageType.JOIN), move(2, "ada", MessageType.PART, room=7))
    assert told("ada", 5, *joined) == [("ada", BEGINNING, EVERY_LINE)]


def test_whoever_joins_after_a_quit_is_in_that_room() -> None:
    moves = (
        move(1, "ada", MessageType.QUIT),
        move(2, "ada", MessageType.JOIN),
        move(3, "ada", MessageType.PART),
    )
    assert told("ada", 2, *moves) == [("ada", at(1), at(3))]
    rejoined = (
        move(1, "ada", MessageType.JOIN),
        move(5, "ada", MessageType.JOIN),
        move(6, "ada", MessageType.PART),
    )
    assert told("ada", 5, *rejoined) == [("ada", at(5), at(6))]


def test_a_tenure_includes_its_beginning_and_not_its_end() -> None:
    hold = NickTenure("ada", at(1), at(3))
    assert [hold.covers(at(minute)) for minute in (0, 1, 2, 3)] == [False, True, True, False]
