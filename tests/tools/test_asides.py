"""What a model is shown of commands, of the bot's own words, and of relayed lines."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.settings import Settings
from tests.store.scene import chat
from tests.tools.scene import House, opened

SAID = "the greenhouse heater was moved to the shed"
RELAYED = """
    <relaybot> <Jane#1234> the greenhouse heater is broken
    <relaybot> <ada> and I say so too
    * relaybot <Jane> waves
    -relaybot- <Jane> psst
    <ada> who are you?
"""


@pytest.fixture
async def relaying(tmp_path: Path) -> AsyncIterator[House]:
    async with opened(tmp_path, Settings(network="net", relays=(Relay("relaybot"),))) as house:
        yield house


async def asked_six_times(house: House) -> None:
    await house.hears(f"<ada> {SAID}\n<cy> which shed?")
    for _ in range(6):
        told = await house.learns("search_irc_history", query="greenhouse heater")
        assert told.lines[1].endswith(f"<ada> {SAID}")
        await house.hears("<dee> !search greenhouse heater")
        own = [line._replace(own=True) for line in chat(f"<Terra> dee: {told.lines[1]}")]
        await house.store.messages.append(own)


async def test_a_search_asked_six_times_quotes_the_original_first_each_time(house: House) -> None:
    await asked_six_times(house)
    told = await house.learns("search_irc_history", query="greenhouse heater")
    assert told.ids[0] == 1
    assert set(told.ids) <= {1, 2}
    assert told.text.splitlines()[2] == (
        "left out: 12 lines, commands to a bot (is:command) or words of the recording bot"
        " (from:Terra)"
    )


async def test_the_header_counts_what_a_search_left_out_and_a_program_is_told(
    house: House,
) -> None:
    await asked_six_times(house)
    told = await house.learns("search_irc_history", query="heater from:dee")
    assert "nothing found" in told.text
    assert "left out: 6 lines, commands to a bot (is:command)" in told.outside
    asked = await house.learns("search_irc_history", query="is:command", format="json", limit=2)
    assert asked.facts["asides_left_out"] == 0
    assert "left out" not in asked.text
    assert [line["text"] for line in asked.facts["messages"]] == ["!search greenhouse heater"] * 2
    told = await house.learns("search_irc_history", query="shed", format="json")
    assert told.facts["asides_left_out"] == 6
    own = await house.learns("search_irc_history", query="from:terra heater", limit=100)
    assert len(own.ids) == 6


@pytest.mark.parametrize(
    ("query", "left_out"),
    [
        ("heater", 4),
        ("greenhouse heater", 5),
        ("where is the greenhouse heater?", 5),
        ("what about the heaters?", 5),
        ("what did bo say about the heater today?", 5),
        ("heater kettle boiler", 5),
        ("heater OR kettle", 5),
        ("heatr", 4),
        ("kettle", 0),
        ("where is the lawnmower?", 1),
        ("lawnmower mower", 1),
        ("scarecrow", 0),
    ],
)
async def test_what_is_left_out_is_what_the_rung_that_answers_would_find(
    house: House, query: str, left_out: int
) -> None:
    await house.hears("""
        <ada> the greenhouse heater was moved to the shed
        <bo> ada: which heater, and where is the kettle today?
        <bo> the heaters are all broken
        <cy> there is a rake in the shed
        <dee> !search greenhouse heater
        <dee> !search where is the greenhouse heater?
        <dee> !terrarium who moved the heater to the greenhouse?
        <dee> !search heater
        <bo> !search heaters today
        <bo> !search lawnmower
        <bo> !help
    """)
    told = await house.learns("search_irc_history", query=query, format="json")
    assert told.facts["asides_left_out"] == left_out
    assert ("left out: " in told.text) == bool(left_out)


async def test_one_line_left_out_is_one_line(house: House) -> None:
    await house.hears(f"<ada> {SAID}\n<dee> !search heater")
    told = await house.learns("search_irc_history", query="heater")
    assert "left out: 1 line, " in told.text


async def test_the_lines_around_a_hit_are_without_them_but_the_log_itself_is_whole(
    house: House,
) -> None:
    await house.hears("""
        <ada> the heater is in the shed
        <bo> ada: which heater?
        <bo> !search heater
        <ada> bo: the heater of the greenhouse
    """)
    hits = await house.learns("search_irc_history", query="heater", context=5)
    assert 3 not in hits.ids
    assert {1, 2, 4} <= set(hits.ids)
    recent = await house.learns("get_recent_irc_messages", channel="#tea")
    around = await house.learns("get_message_context", message_id="4")
    assert recent.ids == around.ids == [1, 2, 3, 4]


async def test_who_asks_the_bot_is_no_talker_and_the_bot_is_none(house: House) -> None:
    await asked_six_times(house)
    told = await house.learns("get_channel_stats", channel="#tea")
    assert told.facts["top_talkers"] == {"ada": 1, "cy": 1}
    assert told.facts["channels"][0]["lines"] == 14
    assert told.facts["channels"][0]["people"] == 2


async def test_the_figures_of_a_time_have_the_talkers_of_all_time(house: House) -> None:
    await asked_six_times(house)
    told = await house.learns("get_channel_stats", channel="#tea", after="2000-01-01")
    assert told.facts["top_talkers"] == {"ada": 1, "cy": 1}
    assert (told.facts["lines"], told.facts["people"]) == (14, 2)
    asked = await house.learns("get_channel_stats", query="is:command")
    assert asked.facts["top_talkers"] == {"dee": 6}


async def test_figures_name_the_person_whose_words_a_relay_carried(relaying: House) -> None:
    await relaying.hears(RELAYED)
    for selection in ({"query": "greenhouse"}, {"query": "from:jane"}, {"after": "2000-01-01"}):
        told = await relaying.learns("get_channel_stats", **selection)
        assert "relaybot" not in told.facts["top_talkers"], selection
        assert "Jane" in told.facts["top_talkers"], selection


IS_A_RELAY = "relaybot is a relay: the lines that it carries count for those who spoke"


async def test_of_a_relay_it_is_said_whose_lines_it_carries(relaying: House) -> None:
    await relaying.hears(RELAYED)
    looked_up = await relaying.learns("lookup_nick", nick="RelayBot")
    assert looked_up.text.splitlines()[0].lower() == IS_A_RELAY
    searched = await relaying.learns("search_irc_history", query="from:relaybot")
    counted = await relaying.learns("get_channel_stats", nick="relaybot")
    for told in (searched, counted):
        assert f"note: the nick {IS_A_RELAY}" in told.outside.splitlines()


async def test_a_relay_of_channels_out_of_view_is_as_unknown_as_anybody(relaying: House) -> None:
    await relaying.hears("08:00 <bo> tea")
    await relaying.hears(RELAYED, channel="#secret")
    told = await relaying.learns("lookup_nick", {"channel": "#tea"}, nick="relaybot")
    assert told.text.splitlines()[0] == "no one called relaybot is recorded here"
    view = {"as_of": "2026-05-01T11:00:00Z"}
    early = await relaying.learns("lookup_nick", view, nick="relaybot")
    assert "is a relay" not in early.text


async def test_a_relayed_line_names_the_person_and_the_relay(relaying: House) -> None:
    await relaying.hears(RELAYED)
    told = await relaying.learns("get_recent_irc_messages", channel="#tea", format="json")
    assert [line.split(" ", 2)[2] for line in told.lines[1:]] == [
        "<Jane via relaybot> the greenhouse heater is broken",
        "<ada via relaybot> and I say so too",
        "* <Jane via relaybot> waves",
        "-<Jane via relaybot>- psst",
        "<ada> who are you?",
    ]
    assert [(line["nick"], line.get("via", "")) for line in told.facts["messages"]] == [
        ("Jane", "relaybot"), ("ada", "relaybot"), ("Jane", "relaybot"), ("Jane", "relaybot"),
        ("ada", ""),
    ]  # fmt: skip


async def test_no_name_from_elsewhere_looks_like_somebody_here(relaying: House) -> None:
    await relaying.hears("""
        <relaybot> <ada> I am ada
        <relaybot> <ada via otherbot> I am ada too
        <relaybot> <ada\u202e> and I
        <relaybot> [m] <\x0304ada\x03\u200b> and I
        * relaybot <ada> waves
        <relaybot> * ada waves
        <relaybot> ada: hello
    """)
    told = await relaying.learns("search_irc_history", query="from:ada", limit=100)
    recent = await relaying.learns("get_recent_irc_messages", channel="#tea", limit=100)
    for line in [*told.lines, *recent.lines]:
        assert line.startswith("--") or "via relaybot> " in line or " <relaybot> " in line, line
        assert "<ada> " not in line
        assert " * ada" not in line.replace("<relaybot> * ada", "")


async def test_ninety_five_of_a_hundred_relayed_lines_are_found_by_their_speaker(
    relaying: House,
) -> None:
    names = ["Jane", "Zo\u00eb", "Max Power", "\u8336", "x_X", "ada"]
    heads = [
        "<{}> ", "<{}#1234> ", "[m] <{}> ", "<\x0303{}\x03> ", "[t] <{}>: ", "<{}\u200b> ",
    ]  # fmt: skip
    things = ["kettle", "teapot", "saucer", "spoon", "biscuit", "tray", "cosy", "strainer"]
    said = []
    for n in range(100):
        name, head = names[n % 6], heads[n % 5 if n % 7 else 5]
        text = f"the {things[n % 8]} of house{n} stands in room{n * 7 % 100}"
        said.append((name, f"house{n} room{n * 7 % 100}"))
        await relaying.hears(
            f"<relaybot> {head.format(name)}{text}\n<bo> house{n}? {things[n % 8]}"
        )
    found = 0
    for n, (name, words) in enumerate(said):
        told = await relaying.learns("search_irc_history", query=f'{words} from:"{name}"', limit=1)
        found += told.ids == [2 * n + 1]
    assert found >= 95
    stats = await relaying.learns("get_channel_stats", channel="#tea")
    assert set(stats.facts["top_talkers"]) == {*names, "bo"}


async def test_the_figures_of_a_channel_say_how_many_lines_are_asides(house: House) -> None:
    await house.hears("<ada> tea at four\n<bo> yes")
    await house.hears("<ada> !search tea")
    told = await house.learns("get_channel_stats")
    note = (
        "note: 1 line of these: commands to a bot (is:command) or words of the recording bot"
        " (from:Terra); it counts for no person"
    )
    assert note in told.outside
    assert told.facts["notes"] == [note]
    assert told.facts["top_talkers"] == {"ada": 1, "bo": 1}
    today = await house.learns("get_channel_stats", after="2026-05-01")
    assert today.facts["notes"] == [note]
    assert today.facts["lines"] == 3
    assert told.facts["asides"] == today.facts["asides"] == 1
    await house.hears("\n".join(f"<cy{n}> hello" for n in range(12)))
    await house.hears("<dee> !help", channel="#mate")
    told = await house.learns("get_channel_stats", channel="#tea")
    assert told.facts["notes"] == [note]
    told = await house.learns("get_channel_stats")
    assert told.facts["asides"] == 2


async def test_the_figures_of_a_person_say_how_many_commands_they_leave_out(house: House) -> None:
    await house.hears("<ada> tea at four\n<ada> !search tea\n<bo> !search tea\n<bo> !help")
    left_out = "left out: {}, commands to a bot (is:command)"
    told = await house.learns("get_channel_stats", nick="ada")
    assert told.facts["notes"] == [left_out.format("1 line")]
    assert (told.facts["lines"], told.facts["asides"]) == (1, 1)
    told = await house.learns("get_channel_stats", nick="bo", channel="#tea")
    assert told.lines == ["0 lines"]
    assert left_out.format("2 lines") in told.outside
    told = await house.learns("get_channel_stats", query="tea")
    assert (told.facts["lines"], told.facts["asides"]) == (1, 2)
    told = await house.learns("get_channel_stats", nick="bo", query="is:command")
    assert (told.facts["lines"], told.facts["notes"]) == (2, [])


async def test_the_figures_of_the_bot_are_of_what_it_said(house: House) -> None:
    await asked_six_times(house)
    searched = await house.learns("search_irc_history", query="from:terra", limit=100)
    assert len(searched.ids) == 6
    told = await house.learns("get_channel_stats", nick="terra")
    assert (told.facts["lines"], told.facts["notes"]) == (6, [])
    view = {"as_of": "2026-06-01T00:00:00Z"}
    assert (await house.learns("get_channel_stats", view, nick="terra")).facts["lines"] == 6


async def test_a_command_that_is_said_meanwhile_is_in_the_very_next_figures(house: House) -> None:
    await house.hears("<ada> tea")
    counted = []
    for said in ("<bo> more tea", "<ada> !search tea", "<bo> !search milk"):
        await house.hears(said)
        told = await house.learns("get_channel_stats", channel="#tea")
        counted.append(told.facts["asides"])
    assert counted == [0, 1, 2]
