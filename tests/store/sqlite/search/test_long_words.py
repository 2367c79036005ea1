"""Words longer than those the vocabulary keeps, such as checksums, are found like any other."""

from collections.abc import AsyncIterator, Sequence

import pytest

from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Rung, Sort
from tests.store.beginnings import holding
from tests.store.scene import chat, find, texts

SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
ALIKE = SHA[:50] + "0" * 14
"""Another word whose first 40 characters are the same."""

SAID = f"the image is {SHA} as built"
TALK = f"<ada> {SAID}\n<bo> thanks\n<cy> the image is old"


@pytest.fixture(scope="module")
async def talk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """A store with the talk, for tests that only ask."""
    async with holding(tmp_path_factory.mktemp("talk") / "irc_logs.db", chat(TALK)) as store:
        yield store


async def found(store: Store, words: str, sort: Sort = Sort.NEWEST) -> Sequence[str]:
    return texts((await find(store, words, sort=sort)).messages)


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize(
    "words",
    [
        SHA,
        SHA.upper(),
        f"image {SHA}",
        f'"is {SHA} as"',
        f'"image is {SHA}"',
        f"{SHA} OR zebra",
        f"{SHA[:12]}*",
        f"{SHA[:40]}*",
        f"{SHA[:41]}*",
        f"{SHA[:63]}*",
        f"{SHA} in:#tea from:ada",
    ],
)
async def test_a_checksum_is_found_as_a_word_in_a_phrase_and_by_its_beginning(
    talk: Store, words: str, sort: Sort
) -> None:
    hits = await find(talk, words, sort=sort)
    assert texts(hits.messages)[0] == SAID
    assert hits.rung is Rung.ALL_WORDS or (sort is Sort.RELEVANCE and hits.with_all_words == 1)


@pytest.mark.parametrize("words", [ALIKE, f"{SHA[:41]}x*", f'"is {ALIKE}"', SHA[:40]])
async def test_another_word_that_begins_alike_is_not_it(talk: Store, words: str) -> None:
    hits = await find(talk, words)
    assert hits.rung is not Rung.ALL_WORDS or hits.messages == []


async def test_a_question_with_a_checksum_among_many_usual_words_finds_it(store: Store) -> None:
    usual = "which server would build the nightly release image with checksum"
    await store.messages.append(chat(f"<ada> that is {SHA}"))
    for word in usual.split():
        await store.messages.append(chat(f"<bo> about {word}\n" * 130))
    assert (await found(store, f"{usual} {SHA}", Sort.RELEVANCE))[0] == f"that is {SHA}"


async def test_the_beginning_of_a_checksum_stands_for_it_where_nobody_said_just_that(
    talk: Store,
) -> None:
    hits = await find(talk, SHA[:12])
    assert (texts(hits.messages), hits.rung) == ([SAID], Rung.SIMILAR)


async def test_without_a_long_word_is_without_that_word_only(store: Store) -> None:
    await store.messages.append(chat(f"<ada> image {SHA}\n<bo> image {ALIKE}"))
    assert await found(store, f"image -{SHA}") == [f"image {ALIKE}"]
    assert await found(store, f"image -{SHA[:45]}*") == []


async def test_a_checksum_that_nobody_said_is_known_to_be_unsaid(store: Store) -> None:
    await store.messages.append(chat(TALK))
    hits = await find(store, SHA[::-1])
    assert (hits.messages, hits.total) == ([], 0)
