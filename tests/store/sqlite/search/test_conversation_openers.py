"""A time and no topic: the conversations of that time, each by the line that opens it."""

from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.records import NewMessage, Origin
from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Hits, Rung, Search, Sort
from terrarium_mcp.store.sqlite.search.conversation_openers import PAGE
from tests.store.scene import chat, line_of, texts

DAY = datetime(2026, 4, 6, tzinfo=UTC)


async def talk_of(
    store: Store, days: int = 1, limit: int = PAGE, after: Hits | None = None, words: str = ""
) -> Hits:
    """The conversations of so many days."""
    until = DAY + timedelta(days=days)
    query = parse_query(f"{words} after:{DAY:%Y-%m-%d} before:{until:%Y-%m-%d}")
    search = Search(
        query=query,
        rooms=await store.rooms.all(),
        limit=limit,
        sort=Sort.OLDEST,
        by_conversation=True,
        cursor=after.next if after else None,
    )
    return await store.search(search, "talk")


def conversation(number: int, lines: int, at: datetime) -> list[NewMessage]:
    """A question by one of many people, and the answers that call them."""
    asker, helper = f"asker{number}", f"helper{number}"
    said = [line_of(asker, f"question {number}: how do I open it?", at, origin=Origin.IMPORT)]
    for n in range(1, lines):
        nick, other = (helper, asker) if n % 2 else (asker, helper)
        moment = at + timedelta(seconds=20 * n)
        said.append(line_of(nick, f"{other}: try number {n}", moment, origin=Origin.IMPORT))
    return said


async def test_each_conversation_is_shown_by_its_first_line_oldest_first(store: Store) -> None:
    await store.messages.append(
        chat(
            "09:00 <ada> does anyone know how the gate opens?\n09:01 <bo> ada: with the key\n"
            "14:00 <cy> who has the kettle?\n14:01 <dan> cy: me\n14:02 <cy> dan: thanks",
            at=DAY,
            origin=Origin.IMPORT,
        )
    )
    await store.messages.append(chat("<eve> tomorrow?\n<fay> eve: yes", at=DAY + timedelta(days=1)))
    hits = await talk_of(store, limit=4)
    assert texts(hits.messages) == ["does anyone know how the gate opens?", "who has the kettle?"]
    assert (hits.rung, hits.total, hits.next) == (Rung.CONVERSATIONS, 2, None)


async def test_the_largest_conversations_lead_and_pages_lose_none(store: Store) -> None:
    for number in range(PAGE + 5):
        at = DAY + timedelta(hours=6 * number)
        await store.messages.append(conversation(number, 2 if number < 5 else 4, at))
    first = await talk_of(store, days=7)
    assert [text.split(":")[0] for text in texts(first.messages)] == [
        f"question {number}" for number in range(5, PAGE + 5)
    ]
    assert first.next
    second = await talk_of(store, days=7, after=first)
    assert [text.split(":")[0] for text in texts(second.messages)] == [
        f"question {number}" for number in range(5)
    ]
    assert second.next is None


async def test_where_nobody_answers_every_line_is_shown_oldest_first(store: Store) -> None:
    await store.messages.append(chat("<ada> tea\n<ada> for\n<ada> one", at=DAY))
    hits = await talk_of(store, limit=2)
    assert hits.messages
    assert texts(hits.messages)[0] == "tea"


async def test_a_time_of_so_few_lines_as_fit_a_page_is_shown_whole(store: Store) -> None:
    await store.messages.append(chat("<ada> tea?\n<bo> ada: yes\n<cy> rain", at=DAY))
    whole = await talk_of(store, limit=3)
    assert (texts(whole.messages), whole.rung) == (["tea?", "ada: yes", "rain"], Rung.EVERYTHING)
    assert (await talk_of(store, limit=2)).rung is Rung.CONVERSATIONS


async def test_the_lines_of_no_conversation_are_counted(store: Store) -> None:
    await store.messages.append(conversation(1, 3, DAY))
    for hour in (8, 16):
        alone = line_of("eve", "where is the kettle?", DAY + timedelta(hours=hour))
        await store.messages.append([alone])
    hits = await talk_of(store, limit=4)
    assert (hits.total, hits.lines, hits.apart, hits.is_sample) == (1, 5, 2, False)


async def test_a_quiet_day_of_a_few_regulars_is_told_topic_by_topic(store: Store) -> None:
    """Unsure links over a pause join nothing: their topics were one conversation each before."""
    day = """
        08:00 <olga> the ferry leaves at six tomorrow
        08:03 <pete> then I set two alarms
        09:30 <pete> has anyone fed the hens?
        09:35 <olga> this morning, both bowls
        12:10 <rosa> which paint is left for the fence?
        12:16 <pete> green, half a bucket
        16:20 <olga> who bought stamps for the letters?
        16:24 <rosa> in the drawer under the phone
        19:40 <pete> storm tonight, take the chairs in
    """
    await store.messages.append(chat(day, at=DAY, origin=Origin.IMPORT))
    hits = await talk_of(store, limit=5)
    assert [message.nick for message in hits.messages] == ["olga", "pete", "rosa", "olga"]
    assert (hits.total, hits.lines, hits.apart) == (4, 9, 1)


