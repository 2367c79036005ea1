"""A person whose words a relay carries is found as one who speaks here."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from terrarium_mcp.chat.query.parser import parse_query
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.search import Rung, Sort
from tests.store.scene import chat, find, texts

TALK = """
<relaybot> <Jane Doe#1234> the greenhouse heater is broken
<relaybot> <\x0303Zo\u200b\u00eb\x03> Jane: it was moved to the shed: https://example.org/shed
<ada> zo\u00eb: who has the key of the shed?
<relaybot> [m] <ada> a stranger who calls himself so
<relaybot> reconnected
<relaybot> <Zo\u00eb> bo has it
"""


@pytest.fixture
async def relayed(file: Path) -> AsyncIterator[Store]:
    """What two people said by way of a relay, and one here."""
    async with open_store(file, Settings(network="net", relays=(Relay("relaybot"),))) as store:
        await store.messages.append(chat(TALK))
        yield store


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('greenhouse heater from:"jane doe"', [1]),
        ('from:"Jane Doe#1234"', [1]),
        ("from:zo\u00eb shed", [2]),
        ("from:ada", [4, 3]),
        ("from:relaybot", [5]),
        ("-from:relaybot -from:ada", [6, 2, 1]),
        ("doe", []),
        ("mentions:jane", [2]),
        ("mentions:zo\u00eb", [3]),
        ("has:link from:zo\u00eb", [2]),
        ('"greenhouse heater" from:"jane doe"', [1]),
        ('"the greenhouse"', [1]),
        ("type:privmsg from:zo\u00eb", [6, 2]),
    ],
)
async def test_the_speaker_is_the_person(relayed: Store, query: str, expected: list[int]) -> None:
    found = await find(relayed, query)
    assert [line.id for line in found.messages if found.rung is not Rung.SIMILAR] == expected


async def test_a_question_about_a_person_is_answered_with_what_a_relay_carried(
    relayed: Store,
) -> None:
    found = await find(relayed, "what did zo\u00eb say about the shed?", sort=Sort.RELEVANCE)
    assert "moved to the shed" in texts(found.messages)[0]


async def test_a_conversation_is_between_the_people(relayed: Store) -> None:
    [question] = (await find(relayed, "who has the key")).messages
    conversation = await relayed.conversations.around(question)
    assert {line.nick for line in conversation.messages} >= {"ada", "Zo\u00eb"}


@given(
    st.text(st.characters(exclude_characters="#"), max_size=20)
    | st.text("<>@:, a&~%+!\u00eb", max_size=6)
)
@example("\x80")
def test_the_number_of_a_name_is_no_part_of_it_in_a_query(name: str) -> None:
    quoted = parse_query(f'from:"{name}#1234"')
    plain = parse_query(f'from:"{name}"')
    assert quoted.people == plain.people or not plain.people
