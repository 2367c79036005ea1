"""The values that all layers exchange, and what they are unless somebody says otherwise."""

from datetime import UTC, datetime

import pytest

from terrarium_mcp.chat.records import (
    SPEECH,
    Member,
    Message,
    MessageType,
    NewMessage,
    Origin,
    Page,
    Room,
)
from terrarium_mcp.chat.times.timestamps import Position

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
TEA = Room(1, "libera", "#Tea")


@pytest.mark.parametrize(
    "name",
    ["PRIVMSG", "NOTICE", "ACTION", "JOIN", "PART", "QUIT", "NICK", "KICK", "MODE", "TOPIC"],
)
def test_a_type_is_stored_under_the_name_of_its_command(name: str) -> None:
    assert MessageType[name].value == name
    assert MessageType.parse(name) is MessageType.parse(name.lower()) is MessageType[name]


@pytest.mark.parametrize("stored", [None, "", "chat", "privmsg"])
def test_an_empty_or_unknown_type_is_speech(stored: str | None) -> None:
    assert MessageType.parse(stored) is MessageType.PRIVMSG


def test_people_speak_in_three_ways_and_lines_come_in_three_ways() -> None:
    assert SPEECH == (MessageType.PRIVMSG, MessageType.NOTICE, MessageType.ACTION)
    assert [origin.value for origin in Origin] == ["live", "playback", "import"]


def test_a_room_is_labelled_with_its_network() -> None:
    assert TEA.label == "libera/#Tea"


def test_a_message_that_says_no_more_is_plain_speech_by_another() -> None:
    message = Message(7, TEA, NOON, "ada", "hi", MessageType.PRIVMSG)
    assert (message.account, message.own, message.removed) == ("", False, False)
    assert message.position == Position("2026-05-01 12:00:00.000", 7)
    heard = NewMessage(network="n", channel="#c", nick="ada", text="hi", said_at=NOON)
    assert (heard.kind, heard.origin, heard.own, heard.bot) == (
        MessageType.PRIVMSG,
        Origin.LIVE,
        False,
        False,
    )
    empty = (heard.user, heard.host, heard.account, heard.msgid, heard.reply_to)
    assert {*empty, heard.server_time, heard.relayed_by} == {""}
    assert Page([message]).more is False
    assert Member("ada") == Member("ada", rank="", away=False, account="", since=None)
