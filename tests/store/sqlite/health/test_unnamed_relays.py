"""The doctor notices a nick that carries others' talk, and names the setting for it."""

from pathlib import Path

import pytest

from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import examine, open_store
from terrarium_mcp.store.sqlite.health.unnamed_relays import FEWEST
from tests.patience import PATIENCE
from tests.settings.loaded import load_settings
from tests.store.scene import NOON, SETTINGS, chat


def proposals(file: Path, settings: Settings = SETTINGS) -> list[str]:
    return [
        fact.text
        for section in examine(file, NOON, settings)
        for fact in section.facts
        if fact.name == "a relay?" and not fact.wrong
    ]


async def record(file: Path, *lines: str, settings: Settings = SETTINGS) -> None:
    async with open_store(file, settings) as store:
        await store.messages.append(chat("\n".join(lines)))


RELAYED = [f"<discobot> <Person{n % 3}#0001> a line of talk, {n}" for n in range(FEWEST)]


async def test_a_nick_most_of_whose_lines_begin_with_a_name_is_proposed(file: Path) -> None:
    await record(file, *RELAYED, *["<discobot> reconnected"] * (FEWEST - 1), "<ada> hello")
    [told] = proposals(file)
    assert told == (
        "discobot on net: 20 of its newest 39 lines begin with a name, such as Person1. If it"
        " carries talk from elsewhere, set TERRARIUM_RELAYS=discobot"
    )


async def test_the_setting_proposed_is_the_one_to_set(file: Path) -> None:
    await record(file, *RELAYED)
    settings = Settings(network="net", relays=(Relay("bot", "other", "NAME |"),))
    assert proposals(file, settings)[0].endswith("set TERRARIUM_RELAYS=other/bot=NAME |,discobot")
    elsewhere = Settings(network="elsewhere")
    assert proposals(file, elsewhere)[0].endswith("set TERRARIUM_RELAYS=net/discobot")
    [told] = proposals(file)
    typed = told.partition("TERRARIUM_RELAYS=")[2]
    as_told = load_settings({"TERRARIUM_NETWORK": "net", "TERRARIUM_RELAYS": typed}, environ={})
    async with open_store(file, as_told) as store:
        await store.opening.wait(PATIENCE)
    assert proposals(file) == []


@pytest.mark.parametrize(
    "lines",
    [
        RELAYED[1:],
        [*RELAYED, *["<discobot> reconnected"] * FEWEST],
        [f"<discobot> note: {n}" for n in range(FEWEST)],
        [f"<discobot> <Jane> {n}" for n in range(FEWEST)],
        [
            "<ada> hello",
            "<cy> hello",
            *[f"<bo> {'ada' if n % 2 else 'cy'}: {n}" for n in range(30)],
        ],
    ],
    ids=["too few lines", "half its own", "one word", "one name", "addresses people here"],
)
async def test_others_are_let_alone(file: Path, lines: list[str]) -> None:
    await record(file, *lines)
    assert proposals(file) == []


async def test_names_that_nobody_here_has_are_noticed_without_brackets(file: Path) -> None:
    await record(file, *(f"<telebot> person{n % 4}: hello {n}" for n in range(FEWEST)))
    assert "set TERRARIUM_RELAYS=telebot" in proposals(file)[0]


async def test_the_rules_in_use_are_shown(file: Path) -> None:
    settings = Settings(
        network="net", irc_nick="Robo", relays=(Relay("bot", head="NAME |"), Relay("other", "net"))
    )
    await record(file, "<ada> hello", settings=settings)
    facts = [fact for section in examine(file, NOON) for fact in section.facts]
    assert [fact.text for fact in facts if fact.name == "net"] == [
        "bot Robo, prefix !, relays bot=NAME |, other"
    ]
