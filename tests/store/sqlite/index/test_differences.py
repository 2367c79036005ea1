"""A recount names what a derived table has too much, too little, or otherwise."""

from datetime import timedelta
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.store import Store
from terrarium_mcp.store.sqlite.index import vocabulary
from terrarium_mcp.store.sqlite.index.vocabulary import PIECE, trigram_query
from tests.store.scene import NOON, chat, line_of, past, rows_of, write
from tests.store.sqlite.index.test_derived import a_little_of_everything

pytestmark = pytest.mark.usefixtures("at_once")

WRONG = {
    "UPDATE links SET said = said || '0'": "links: 2 rows differ",
    "INSERT INTO urls (url) VALUES ('https://nobody.example')": "links: 1 URL of no message.",
    "DELETE FROM topics": "topics: 1 row differs from a recount, such as",
    "INSERT INTO topics VALUES (1, '2026', 1)": "topics: 1 row differs",
    "UPDATE nick_changes SET new = 'eve'": "nick_changes: 2 rows differ",
    "UPDATE evidence SET messages = messages + 1 WHERE kind = 'host' AND nick = 'bo'":
        "evidence (host): 2 rows differ",
    "DELETE FROM evidence WHERE kind = 'account'": "evidence (account): 1 row differs",
    "UPDATE evidence SET first = '2027' WHERE kind = 'account'":
        "evidence (account): wrong dates in 1 row.",
    "UPDATE evidence SET last = '2020' WHERE kind = 'host'":
        "evidence (host): wrong dates in 3 rows.",
    "UPDATE words SET lines = 7 WHERE word = 'tea'": "words: 2 rows differ",
    "INSERT INTO word_parts (word_parts) VALUES ('delete-all')":
        "word_parts: their contents differ from word_names",
    "UPDATE room_counts SET last_week = 9": "room_counts: 2 rows differ",
    "UPDATE room_counts SET people = 9": "room_counts: 2 rows differ",
    "UPDATE day_counts SET first_id = 0": "day_counts: 2 rows differ",
    "UPDATE nick_counts SET spoke = spoke + 1 WHERE folded = 'bo'": "nick_counts: 2 rows differ",
    "UPDATE nick_counts SET spelt = 'Bo' WHERE folded = 'bo'": "nick_counts: 2 rows differ",
    "UPDATE runs SET last = 1": "runs: 4 messages outside of every run",
    "UPDATE runs SET ended = began": "runs: 4 messages outside of every run",
    "INSERT INTO message_index (message_index) VALUES ('delete-all')":
        "index: its contents differ from the messages",
    "INSERT INTO phrase_index (phrase_index) VALUES ('delete-all')":
        "phrases: its contents differ from the messages",
    "INSERT INTO msgid_index (msgid_index) VALUES ('delete-all')":
        "msgids: its contents differ from the messages",
}  # fmt: skip


@pytest.mark.parametrize("sql", WRONG)
async def test_what_is_wrong_is_named_and_nothing_else(store: Store, file: Path, sql: str) -> None:
    await store.messages.append(a_little_of_everything())
    assert await store.differences() == []
    write(file, sql)
    [found] = await store.differences()
    assert found.startswith(WRONG[sql])


async def test_every_difference_has_a_sentence(store: Store, file: Path) -> None:
    await store.messages.append(a_little_of_everything())
    write(file, "DELETE FROM links")
    write(file, "DELETE FROM word_names WHERE word = 'mate'")
    assert [found.split(" ", 3)[:3] for found in await store.differences()] == [
        ["links:", "1", "row"],
        ["links:", "1", "URL"],
        ["word_names:", "1", "row"],
        ["word_parts:", "their", "contents"],
    ]


async def test_dates_of_evidence_may_be_wider_than_the_messages_that_are_left(
    store: Store, file: Path
) -> None:
    await store.messages.append(a_little_of_everything())
    write(file, "UPDATE evidence SET first = '2020', last = '2030'")
    assert await store.differences() == []


async def test_evidence_has_the_dates_of_its_first_and_last_message(
    store: Store, file: Path
) -> None:
    ada = line_of("ada", "hi")._replace(account="Ada", user="a", host="h")
    for hours in (3, 1, 2):
        await store.messages.append([ada._replace(said_at=NOON + timedelta(hours=hours))])
    rows = "SELECT kind, sign, substr(first, 12, 2), substr(last, 12, 2), messages FROM evidence"
    # Live lines are never dated before those that came before them.
    whom = ("15", "15", 3)
    assert rows_of(file, rows) == [("account", "ada", *whom), ("host", "a@h", *whom)]


@pytest.mark.parametrize("column", ["first", "last"])
async def test_dates_of_evidence_span_all_spellings_of_a_nick(
    store: Store, file: Path, column: str
) -> None:
    for hour, nick in ((1, "Ada"), (3, "ada")):
        line = line_of(nick, "hi", NOON + timedelta(hours=hour))
        await store.messages.append([line._replace(user="a")])
    write(file, f"UPDATE evidence SET {column} = '2026-05-01 14:00:00'")  # noqa: S608 -- ours
    found = ["evidence (host): wrong dates in 1 row."]
    assert await store.differences(["people"]) == found


async def test_a_line_out_of_order_makes_a_run_that_claims_less_wrong(
    store: Store, file: Path
) -> None:
    lines = [
        line._replace(said_at=NOON + timedelta(seconds=at))
        for line, at in zip(past(3), (0, 30, 10), strict=True)
    ]
    await store.messages.append(lines)
    assert rows_of(file, "SELECT slack FROM runs") == [(20_000,)]
    write(file, "UPDATE runs SET slack = 19999")
    assert await store.differences() == ["runs: the run from id 1 is less in order than it claims"]


async def test_words_are_recounted_by_ranges_of_ids_that_leave_no_line_out(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "_RECOUNTED", 2)
    for size in (1, 2, 1):
        await store.messages.append(chat("<ada> tea and mate\n" * size))
        assert await store.differences(["words"]) == []


def test_a_word_is_found_by_all_of_its_pieces_each_once() -> None:
    assert PIECE == 3
    assert trigram_query("tea") == '"tea"'
    assert trigram_query("teatea") == '"tea" AND "eat" AND "ate"'


async def test_words_shorter_than_a_piece_have_none(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> a be tea x"))
    assert rows_of(file, "SELECT word FROM words ORDER BY word") == [
        ("a",),
        ("be",),
        ("tea",),
        ("x",),
    ]
    assert rows_of(file, "SELECT word FROM word_names") == [("tea",)]


async def test_a_change_of_nick_and_a_topic_are_known_whatever_the_type_is_spelt_like(
    store: Store, file: Path
) -> None:
    await store.messages.append(
        [
            line_of("Ada", "ADA_", kind=MessageType.NICK),
            line_of("bo", "tea", kind=MessageType.TOPIC),
        ]
    )
    write(
        file,
        "INSERT INTO messages (channel, nick, message, message_type)"
        " VALUES ('#tea', 'Ada', 'Bo_', 'nick'), ('#tea', 'cy', 'mate', 'topic')",
    )
    assert await store.differences() == []
    numbers = [number for (number,) in rows_of(file, "SELECT id FROM messages ORDER BY id")]
    assert rows_of(file, "SELECT message, old, new FROM nick_changes") == [
        (numbers[0], "ada", "ada_"),
        (numbers[2], "ada", "bo_"),
    ]
    topics = rows_of(file, "SELECT message FROM topics ORDER BY message")
    assert topics == [(numbers[1],), (numbers[3],)]
