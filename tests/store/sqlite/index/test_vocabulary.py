"""The vocabulary counts the words of all speech, and forgets those of removed lines."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from terrarium_mcp.chat.terms import RESERVED_PREFIX
from terrarium_mcp.store import Store
from terrarium_mcp.store.search.vocabulary_queries import (
    LONGEST_WHOLE,
    WordsAmong,
    WordsBeginning,
    WordsHolding,
    WordsMisspelt,
)
from terrarium_mcp.store.sqlite.engine.reads import Params, Reads, Row
from terrarium_mcp.store.sqlite.index.message_index import TOKENIZER
from terrarium_mcp.store.sqlite.index.unindexing import unindex_rows
from terrarium_mcp.store.sqlite.search.vocabulary import SqliteVocabulary
from tests.store.scene import chat, find, rows_of, texts, write

pytestmark = pytest.mark.usefixtures("at_once")


@pytest.fixture
def words(store: Store) -> SqliteVocabulary:
    return SqliteVocabulary(store._database)  # noqa: SLF001 -- the table itself


class NoReads(Reads):
    """Reads that fail a test with the first statement."""

    async def rows(self, sql: str, params: Params = ()) -> list[Row]:
        pytest.fail(f"{sql} {params}")


async def remove(store: Store, *ids: int) -> None:
    """Remove lines as a purge does."""
    async with store._database.writing() as writer:  # noqa: SLF001
        await unindex_rows(writer, ids)
        for number in ids:
            await writer.run("DELETE FROM messages WHERE id = ?", (number,))


async def test_a_word_counts_the_lines_that_hold_it_not_how_often(
    store: Store, words: SqliteVocabulary
) -> None:
    await store.messages.append(chat("<ada> tea tea TEA\n<bo> no tea\n* cy drinks"))
    assert await words.most_frequent(WordsAmong(["tea", "no", "drinks", "mate"])) == [
        {"tea": 2, "no": 1, "drinks": 1}
    ]


async def test_words_are_cut_and_folded_as_the_index_does(store: Store, file: Path) -> None:
    said = "Grüße, foo_bar c++ naïve ΣΊΣΥΦΟΣ İstanbul 東京タワー 🍵 x\u0301y don't 3.14 ﬁn"
    await store.messages.append(chat(f"<ada> {said}"))
    write(file, "CREATE VIRTUAL TABLE held USING fts5vocab (message_index, col)")
    held = rows_of(file, "SELECT term FROM held WHERE col = 'message'")
    said_words = {row[0] for row in held if not row[0].startswith(RESERVED_PREFIX)}
    assert said_words == {row[0] for row in rows_of(file, "SELECT word FROM words")}


async def test_a_long_word_is_kept_by_its_beginning_and_forgotten_with_it(
    store: Store, words: SqliteVocabulary
) -> None:
    cut = "x" * LONGEST_WHOLE
    await store.messages.append(chat(f"<ada> {cut}yz\n<bo> {cut}zy\n<cy> {cut}"))
    assert await words.most_frequent(WordsAmong([cut, f"{cut}yz"])) == [{cut: 3, f"{cut}yz": 3}]
    await remove(store, 1, 3)
    assert await words.most_frequent(WordsAmong([cut])) == [{cut: 1}]
    await remove(store, 2)
    assert await words.most_frequent(WordsBeginning("x", 100, 4)) == [{}]


async def test_forty_characters_of_a_word_are_kept(store: Store, file: Path) -> None:
    words = ["a" * 39, "b" * 40, "c" * 41]
    await store.messages.append(chat("<ada> " + " ".join(words)))
    kept = [(word[:40],) for word in words]
    assert rows_of(file, "SELECT word FROM words ORDER BY word") == kept


async def test_what_is_too_long_for_a_word_is_not_misspelt(words: SqliteVocabulary) -> None:
    assert await words.most_frequent(WordsMisspelt("x" * 100_000, 4)) == [{}]


def test_what_the_index_holds_it_would_fold_no_further() -> None:
    """So a word of the vocabulary, looked up as it is stored there, finds all its lines."""
    with closing(sqlite3.connect(":memory:")) as db:
        for name in ("said", "again"):
            db.execute(f"CREATE VIRTUAL TABLE {name} USING fts5 (word, tokenize='{TOKENIZER}')")
            db.execute(f"CREATE VIRTUAL TABLE {name}_words USING fts5vocab ({name}, row)")
        letters = (chr(code) for code in range(1, 0xF0000) if chr(code).isalnum())
        db.executemany("INSERT INTO said VALUES (?)", ((letter,) for letter in letters))
        db.execute("INSERT INTO again SELECT term FROM said_words")
        held, again = (
            [row[0] for row in db.execute(f"SELECT term FROM {name}")]  # noqa: S608 -- our names
            for name in ("said_words", "again_words")
        )
    assert len(held) > 100_000
    assert held == again


async def test_events_are_not_what_was_said(
    store: Store, words: SqliteVocabulary, file: Path
) -> None:
    write(
        file,
        "INSERT INTO messages (channel, nick, message, message_type)"
        " VALUES ('#tea', 'ada', 'gone fishing', 'QUIT')",
    )
    await store._indexer.catch_up()  # noqa: SLF001
    assert await words.most_frequent(WordsAmong(["fishing"])) == [{}]


async def test_where_no_word_can_be_found_nothing_is_read() -> None:
    words = SqliteVocabulary(NoReads())
    assert await words.most_frequent(WordsAmong([]), WordsHolding("be", 4)) == [{}, {}]


async def test_a_word_is_found_by_its_beginning_its_middle_and_with_a_slip(
    store: Store, words: SqliteVocabulary
) -> None:
    await store.messages.append(chat("<ada> kubernetes\n<bo> kubernetes\n<bo> kubectl"))
    found = await words.most_frequent(
        WordsBeginning("kube", 20, 4), WordsHolding("bern", 4), WordsHolding("be", 4)
    )
    assert found == [{"kubernetes": 2, "kubectl": 1}, {"kubernetes": 2}, {}]
    for slip in ("kubernets", "kubrenetes", "kubernetees", "kuberneted"):
        assert await words.most_frequent(WordsMisspelt(slip, 4)) == [{"kubernetes": 2}]


async def test_the_most_usual_come_first(store: Store, words: SqliteVocabulary) -> None:
    await store.messages.append(chat("<ada> teapot teacup\n<bo> teacup\n<bo> teatime teacup"))
    begun, held = await words.most_frequent(WordsBeginning("tea", 20, 2), WordsHolding("tea", 1))
    assert (list(begun), list(held)) == (["teacup", "teapot"], ["teacup"])


async def test_a_word_that_only_a_removed_line_held_is_found_by_nothing(
    store: Store, words: SqliteVocabulary, file: Path
) -> None:
    gone, _ = await store.messages.append(chat("<ada> hunter2 tea\n<bo> tea"))
    await remove(store, gone)
    assert await words.most_frequent(WordsAmong(["hunter2", "tea"])) == [{"tea": 1}]
    wishes = WordsBeginning("hunt", 20, 4), WordsHolding("unter", 4), WordsMisspelt("hunter3", 4)
    assert await words.most_frequent(*wishes) == [{}, {}, {}]
    assert rows_of(file, "SELECT word FROM word_names") == [("tea",)]
    for asked in ("hunter2", "hunt", "hunter3", "unter", "who said hunter2"):
        assert texts((await find(store, asked)).messages) == []


async def test_a_word_that_others_hold_too_stays(store: Store, words: SqliteVocabulary) -> None:
    gone, _ = await store.messages.append(chat("<ada> mate mate\n<bo> mate"))
    await remove(store, gone)
    assert await words.most_frequent(WordsAmong(["mate"])) == [{"mate": 1}]
    assert await words.most_frequent(WordsHolding("mat", 4)) == [{"mate": 1}]


async def test_a_removed_word_takes_no_longer_word_along(store: Store, file: Path) -> None:
    gone, _ = await store.messages.append(chat("<ada> tea\n<bo> teapot"))
    await remove(store, gone)
    assert rows_of(file, "SELECT word FROM word_names") == [("teapot",)]
    assert await store.differences(["words"]) == []
