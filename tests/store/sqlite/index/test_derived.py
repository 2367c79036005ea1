"""Every derived structure equals a recount, and reports it when it does not."""

import pytest

from terrarium_mcp.chat.records import MessageType, NewMessage
from terrarium_mcp.store import Store
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED
from terrarium_mcp.store.sqlite.index.structure import Derived
from terrarium_mcp.store.sqlite.index.talk_counts import TalkCounts
from terrarium_mcp.store.sqlite.index.word_blocks import WordBlocks
from tests.store.scene import chat, find

pytestmark = pytest.mark.usefixtures("at_once")

each = pytest.mark.parametrize("one", DERIVED, ids=lambda one: str(one.name))
WHOLE = [one for one in DERIVED if not isinstance(one, WordBlocks | TalkCounts)]
"""The structures that hold every message: blocks of words and periods may be missing."""


async def differences(store: Store, one: Derived) -> list[str]:
    return await store.differences([one.name])


def a_little_of_everything() -> list[NewMessage]:
    """Speech with URL, msgid, and a known mask; a command; a change of nick; a topic."""
    said = chat("<ada> tea at four, see https://example.org/tea\n<bo> !ask mate\n* cy waves")
    ada = said[0]._replace(user="ada", host="host.example", account="ada", msgid="one")
    return [
        ada,
        *said[1:],
        ada._replace(kind=MessageType.NICK, text="ada_"),
        ada._replace(kind=MessageType.TOPIC, text="tea"),
    ]


@each
async def test_what_was_appended_equals_a_recount(store: Store, one: Derived) -> None:
    await store.messages.append(a_little_of_everything())
    assert await differences(store, one) == []


@pytest.mark.parametrize("one", WHOLE, ids=lambda one: str(one.name))
async def test_what_is_missing_is_named(store: Store, one: Derived) -> None:
    await store.messages.append(a_little_of_everything())
    async with store._database.writing() as writer:  # noqa: SLF001
        await one.clear(writer)
    assert await differences(store, one) != []


async def test_a_cleared_structure_is_made_again_before_the_next_read(store: Store) -> None:
    await store.messages.append(a_little_of_everything())
    async with store._database.writing() as writer:  # noqa: SLF001
        for one in DERIVED:
            await one.clear(writer)
        await writer.run("UPDATE derived SET upto = 0 WHERE name != 'messages'")
    assert len((await find(store, "tea")).messages) == 1
    for one in DERIVED:
        assert await differences(store, one) == []


async def test_a_message_given_up_is_in_no_structure_once_its_row_is_gone(store: Store) -> None:
    first, *_ = await store.messages.append(a_little_of_everything())
    async with store._database.writing() as writer:  # noqa: SLF001
        for one in DERIVED:
            await one.remove(writer, [first])
        await writer.run("DELETE FROM messages WHERE id = ?", (first,))
    assert (await find(store, "tea")).messages == []
    for one in DERIVED:
        assert await differences(store, one) == []
