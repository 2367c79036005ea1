"""The words we add to the index: each message has those of its room, nick, type and links."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.terms import RESERVED_PREFIX
from terrarium_mcp.store.sqlite.engine.functions import scope_words
from terrarium_mcp.store.sqlite.engine.index_words import (
    events_word,
    nick_word,
    nick_words,
    reserved,
    room_word,
    type_word,
    type_words,
)
from terrarium_mcp.store.sqlite.engine.sql_expressions import folded_sql, is_speech_sql


def words(*ours: str) -> str:
    return " ".join(f"{RESERVED_PREFIX}{word}" for word in ours)


def test_no_two_kinds_of_words_are_alike() -> None:
    assert (room_word(12), events_word(12), nick_word("ab")) == ("r12", "e12", "n6162")
    assert reserved("r12") == f"{RESERVED_PREFIX}r12"
    assert {kind: type_word(kind) for kind in (MessageType.PRIVMSG, MessageType.JOIN)} == {
        MessageType.PRIVMSG: "tsaid",
        MessageType.JOIN: "tjoin",
    }


def test_speech_has_the_word_of_all_speech_and_its_type_unless_it_is_an_ordinary_line() -> None:
    assert type_words(MessageType.PRIVMSG) == ["tsaid"]
    assert type_words(MessageType.ACTION) == ["tsaid", "taction"]
    assert type_words(MessageType.NOTICE) == ["tsaid", "tnotice"]
    assert type_words(MessageType.QUIT) == ["tquit"]


def test_a_line_is_found_by_its_room_nick_and_type_and_by_its_link_if_it_has_one() -> None:
    assert scope_words(7, b"ab", b"PRIVMSG", None, None) == words("r7", "tsaid", "n6162")
    assert scope_words(7, b"ab", b"action", b"no link ://", None) == words(
        "r7", "tsaid", "taction", "n6162"
    )
    assert scope_words(7, b"ab", None, b"see https://tea.example", None) == words(
        "r7", "tsaid", "n6162", "tlink"
    )
    assert scope_words(7, None, b"join", None, None) == words("e7", "tjoin", "n")


def test_an_aside_is_found_as_such_and_a_command_as_one() -> None:
    assert scope_words(7, b"ab", None, None, 1) == words("r7", "tsaid", "n6162", "taside")
    command = words("r7", "tsaid", "n6162", "taside", "tcommand")
    assert scope_words(7, b"ab", None, None, 2) == command
    unknown = scope_words(7, b"ab", None, None, 9)  # another program wrote it
    assert unknown == words("r7", "tsaid", "n6162")


@pytest.mark.parametrize(("nick", "spelling"), [("Ada[x]", "ADA{X}"), ("k", "\u212a"), ("é", "É")])
def test_a_nick_is_found_in_every_spelling(nick: str, spelling: str) -> None:
    assert nick_word(spelling) in nick_words(nick)
    assert nick_word(nick) in nick_words(spelling)


def test_a_nick_outside_of_ascii_has_another_word_than_one_within() -> None:
    assert nick_words("k") == ("n6b", "u6b")
    assert (nick_word("k"), nick_word("\u212a")) == ("n6b", "u6b")


def asked(sql: str, value: object) -> object:
    with closing(sqlite3.connect(":memory:")) as db:
        return db.execute(f"SELECT {sql} FROM (SELECT ? AS nick) m", (value,)).fetchone()[0]  # noqa: S608 -- ours


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_sql_folds_a_nick_as_python_does(nick: str) -> None:
    assert asked(folded_sql("m.nick"), nick) == fold(nick)


@pytest.mark.parametrize("name", [*MessageType, "join", "privmsg", "odd", "", None])
def test_sql_knows_speech_as_python_does(name: str | None) -> None:
    assert bool(asked(is_speech_sql("m.nick"), name)) == (MessageType.parse(name or "") in SPEECH)