async def test_an_unsure_link_over_a_pause_joins_nothing(store: Store) -> None:
    """A digest of the same time ends conversations in the same places."""
    said = "12:00 <ada> tea is ready\n12:05 <bo> tea?\n{} <ada> is the tea cold now\n{} <bo> yes"
    for day, (first, second) in enumerate((("12:07", "12:08"), ("15:07", "15:08"))):
        at = DAY + timedelta(days=day)
        lines = chat(said.format(first, second), at=at, origin=Origin.IMPORT)
        await store.messages.append(lines)
    hits = await talk_of(store, days=2, limit=5)
    assert texts(hits.messages) == ["tea is ready", "tea is ready", "is the tea cold now"]


async def test_pages_go_on_though_the_next_one_has_room_for_every_line(store: Store) -> None:
    for number in range(3):
        at = DAY + timedelta(hours=7 * number)
        await store.messages.append(conversation(number, 2, at))
    first = await talk_of(store, limit=1)
    second = await talk_of(store, limit=PAGE, after=first)
    assert (len(second.messages), second.rung) == (2, Rung.CONVERSATIONS)


async def test_a_long_time_is_sampled_from_beginning_to_end(store: Store) -> None:
    every = [
        message
        for number in range(600)
        for message in conversation(number, 4, DAY + timedelta(hours=6 * number))
    ]
    await store.messages.append(every)
    hits = await talk_of(store, days=150)
    assert len(hits.messages) == PAGE
    parts = {(message.said_at - DAY) // timedelta(days=25) for message in hits.messages}
    assert parts == set(range(6))
    moments = [message.said_at for message in hits.messages]
    assert moments == sorted(moments)
    assert hits.is_sample


@pytest.mark.parametrize("words", ["from:ada", "in:#tea -from:bo"])
async def test_other_restrictions_hold(store: Store, words: str) -> None:
    await store.messages.append(chat("<ada> tea?\n<ada> tea!\n<bo> ada: no", at=DAY))
    hits = await talk_of(store, words=words)
    assert {message.nick for message in hits.messages} == {"ada"}


async def test_a_time_without_talk_has_none(store: Store) -> None:
    await store.messages.append(chat("<ada> tea", at=DAY - timedelta(days=3)))
    hits = await talk_of(store)
    assert (texts(hits.messages), hits.tried) == ([], (Rung.CONVERSATIONS, Rung.EVERYTHING))


async def test_a_long_silence_ends_a_conversation_though_the_same_people_go_on(
    store: Store,
) -> None:
    for days in range(3):
        await store.messages.append(
            chat(
                "<ada> bo: hello again\n<bo> ada: hello",
                at=DAY + timedelta(hours=7 * days),
                origin=Origin.IMPORT,
            )
        )
    hits = await talk_of(store, limit=5)
    assert texts(hits.messages) == ["bo: hello again"] * 3


@pytest.mark.parametrize(("channel", "apart"), [("#tea", 0), ("#mate", 1)])
async def test_the_regulars_of_the_day_before_in_the_same_room_are_no_newcomers(
    store: Store, channel: str, apart: int
) -> None:
    """Alone, the line of tom would be in no conversation: it is the first of him that day."""
    before = """
        20:30 <dad> the boiler was serviced on monday
        20:40 <tom> the radiator in my room is cold
        20:41 <mum> open the valve a little
        20:45 <tom> ok
    """
    day = """
        06:58 <dad> boiler is making that noise again. did anybody touch the pressure valve?
        07:05 <mum> not me
        07:06 <tom> I bled the radiator in my room yesterday evening
        07:07 <dad> that explains it, pressure is at 0.8
        07:08 <dad> I'll refill it tonight
    """
    earlier = DAY - timedelta(days=1)
    await store.messages.append(chat(before, channel=channel, at=earlier, origin=Origin.IMPORT))
    await store.messages.append(chat(day, at=DAY, origin=Origin.IMPORT))
    hits = await talk_of(store, limit=3)
    assert (hits.total, hits.lines, hits.apart) == (1, 5, apart)
    hits = await talk_of(store, limit=3, words="-from:olga")
    assert (hits.total, hits.lines, hits.apart) == (1, 5, apart)


async def test_a_conversation_that_began_before_goes_on_by_its_lines_of_that_time(
    store: Store,
) -> None:
    await store.messages.append(
        chat(
            "23:58 <bo> who comes to the seaside on saturday?",
            at=DAY - timedelta(days=1),
            origin=Origin.IMPORT,
        )
    )
    said = "00:01 <cy> bo: me, by the early train\n00:09 <dora> bo: my sister and I"
    await store.messages.append(chat(said, at=DAY, origin=Origin.IMPORT))
    hits = await talk_of(store, limit=1)
    assert (texts(hits.messages), hits.apart) == (["bo: me, by the early train"], 0)
