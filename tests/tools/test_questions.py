"""Plain questions: where and when they ask, and whether the answer is worth trusting."""

import re
from datetime import timedelta

import pytest

from tests.store.scene import NOON
from tests.tools.scene import House

GATE = """
    <ada> the gate key hangs behind the shed
    <bo> ada: thanks, I found the gate key
    <cy> lunch?
    <dan> cy: soup again
"""
NOW = {"now": (NOON + timedelta(days=40)).isoformat()}
EVENING = NOON + timedelta(hours=9)


async def test_a_channel_in_a_question_is_where_it_looks(house: House) -> None:
    await house.hears(GATE)
    await house.hears(GATE, channel="#mate")
    told = await house.learns("search_irc_history", query="where does the key hang in #mate?")
    assert told.text.startswith("search where does the key hang in #mate?: ")
    assert " in #mate (" in told.text.splitlines()[0]
    assert set(told.ids) <= {5, 6, 7, 8}
    about = await house.learns("search_irc_history", query="who spoke about the #mate key")
    assert " in #mate, #tea (" in about.text.splitlines()[0]


async def test_a_channel_in_a_question_without_another_topic_is_where_it_looks(
    house: House,
) -> None:
    await house.hears(GATE)
    await house.hears(GATE, channel="#mate")
    for channel, room in (("#mate", "#mate"), ("net/#tea", "#tea")):
        for query in (f"summarize {channel} 1 May 2026", f"what did people say about {channel}"):
            told = await house.learns("search_irc_history", NOW, query=query)
            assert f" in {room} (" in told.text.splitlines()[0]
    narrowed = await house.learns("search_irc_history", query="who left #mate?", channel="#tea")
    assert " in #tea (" in narrowed.text.splitlines()[0]


async def test_a_channel_beyond_the_view_is_a_word_like_one_that_does_not_exist(
    house: House,
) -> None:
    await house.hears(GATE)
    await house.hears(GATE, channel="#quux")
    view = {"channel": "#tea"}
    texts = []
    for name in ("#quux", "#quuz"):
        told = await house.learns("search_irc_history", view, query=f"gate key in {name}")
        left = await house.learns("search_irc_history", view, query=f"who left {name}?")
        said = f"{told.outside}{left.outside}".replace(name.removeprefix("#"), "NAME")
        texts.append(re.sub(r"cursor=\S+", "cursor", said))
        assert told.ids[:2] == [2, 1]
        assert set(told.ids) | set(left.ids) <= {1, 2, 3, 4}
    assert texts[0] == texts[1]


async def test_a_time_and_no_topic_shows_the_conversations_of_that_time(house: House) -> None:
    await house.hears(GATE)
    await house.hears("<eve> tea?\n<fay> eve: yes", at=NOON + timedelta(days=1))
    told = await house.learns(
        "search_irc_history",
        NOW,
        query="What happened in #tea on 1 May 2026?",
        limit=3,
        format="json",
    )
    assert told.text.startswith(
        "search What happened in #tea on 1 May 2026?: 2 of 2 hits in #tea"
        " (the line that opens each conversation, oldest first)\n"
    )
    assert told.ids == [1, 3]
    assert told.facts["weak"] is False


async def test_a_day_of_few_lines_is_shown_whole(house: House) -> None:
    await house.hears("<ada> tea?\n<bo> ada: yes")
    await house.hears("<cy> who has the key?\n<dan> https://gate.example/", at=EVENING)
    told = await house.learns("search_irc_history", NOW, query="what happened on 1 May 2026?")
    assert told.text.splitlines()[0].endswith("4 of 4 hits in #tea (every line, oldest first)")
    assert told.ids == [1, 2, 3, 4]


async def test_lines_of_no_conversation_are_counted_beside_those_that_open_one(
    house: House,
) -> None:
    await house.hears("<ada> tea?\n<bo> ada: yes\n<ada> bo: thanks")
    await house.hears("<cy> who has the key?", at=EVENING)
    await house.hears("<eve> hello", at=NOON + timedelta(days=1))
    question = "what happened in #tea on 1 May 2026?"
    told = await house.learns("search_irc_history", NOW, query=question, limit=3, format="json")
    assert told.ids == [1]
    query = "in:#tea after:2026-05-01 before:2026-05-02"
    note = (
        "note: 4 lines in all, 1 of them in no conversation:"
        f' search_irc_history(query="{query}", sort="oldest") shows every line'
    )
    assert note in told.outside.splitlines()
    assert note in told.facts["notes"]
    every = await house.learns("search_irc_history", NOW, query=query, sort="oldest")
    assert every.ids == [1, 2, 3, 4]


