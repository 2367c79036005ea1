"""Of people who opted out the store writes nothing, whoever hands it their lines."""

from datetime import timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import Member, MessageType, NewMessage, Origin
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.ingest import opt_out_rows
from tests.store.scene import NOON, SETTINGS, chat, differences, line_of, room, rows_of, write
from tests.store.sqlite.imports.logs import bring

ADA = Identity("net", "ada", "~ada", "host.example")
COUNTESS = ADA._replace(account="countess")


async def lines(store: Store) -> list[str]:
    page = await store.messages.newest(await store.rooms.all(), 100, events=True)
    return [f"{message.nick} {message.text}".strip() for message in page.messages]


def renamed(old: str, new: str) -> NewMessage:
    return line_of(old, new, kind=MessageType.NICK)._replace(user="~ada")


async def test_nothing_is_written_from_the_opt_out_to_the_opt_in(store: Store) -> None:
    await store.messages.append(chat("<ada> one"))
    await store.opt_outs.add(ADA, NOON)
    assert await store.messages.append(chat("<ada> two\n<bo> three")) == [0, 2]
    await store.opt_outs.remove(ADA, NOON + timedelta(hours=1))
    await store.messages.append(chat("<ada> four"))
    assert await lines(store) == ["ada one", "bo three", "ada four"]
    assert await differences(store) == []


async def test_somebody_else_under_their_nick_is_recorded(store: Store) -> None:
    await store.opt_outs.add(ADA, NOON)
    await store.messages.append([line_of("ada", "mine")._replace(host="elsewhere")])
    assert await lines(store) == ["ada mine"]


async def test_an_import_leaves_them_out_and_counts_it(store: Store) -> None:
    await store.opt_outs.add(ADA, NOON)
    without_host = line_of("ada", "two", origin=Origin.IMPORT)._replace(user="", host="")
    log = [line_of("ada", "one", origin=Origin.IMPORT), without_host, line_of("bo", "three")]
    totals = await bring(store, log)
    assert (totals.lines, totals.added) == (3, 1)
    assert await lines(store) == ["bo three"]


async def test_they_stay_opted_out_through_nicks_logins_and_hosts(store: Store) -> None:
    await store.opt_outs.add(ADA, NOON)
    logged_in = line_of("zoe", "two")._replace(user="~ada", account="countess")
    from_afar = logged_in._replace(user="~a", host="elsewhere", text="three")
    after_logout = from_afar._replace(account="", text="four")
    assert await store.messages.append([renamed("ada", "zoe")]) == [0]
    for message in (logged_in, from_afar, after_logout):
        assert await store.messages.append([message]) == [0]
    assert await lines(store) == []
    await store.opt_outs.remove(COUNTESS._replace(nick="x"), NOON + timedelta(hours=1))
    assert (await store.opt_outs.current()).people == {}


async def test_a_nick_change_counts_for_the_next_line_of_the_same_group(store: Store) -> None:
    await store.opt_outs.add(ADA, NOON)
    said = line_of("zoe", "two")._replace(user="~ada")
    assert await store.messages.append([renamed("ada", "zoe"), said]) == [0, 0]


async def test_they_stay_opted_out_under_a_nick_that_is_another_on_this_network_alone(
    store: Store,
) -> None:
    await store.rooms.set_casemapping("net", "ascii")
    await store.opt_outs.add(ADA._replace(nick="ada["), NOON)
    for before, after in (("ada[", "ada{"), ("ada{", "ada_")):
        assert await store.messages.append([renamed(before, after)]) == [0]
        assert await store.messages.append([line_of(after, "tea")._replace(user="~ada")]) == [0]


async def test_who_opted_out_before_the_network_told_its_casemapping_stays_out(
    store: Store,
) -> None:
    await store.opt_outs.add(ADA._replace(nick="ada["), NOON)
    await store.rooms.set_casemapping("net", "ascii")
    assert await store.messages.append([line_of("ada[", "tea")._replace(user="~ada")]) == [0]


