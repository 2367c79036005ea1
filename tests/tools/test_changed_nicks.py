"""A search by nick that finds little, of somebody who changed nick."""

from datetime import timedelta

import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.records import MessageType
from tests.store.scene import NOON, line_of
from tests.tools.scene import House, Told

DAY = timedelta(days=1)
NOW = {"now": (NOON + 40 * DAY).isoformat()}  # 10 June 2026
NOTE = (
    "note: maybe the same person: ada changed nick to or from ada_away (2026-05-01):"
    " from:ada from:ada_away after:2026-05-02 before:2026-05-03 finds 2 lines"
)


async def furnish(house: House) -> None:
    """Ada speaks, changes her nick, and speaks on the next day under the new one."""
    await house.hears("<ada> tea at four\n<bo> fine")
    changed = line_of("ada", "ada_away", NOON + timedelta(hours=1), kind=MessageType.NICK)
    await house.store.messages.append([changed])
    await house.hears("<ada_away> tea at five\n<bo> fine\n<ada_away> and cake", at=NOON + DAY)


async def searched(house: House, query: str, view: dict[str, object] | None = None) -> Told:
    return await house.learns("search_irc_history", NOW | (view or {}), query=query)


@pytest.mark.parametrize(
    "query", ["what did ada say on may 2?", "from:ada on:2026-05-02", "from:ada tea on:2026-05-02"]
)
async def test_the_query_with_the_other_nick_is_named_and_not_searched_for(
    house: House, query: str
) -> None:
    await furnish(house)
    told = await searched(house, query)
    assert told.ids == []
    finds = NOTE.replace("from:ada ", "tea from:ada ").replace("2 lines", "1 line")
    assert (finds if " tea" in query else NOTE) in told.outside.splitlines()


@pytest.mark.parametrize(
    ("selection", "told"),
    [
        ({"nick": "ada", "after": "2026-05-02", "before": "2026-05-03"}, NOTE),
        (
            {"query": "from:ada five"},
            NOTE.partition("from:")[0] + "five from:ada from:ada_away finds 1 line",
        ),
    ],
)
async def test_figures_of_a_nick_name_the_query_with_the_other_one(
    house: House, selection: dict[str, str], told: str
) -> None:
    await furnish(house)
    counted = await house.learns("get_channel_stats", NOW, **selection)
    assert counted.facts["lines"] == 0
    assert told in counted.facts["notes"]
    assert told in counted.outside.splitlines()


async def test_figures_of_a_nick_do_not_tell_a_change_beyond_the_view(house: House) -> None:
    await furnish(house)
    told = await house.learns("get_channel_stats", {"as_of": 3}, nick="ada")
    assert "ada_away" not in told.everything
    await house.hears("<ada> elsewhere", "#mate")
    told = await house.learns("get_channel_stats", {"channel": "#mate"}, nick="ada")
    assert "ada_away" not in told.everything


async def test_a_few_lines_get_the_note_too_and_many_get_none(house: House) -> None:
    await furnish(house)
    told = await searched(house, "from:ada")
    assert "from:ada from:ada_away finds 3 lines" in told.outside
    await house.hears("<ada> one\n<ada> two")
    assert "changed nick" not in (await searched(house, "from:ada")).outside


async def test_many_lines_with_only_some_of_the_words_hide_no_line_that_the_nick_adds(
    house: House,
) -> None:
    await furnish(house)
    await house.hears("<ada> more tea\n<ada> tea again\n<ada> and tea", at=NOON + 2 * DAY)
    told = await searched(house, "from:ada tea five")
    assert len(told.ids) > 3
    assert "tea five from:ada from:ada_away finds 1 line" in told.outside


@pytest.mark.parametrize("query", ["from:ada coffee", "from:ada on:2026-05-03", "from:bo cake"])
async def test_a_nick_that_adds_no_line_is_not_named(house: House, query: str) -> None:
    await furnish(house)
    assert "changed nick" not in (await searched(house, query)).outside


@pytest.mark.parametrize("query", ["from:ada tea biscuits", "from:ada five biscuits"])
async def test_lines_with_only_some_of_the_words_are_none_that_the_nick_adds(
    house: House, query: str
) -> None:
    await furnish(house)
    await house.hears("<ada_away> biscuits\n<ada_away> five?", at=NOON + 2 * DAY)
    assert "changed nick" not in (await searched(house, query)).outside


async def test_another_nick_with_what_cannot_be_seen_looks_like_no_other(house: House) -> None:
    await house.hears("<ada> tea at four")
    changed = line_of("ada", "b\u200bo", NOON + timedelta(hours=1), kind=MessageType.NICK)
    await house.store.messages.append([changed])
    await house.hears("<b\u200bo> tea at five", at=NOON + DAY)
    told = await searched(house, "from:ada on:2026-05-02")
    assert "ada changed nick to or from b\ufffdo (2026-05-01)" in told.outside


@pytest.mark.parametrize("nick", ["ada", "ada_away"])
async def test_who_opted_out_is_no_other_nick_and_has_none(house: House, nick: str) -> None:
    await furnish(house)
    await house.store.opt_outs.add(Identity("net", nick, "u", "h.example"), NOON)
    told = await searched(house, "from:ada on:2026-05-02")
    assert "ada_away" not in told.everything


async def test_a_change_beyond_the_view_is_not_told(house: House) -> None:
    await furnish(house)
    told = await searched(house, "from:ada on:2026-05-01", {"as_of": 2})
    assert "ada_away" not in told.everything
    elsewhere = line_of("bo", "bo_away", NOON, channel="#secret", kind=MessageType.NICK)
    await house.store.messages.append([elsewhere])
    await house.hears("<bo_away> hello", at=NOON + 2 * DAY)
    told = await searched(house, "from:bo on:2026-05-03", {"channel": "#tea"})
    assert "bo_away" not in told.everything