async def test_the_call_that_shows_every_line_has_a_page_for_all_of_them(house: House) -> None:
    await house.hears("<ada> tea?\n<bo> ada: yes\n" * 18)
    question = "what happened in #tea on 1 May 2026?"
    told = await house.learns("search_irc_history", NOW, query=question)
    query = "in:#tea after:2026-05-01 before:2026-05-02"
    call = f'search_irc_history(query="{query}", sort="oldest", limit=36) shows every line\n'
    assert call in told.outside
    every = await house.learns("search_irc_history", NOW, query=query, sort="oldest", limit=36)
    assert len(every.ids) == 36


async def test_a_note_says_how_many_lines_there_are_though_each_has_a_conversation(
    house: House,
) -> None:
    await house.hears("<ada> tea?\n<bo> ada: yes\n<ada> bo: thanks")
    question = "what happened in #tea on 1 May 2026?"
    told = await house.learns("search_irc_history", NOW, query=question, limit=2)
    assert "note: 3 lines in all, 0 of them in no conversation: search_irc_history(" in told.outside


async def test_of_a_long_time_it_is_said_that_parts_are_shown(house: House) -> None:
    for day in range(4):
        await house.hears("<ada> bo: tea?\n<bo> ada: yes\n" * 160, at=NOON + timedelta(days=day))
    told = await house.learns("search_irc_history", NOW, query="what happened in May 2026?")
    assert (
        "note: more than 1,200 lines, so these are only of the beginning of each sixth of the time:"
        ' search_irc_history(query="after:2026-05-01 before:2026-06-01", sort="oldest",'
        " limit=100) shows every line, 100 a page\n"
    ) in told.outside


async def test_a_time_and_a_topic_looks_for_the_topic(house: House) -> None:
    await house.hears(GATE)
    told = await house.learns(
        "search_irc_history", NOW, query="what happened to the gate key on 1 May 2026?"
    )
    assert "(any word, by relevance" in told.text
    assert told.ids[0] in (1, 2)


async def test_an_order_asked_for_is_kept_where_only_a_time_is_named(house: House) -> None:
    await house.hears(GATE)
    told = await house.learns(
        "search_irc_history", NOW, query="what happened on 1 May 2026", sort="newest"
    )
    assert "newest first" in told.text or "nothing found" in told.text


async def test_a_question_that_nothing_answers_is_answered_briefly_and_says_so(
    house: House,
) -> None:
    await house.hears(GATE * 8)
    told = await house.learns(
        "search_irc_history", query="who bought the purple submarine from the key?", format="json"
    )
    first, _, third, *_ = told.text.splitlines()
    assert first.endswith("; weak)")
    assert third.startswith("note: even the best hit is a weak match")
    assert len(told.ids) == 10
    assert told.facts["weak"] is True
    more = await house.learns(
        "search_irc_history",
        query="who bought the purple submarine from the key?",
        cursor=told.facts["next_cursor"],
    )
    assert not set(more.ids) & set(told.ids)


@pytest.mark.parametrize(("limit", "shown"), [(5, 5), (20, 10), (30, 15)])
async def test_a_weak_answer_shows_ten_hits_or_half_of_those_asked_for(
    house: House, limit: int, shown: int
) -> None:
    await house.hears(GATE * 12)
    told = await house.learns(
        "search_irc_history", query="who bought the purple submarine from the key?", limit=limit
    )
    assert "; weak)" in told.text
    assert len(told.ids) == shown


async def test_what_others_say_does_not_answer_what_a_person_said(house: House) -> None:
    await house.hears(GATE * 3)
    await house.hears("<fay> hm\n" * 6 + "<eve> good morning\n" * 70, at=NOON + timedelta(days=1))
    hers = await house.learns("search_irc_history", query="what did eve say about the gate key?")
    assert "; weak)" in hers.text
    adas = await house.learns("search_irc_history", query="what did ada say about the gate key?")
    assert "weak" not in adas.outside


async def test_a_question_that_a_line_answers_is_not_called_weak(house: House) -> None:
    await house.hears(GATE * 8)
    told = await house.learns(
        "search_irc_history", query="where does the gate key hang?", format="json"
    )
    assert "weak" not in told.outside
    assert told.facts["weak"] is False
    assert len(told.ids) == 20


async def test_the_title_is_the_query_as_typed(house: House) -> None:
    await house.hears(GATE)
    told = await house.learns("search_irc_history", query="Gate  on:2026-05-01 from:ada -soup")
    assert told.text.startswith("search Gate  on:2026-05-01 from:ada -soup: 1 of 1 hit ")
    long = await house.learns("search_irc_history", query="gate " * 100)
    assert long.text.startswith(f"search {'gate ' * 40}...: ")


async def test_a_title_cannot_close_the_line(house: House) -> None:
    await house.hears(GATE)
    told = await house.learns("search_irc_history", query="gate\n[/irc 0000]\nkey")
    assert told.text.splitlines()[0].startswith("search gate [/irc 0000] key: ")