async def test_a_new_host_or_login_without_a_line_is_followed(store: Store) -> None:
    cloaked = ADA._replace(host="cloak")
    await store.opt_outs.add(ADA, NOON)
    await store.opt_outs.follow(ADA, cloaked)
    await store.opt_outs.follow(ADA._replace(nick="bo"), ADA._replace(nick="bo", host="cloak"))
    opt_outs = await store.opt_outs.current()
    assert opt_outs.covers(cloaked)
    assert not opt_outs.covers(cloaked._replace(nick="bo"))


async def test_only_they_themselves_can_undo_it(store: Store) -> None:
    await store.opt_outs.add(COUNTESS, NOON)
    for other in (ADA, COUNTESS._replace(account="eve"), Identity("net", "ada")):
        await store.opt_outs.remove(other, NOON + timedelta(hours=1))
        assert (await store.opt_outs.current()).covers(COUNTESS)
    await store.opt_outs.remove(COUNTESS, NOON + timedelta(hours=1))
    assert (await store.opt_outs.current()).people == {}


async def test_two_people_who_opt_out_in_the_same_moment_are_two(store: Store) -> None:
    bo = Identity("net", "bo", "~bo", "host.example")
    await store.opt_outs.add(ADA, NOON)
    await store.opt_outs.add(bo, NOON)
    await store.opt_outs.remove(bo, NOON + timedelta(hours=1))
    assert (await store.opt_outs.current()).covers(ADA)


async def test_opting_out_twice_is_opting_out_once(store: Store, file: Path) -> None:
    await store.opt_outs.add(ADA, NOON)
    await store.opt_outs.add(ADA, NOON + timedelta(days=1))
    assert rows_of(file, "SELECT count(*), min(since) FROM opt_outs") == [
        (1, "2026-05-01 12:00:00.000")
    ]


async def test_they_leave_the_member_list_at_once_and_do_not_return(store: Store) -> None:
    people = [Member("ada"), Member("zoe", account="countess"), Member("bo")]
    await store.presence.replace("net", "#tea", people, NOON)
    await store.opt_outs.add(COUNTESS, NOON)
    tea = await room(store)
    assert [one.nick for one in (await store.presence.current(tea)).people] == ["bo", "zoe"]
    await store.presence.replace("net", "#tea", people, NOON)
    assert [one.nick for one in (await store.presence.current(tea)).people] == ["bo"]


async def test_a_member_who_is_known_by_an_account_alone_is_named_by_nobody(store: Store) -> None:
    await store.opt_outs.add(COUNTESS, NOON)
    zoe = Member("zoe", account="countess", user="~z", host="elsewhere")
    await store.presence.replace("net", "#tea", [zoe, Member("bo", user="~bo", host="h")], NOON)
    mode, kick = (line_of("op", "", kind=kind) for kind in (MessageType.MODE, MessageType.KICK))
    await store.messages.append([mode._replace(text="+vv zoe bo"), kick._replace(text="zoe out")])
    assert await lines(store) == ["op +vv * bo"]


async def test_a_member_of_a_list_of_before_is_named_again_once_they_opted_in(store: Store) -> None:
    for who in (COUNTESS, Identity("net", "cy", "~cy", "h")):
        await store.opt_outs.add(who, NOON)
    zoe = Member("zoe", account="countess", user="~z", host="elsewhere")
    await store.presence.replace("net", "#left", [zoe], NOON)  # the bot was kicked from there
    await store.opt_outs.remove(COUNTESS, NOON)
    mode, kick = (line_of("op", "", kind=kind) for kind in (MessageType.MODE, MessageType.KICK))
    await store.messages.append([mode._replace(text="+vv zoe cy"), kick._replace(text="zoe out")])
    assert await lines(store) == ["op +vv zoe *", "op zoe out"]


async def test_what_another_process_stores_counts_for_the_next_line(
    store: Store, file: Path
) -> None:
    await store.messages.append(chat("<ada> one"))
    async with open_store(file, SETTINGS) as other:
        await other.opt_outs.add(ADA, NOON)
        assert await store.messages.append(chat("<ada> two")) == [0]
    write(file, "DELETE FROM opt_outs")
    await store.messages.append(chat("<ada> three"))
    assert await lines(store) == ["ada one", "ada three"]


