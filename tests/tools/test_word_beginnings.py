"""search_irc_history: `lat*` is any word that begins so, also where not every word is found."""

import pytest

from terrarium_mcp.store.search.relevance import question_analysis
from tests.tools.scene import House

TALK = """
    08:00 <ada> the latch of the gate is broken
    10:00 <bo> lunch at noon?
    12:00 <ada> latency is up since the deploy
    14:00 <bo> the kettle is warm
    16:00 <cyd> it is late
"""


@pytest.mark.parametrize("query", ["zzzqq lat*", "prefix lat*", "who did the lat* thing"])
async def test_a_beginning_stays_one_beside_words_that_nobody_said(
    house: House, query: str
) -> None:
    await house.hears(TALK)
    found = await house.learns("search_irc_history", query=query)
    assert set(found.ids) == {1, 3, 5}


async def test_a_beginning_and_a_word_find_the_lines_with_either(house: House) -> None:
    await house.hears(TALK)
    found = await house.learns("search_irc_history", query="lat* zzzqq kettle")
    assert set(found.ids) == {1, 3, 4, 5}
    assert "no line holds zzzqq" in found.text


async def test_a_beginning_that_no_word_has_is_named_as_it_was_typed(house: House) -> None:
    await house.hears(TALK)
    found = await house.learns("search_irc_history", query="xylo* kettle")
    assert found.ids == [4]
    assert "no line holds xylo*" in found.text


async def test_a_line_with_the_beginning_and_a_word_leads(house: House) -> None:
    await house.hears(TALK)
    await house.hears("""
        18:00 <ada> the latex paint is in the shed
        20:00 <bo> the shed is locked
    """)
    found = await house.learns("search_irc_history", query="zzzqq lat* shed")
    assert found.ids[0] == 6


async def test_words_before_a_beginning_must_stand_before_it(house: House) -> None:
    await house.hears(TALK)
    found = await house.learns("search_irc_history", query="zzzqq the-lat*")
    assert found.ids == [1]


async def test_the_rarest_of_many_words_with_a_beginning_is_found(house: House) -> None:
    usual = [f"<ada> qua{number:04}" for number in range(1_100)]
    await house.hears("\n".join([*usual, *usual]))
    await house.hears("<bo> quokka", channel="#mate")
    found = await house.learns("search_irc_history", query="zzzqq qu* in:#mate")
    assert found.ids == [2_201]


async def test_a_beginning_finds_visible_lines_alone(house: House) -> None:
    await house.hears(TALK)
    await house.hears("<bo> latent talk", channel="#hidden")
    view = {"channels": ["#tea"]}
    found = await house.learns("search_irc_history", view, query="zzzqq lat*")
    assert set(found.ids) == {1, 3, 5}
    found = await house.learns("search_irc_history", view, query="latent* kettle")
    assert found.ids == [4]
    assert "no line holds latent*" in found.text


async def test_of_a_beginning_of_most_lines_the_usual_words_lead(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_analysis, "_MERGED", 2)
    monkeypatch.setattr(question_analysis, "_INSTEAD", 1)
    await house.hears(TALK)
    await house.hears("18:00 <bo> latency is down")
    found = await house.learns("search_irc_history", query="zzzqq lat*")
    assert found.ids[:2] == [6, 3]
    assert set(found.ids) == {1, 3, 5, 6}
    found = await house.learns("search_irc_history", query="zzzqq is-lat*")
    assert found.ids == [5]
