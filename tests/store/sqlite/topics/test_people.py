"""What is known of a nick, and the evidence that two nicks are one person."""

from datetime import datetime, timedelta

import pytest

from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.chat.times.timestamps import Position, to_text
from terrarium_mcp.store import Evidence, Person, Store
from tests.store.scene import NOON, chat, differences, line_of, redact, room

MINUTE = timedelta(minutes=1)


def event(
    nick: str, kind: MessageType, text: str = "", minute: int = 0, channel: str = "#tea"
) -> NewMessage:
    return line_of(nick, text, NOON + minute * MINUTE, channel, kind)


async def known(store: Store, nick: str, until: datetime | None = None) -> Person:
    return await store.people.lookup(
        nick,
        "net",
        await store.rooms.all(),
        until=Position.at(until) if until else Position("9999-12-31"),
    )


async def test_a_nick_is_known_by_what_it_said_and_did(store: Store) -> None:
    await store.messages.append(chat("<Ada> one\n<ada> two"))
    await store.messages.append(chat("<ADA> here too", channel="#mate"))
    await store.messages.append([event("ada", MessageType.PART, minute=9)])
    person = await known(store, "ADA")
    assert [(one.room.channel, one.lines) for one in person.rooms] == [("#tea", 2), ("#mate", 1)]
    assert person.spoke == NOON + MINUTE
    assert person.seen == NOON + 9 * MINUTE


async def test_the_newest_change_to_a_nick_is_known_in_each_room(store: Store) -> None:
    for minute, channel in ((5, "#tea"), (7, "#tea"), (6, "#mate")):
        await store.messages.append([event("Bo", MessageType.NICK, "ada", minute, channel)])
    await store.messages.append([event("Ada", MessageType.NICK, "ada", 9)])
    rooms = await store.rooms.all()
    arrivals = await store.people.arrivals("ADA", "net", rooms)
    assert [(one.room.channel, one.at, one.message, one.old) for one in arrivals] == [
        ("#tea", NOON + 7 * MINUTE, 2, "bo"),
        ("#mate", NOON + 6 * MINUTE, 3, "bo"),
    ]
    before = Position.at(NOON + 6 * MINUTE)
    (early,) = await store.people.arrivals("ada", "net", rooms, until=before)
    assert early.at == NOON + 5 * MINUTE


async def test_a_change_of_nick_is_evidence_once_for_all_rooms(store: Store) -> None:
    for channel in ("#tea", "#mate"):
        await store.messages.append([event("ada", MessageType.NICK, "Ada_away", 5, channel)])
    await store.messages.append([event("ada_away", MessageType.NICK, "ada", 8)])
    (found,) = (await known(store, "ada")).evidence
    assert found == Evidence("nick change", "ada_away", NOON + 5 * MINUTE, NOON + 8 * MINUTE, 2)


async def test_changes_in_different_rooms_at_different_times_count_each(store: Store) -> None:
    await store.messages.append([event("ada", MessageType.NICK, "Ada_away", 5)])
    await store.messages.append([event("ada", MessageType.NICK, "Ada_away", 50, "#mate")])
    await store.messages.append([event("ada_away", MessageType.NICK, "ada", 50, "#mate")])
    (found,) = (await known(store, "ada")).evidence
    assert (found.count, found.first, found.last) == (3, NOON + 5 * MINUTE, NOON + 50 * MINUTE)
    (found,) = (await known(store, "ada", NOON + 50 * MINUTE)).evidence
    assert found.count == 1


async def test_a_nick_known_by_a_change_alone_is_spelt_as_there(store: Store) -> None:
    await store.messages.append(
        [
            event("Guest1", MessageType.NICK, "ada"),
            event("ada", MessageType.NICK, "GUEST1", 5),
            event("ada", MessageType.NICK, "[Away]", 9),
        ]
    )
    assert [one.nick for one in (await known(store, "ADA")).evidence] == ["[Away]", "Guest1"]


async def test_an_account_and_a_host_in_common_are_evidence(store: Store) -> None:
    ada, lovelace = line_of("ada", "hi"), line_of("lovelace", "ho")
    await store.messages.append(
        [
            ada._replace(account="Countess", user="a", host="one.example"),
            lovelace._replace(account="countess", user="l", host="two.example"),
            line_of("bo", "x")._replace(user="a", host="one.example", account=""),
            line_of("cy", "y")._replace(user="c", host="three.example"),
        ]
    )
    told = [(one.kind, one.nick, one.count) for one in (await known(store, "ada")).evidence]
    assert sorted(told) == [("account", "lovelace", 1), ("host", "bo", 1)]


async def test_a_host_that_many_share_is_no_evidence(store: Store) -> None:
    lines = [line_of(f"n{n}", "x")._replace(user="web", host="gateway.example") for n in range(30)]
    await store.messages.append(lines)
    assert (await known(store, "n1")).evidence == []


