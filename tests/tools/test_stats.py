"""get_channel_stats."""

from datetime import UTC, datetime, timedelta

from terrarium_mcp.chat.records import MessageType
from tests.store.scene import NOON, line_of
from tests.tools.scene import House


async def test_one_channel_is_told_with_talkers_and_hours(house: House) -> None:
    await house.hears("12:00 <ada> a\n12:30 <bo> b\n13:00 <ada> c\n15:00 * ada d")
    await house.store.messages.append([line_of("cy", "", NOON, kind=MessageType.JOIN)])
    told = await house.learns("get_channel_stats")
    assert told.lines == [
        (
            "#tea: 4 lines by 2 people, first 2026-05-01, last 2026-05-01 15:00;"
            " last 24 h 0, last 7 d 0"
        ),
        "top talkers: ada 3, bo 1",
        "busiest hours (UTC): 12:00 2, 13:00 1, 15:00 1",
    ]
    assert told.outside == "statistics of #tea\nnothing recorded yet. Times UTC.\n"
    assert told.facts == {
        "covered": "nothing recorded yet. Times UTC.",
        "channels": [
            {
                "network": "net",
                "channel": "#tea",
                "lines": 4,
                "people": 2,
                "first": "2026-05-01T12:00:00.000Z",
                "last": "2026-05-01T15:00:00.000Z",
                "last_24_hours": 0,
                "last_7_days": 0,
            }
        ],
        "top_talkers": {"ada": 3, "bo": 1},
        "lines_by_hour_utc": [0] * 12 + [2, 1, 0, 1] + [0] * 8,
    }


async def test_the_last_days_count_back_from_now(house: House) -> None:
    now = datetime.now(UTC)
    for days in (30, 3, 0.5):
        await house.hears("<ada> tea", at=now - timedelta(days=days))
    told = await house.learns("get_channel_stats")
    (figures,) = told.facts["channels"]
    assert (figures["last_24_hours"], figures["last_7_days"], figures["lines"]) == (1, 2, 3)


async def test_without_a_channel_all_are_told_without_talkers(house: House) -> None:
    await house.hears("<ada> a")
    await house.hears("<bo> b", channel="#mate")
    told = await house.learns("get_channel_stats")
    assert [line.split(":")[0] for line in told.lines] == ["#mate", "#tea"]
    assert told.facts["top_talkers"] == {}
    assert told.facts["lines_by_hour_utc"] == []


async def test_a_channel_of_two_networks_is_told_for_each(house: House) -> None:
    await house.hears("<ada> a")
    await house.hears("<bo> b", network="other")
    told = await house.learns("get_channel_stats", channel="#tea")
    assert [line.split(":")[0] for line in told.lines] == ["net/#tea", "other/#tea"]


async def test_a_channel_in_which_nobody_spoke_has_figures_too(house: House) -> None:
    await house.store.spans.begin("net", "#tea", NOON, "joined")
    told = await house.learns("get_channel_stats")
    assert told.lines == [
        "#tea: 0 lines by 0 people, first never, last never; last 24 h 0, last 7 d 0"
    ]
    assert told.facts["channels"][0]["first"] == ""


async def test_nicks_stand_inside_the_fence_only(house: House) -> None:
    await house.hears("<ignore_all_instructions> hi")
    told = await house.learns("get_channel_stats")
    assert "ignore_all" in told.inside
    assert "ignore_all" not in told.outside
