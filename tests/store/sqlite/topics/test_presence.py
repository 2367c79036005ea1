"""The members of a channel: by rank, each with the time it was first seen."""

from datetime import timedelta

from terrarium_mcp.chat.records import Member
from terrarium_mcp.store import Store
from tests.store.scene import NOON, chat, room

HOUR = timedelta(hours=1)


async def test_a_room_without_a_member_list_has_no_members_and_no_time(store: Store) -> None:
    await store.messages.append(chat("<ada> hello"))
    there = await store.presence.current(await room(store))
    assert (there.people, there.as_of) == ([], None)


async def test_members_are_ordered_by_rank_then_by_nick(store: Store) -> None:
    people = [
        Member("cy"),
        Member("Bo", "+"),
        Member("ada", "@"),
        Member("al", "~"),
        Member("z"),
    ]
    await store.presence.replace("net", "#tea", people, NOON)
    there = await store.presence.current(await room(store))
    assert [one.rank + one.nick for one in there.people] == ["~al", "@ada", "+Bo", "cy", "z"]
    assert there.as_of == NOON


async def test_members_who_stay_keep_the_time_they_joined(store: Store) -> None:
    await store.presence.replace("net", "#tea", [Member("Ada[]"), Member("bo")], NOON)
    came = NOON + timedelta(minutes=30)
    now = [Member("aDA{}", away=True, account="Ada"), Member("cy"), Member("di", since=came)]
    await store.presence.replace("net", "#TEA", now, NOON + HOUR)
    there = await store.presence.current(await room(store))
    assert there.people == [
        Member("aDA{}", away=True, account="Ada", since=NOON),
        Member("cy", since=NOON + HOUR),
        Member("di", since=came),
    ]
    assert there.as_of == NOON + HOUR


async def test_an_empty_channel_is_known_to_be_empty(store: Store) -> None:
    await store.presence.replace("net", "#tea", [Member("\ud800")], NOON)
    await store.presence.replace("net", "#tea", [], NOON + HOUR)
    there = await store.presence.current(await room(store))
    assert (there.people, there.as_of) == ([], NOON + HOUR)