async def test_no_nick_of_another_room_is_evidence(store: Store) -> None:
    await store.messages.append(
        [
            line_of("ada", "x")._replace(user="u", host="h.example"),
            line_of("bo", "x", channel="#secret")._replace(user="u", host="h.example"),
            event("ada", MessageType.NICK, "eve", 1, "#secret"),
        ]
    )
    person = await store.people.lookup("ada", "net", [await room(store)])
    assert person.evidence == []
    assert [one.room.channel for one in person.rooms] == ["#tea"]


async def test_nothing_after_the_cutoff_is_known(store: Store) -> None:
    await store.messages.append(chat("<ada> one\n<ada> two\n<bo> x"))
    await store.messages.append([event("ada", MessageType.NICK, "eve", 30)])
    early = await known(store, "ada", NOON + MINUTE)
    assert [(one.lines, one.spoke, one.seen) for one in early.rooms] == [(1, NOON, NOON)]
    assert early.evidence == []
    assert (await known(store, "bo", NOON + MINUTE)).rooms == []


async def test_an_unknown_nick_gets_near_spellings(store: Store) -> None:
    await store.messages.append(chat("<Adalbert> hi\n<bo> ho"))
    assert (await known(store, "adalbret")).near == ["Adalbert"]
    assert (await known(store, "bo")).near == []


@pytest.mark.parametrize("nick", ["élodie", "elodie", "Elodie", "_elodie", "elodié", "elodei"])
async def test_a_nick_that_differs_in_accents_is_near(store: Store, nick: str) -> None:
    await store.messages.append(chat("<Élodie> hi\n<Ölodie> ho\n<даша> ой"))
    assert (await known(store, nick)).near == ["Élodie"]


async def test_a_nick_that_differs_only_in_signs_is_nearest(store: Store) -> None:
    await store.messages.append(chat("<Evet> hi\n<Evet> ho\n<[eve]> hello\n<[eve]> bye"))
    await store.messages.append(chat("<ee> hm\n<eve_> x"))
    assert (await known(store, "eve")).near == ["[eve]", "eve_", "Evet"]
    assert (await known(store, "`eve`")).near[:2] == ["[eve]", "eve_"]
    assert (await known(store, "__")).near == []


async def test_the_tenures_of_whoever_was_alice_then(store: Store) -> None:
    await store.messages.append(
        [
            line_of("alice", "I am alice"),
            event("alice", MessageType.NICK, "bob", 1),
            line_of("bob", "alice, now bob", NOON + 2 * MINUTE),
            line_of("alice", "another alice", NOON + 3 * MINUTE),
            event("bob", MessageType.QUIT, "bye", 4),
            line_of("bob", "another bob", NOON + 5 * MINUTE),
        ]
    )
    rooms = await store.rooms.all()
    tenures = await store.people.nick_tenures("Alice", Position.at(NOON), rooms)
    assert [(one.nick, one.until.timestamp) for one in tenures] == [
        ("alice", to_text(NOON + MINUTE)),
        ("bob", to_text(NOON + 4 * MINUTE)),
    ]


async def test_a_kick_out_of_the_last_room_ends_it(store: Store) -> None:
    await store.messages.append(
        [
            event("alice", MessageType.JOIN),
            event("op", MessageType.KICK, "Alice enough", 2),
            line_of("alice", "somebody else", NOON + 9 * MINUTE),
        ]
    )
    (tenure,) = await store.people.nick_tenures(
        "alice", Position.at(NOON + MINUTE), await store.rooms.all()
    )
    assert tenure.until.timestamp == to_text(NOON + 2 * MINUTE)


async def test_evidence_goes_with_its_lines_and_equals_a_recount(store: Store) -> None:
    ids = await store.messages.append(
        [
            line_of("ada", "x")._replace(account="countess"),
            line_of("ada", "y", NOON + MINUTE)._replace(account="countess"),
            line_of("lovelace", "z")._replace(account="countess"),
            event("ada", MessageType.NICK, "eve", 2),
        ]
    )
    (account,) = (await known(store, "lovelace")).evidence
    assert (account.kind, account.nick, account.count) == ("account", "ada", 2)
    assert [one.nick for one in (await known(store, "eve")).evidence] == ["ada"]
    assert await differences(store) == []
    assert await redact(store, ids[1])
    assert await redact(store, ids[3])
    (account,) = (await known(store, "lovelace")).evidence
    assert account.count == 1
    assert (await known(store, "eve")).evidence == []
    assert await differences(store) == []
    assert await redact(store, ids[0])
    assert (await known(store, "lovelace")).evidence == []
    assert await differences(store) == []
