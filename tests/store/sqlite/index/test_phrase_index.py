"""The phrase index finds lines by pairs of words, and their text decides whether they match."""

from itertools import count
from pathlib import Path

import pytest

from terrarium_mcp.store import Store
from terrarium_mcp.store.search import Sort
from terrarium_mcp.store.sqlite.engine.functions import pairs
from terrarium_mcp.store.sqlite.search import exact
from tests.store.scene import chat, find, rows_of, texts

pytestmark = pytest.mark.usefixtures("at_once")


def with_the_same_hash(one: str, other: str) -> str:
    """Two other words that the phrase index cannot tell from these."""
    hashed = pairs([one.encode(), other.encode()])
    return next(f"x{n} y" for n in count() if pairs([b"x%d" % n, b"y"]) == hashed)


async def test_what_shares_a_hash_is_told_apart(store: Store, file: Path) -> None:
    alike = with_the_same_hash("green", "tea")
    await store.messages.append(chat(f"<ada> a green tea\n<bo> {alike}\n<cy> tea, green"))
    (pair,) = pairs([b"green", b"tea"]).split()
    held = "SELECT count(*) FROM phrase_index WHERE phrase_index MATCH ?"
    assert rows_of(file, held, (f'"{pair}"',)) == [(2,)]
    for sort in Sort:
        hits = await find(store, '"green tea"', sort=sort)
        assert (texts(hits.messages), hits.total) == (["a green tea"], 1)


@pytest.mark.parametrize("few", [1, 1_000])
async def test_signs_between_words_do_not_part_them_and_other_words_do(
    store: Store, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(exact, "_FEW_OF_A_PHRASE", few)
    await store.messages.append(
        chat("<ada> Green, TEA\n<bo> green-tea!\n<cy> green and tea\n<di> \x02green\x02 tea")
    )
    hits = await find(store, '"green tea"', sort=Sort.OLDEST)
    assert texts(hits.messages) == ["Green, TEA", "green-tea!", "\x02green\x02 tea"]


async def test_nobody_can_say_an_index_word_of_ours(store: Store) -> None:
    await store.messages.append(
        chat("<ada> \ue000tnothing tea mate\n<bo> tea or mate, \ue000r2\n<cy> milk")
    )
    hits = await find(store, "tea mate", sort=Sort.OLDEST)
    assert texts(hits.messages) == ["\ue000tnothing tea mate", "tea or mate, \ue000r2"]
    assert texts((await find(store, "\ue000tsaid", sort=Sort.NEWEST)).messages) == []
    assert texts((await find(store, "\ue000r2")).messages) == ["tea or mate, \ue000r2"]