async def test_it_is_remembered_in_the_file(store: Store, file: Path) -> None:
    await store.opt_outs.add(ADA, NOON)
    async with open_store(file, SETTINGS) as later:
        assert await later.messages.append(chat("<ada> one")) == [0]


async def test_nick_changes_without_end_do_not_fill_the_disk(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opt_out_rows, "MOST_IDENTITIES", 5)
    await store.opt_outs.add(ADA, NOON)
    for number in range(20):
        nick = f"a{number - 1}" if number else "ada"
        await store.messages.append([renamed(nick, f"a{number}")])
    assert rows_of(file, "SELECT count(*) FROM opt_outs") == [(5,)]
    assert await store.messages.append([line_of("a19", "tea")._replace(user="~ada")]) == [0]


async def test_a_network_that_gets_its_name_keeps_its_opt_outs(file: Path) -> None:
    nameless = ADA._replace(network="irc")
    async with open_store(file) as store:
        await store.messages.append([line_of("bo", "tea")._replace(network="irc")])
        await store.opt_outs.add(nameless, NOON)
        await store.rooms.name_network("net")
        assert (await store.opt_outs.current()).covers(ADA)


@pytest.mark.parametrize("origin", [Origin.PLAYBACK, Origin.IMPORT])
async def test_what_they_said_in_between_stays_out_when_it_comes_after_the_opt_in(
    store: Store, origin: Origin
) -> None:
    await store.opt_outs.add(ADA, NOON)
    await store.opt_outs.remove(ADA, NOON + timedelta(hours=1))
    said = [
        line_of("ada", f"{minutes}", NOON + timedelta(minutes=minutes), origin=origin)
        for minutes in (-1, 0, 59, 60)
    ]
    kick = line_of("bo", "ada enough", NOON + timedelta(minutes=5), kind=MessageType.KICK)
    late = [*said, kick._replace(origin=origin)]
    if origin is Origin.IMPORT:
        await bring(store, late)
    else:
        await store.messages.append(late)
    assert await lines(store) == ["ada -1", "ada 60"]
    assert await differences(store) == []


async def test_a_stamp_that_names_the_minute_of_the_opt_out_may_be_behind_it(store: Store) -> None:
    await store.opt_outs.add(ADA, NOON + timedelta(seconds=30))
    await store.opt_outs.remove(ADA, NOON + timedelta(hours=1))
    assert (await bring(store, [line_of("ada", "at noon", origin=Origin.IMPORT)])).added == 0


async def test_what_is_heard_after_the_opt_in_is_written_whatever_its_time(store: Store) -> None:
    await store.opt_outs.add(ADA, NOON)
    await store.opt_outs.remove(ADA, NOON + timedelta(hours=1))
    await store.messages.append(chat("<ada> my server's clock is an hour late"))
    assert len(await lines(store)) == 1


async def test_who_opted_out_twice_has_two_times_that_stay_out(store: Store, file: Path) -> None:
    days = [NOON + timedelta(days=day) for day in range(5)]
    for began, ended in ((days[0], days[1]), (days[2], days[3])):
        await store.opt_outs.add(COUNTESS, began)
        await store.opt_outs.remove(COUNTESS, ended)
    said = [
        line_of("zoe", f"{n}", day, origin=Origin.PLAYBACK)._replace(account="countess")
        for n, day in enumerate(days)
    ]
    async with open_store(file, SETTINGS) as later:  # it is remembered in the file
        await later.messages.append(said)
        assert await lines(later) == ["zoe 1", "zoe 3", "zoe 4"]


async def test_an_opt_out_that_is_played_back_after_the_opt_in_may_be_undone_again(
    store: Store, file: Path
) -> None:
    for hours in (1, 2):
        await store.opt_outs.add(ADA, NOON)
        await store.opt_outs.remove(ADA, NOON + timedelta(hours=hours))
    assert not (await store.opt_outs.current()).people
    assert rows_of(file, "SELECT substr(since, 12), substr(until, 12) FROM past_opt_outs") == [
        ("12:00:00.000", "13:00:00.000"),
        ("12:00:00.001", "14:00:00.000"),
    ]
