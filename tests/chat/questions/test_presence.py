"""Which questions ask when somebody was last here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.questions.presence import asks_who_is_here, last_seen_of, present_nick


@pytest.mark.parametrize(
    "text",
    [
        *[
            "when was LjL last here",
            "When was LjL last seen?",
            "when was LjL last in this channel?",
        ],
        *["when did LjL last speak?", "when did LjL last say something", "is LjL still around?"],
        *["has anyone seen LjL lately?", "have you heard from LjL", "did anybody see LjL today"],
        *["when did we last hear from LjL?", "is LjL online"],
        *["when was the last time LjL said something?", "last time that LjL was here"],
        *["the last time anybody saw LjL", "when was the last time we heard from LjL here?"],
    ],
)
def test_who_was_last_here_is_named(text: str) -> None:
    assert last_seen_of(text) == "LjL"


@pytest.mark.parametrize(
    "text",
    [
        *["when was everyone last here", "has anyone seen nobody?"],
        *["has anyone seen this?", "when was it last seen", "is there anything around"],
        *["when was the gate last painted?", "has anyone seen the new gate", "LjL", ""],
        *["when did LjL last paint the gate?", "is LjL around the gate", "what did LjL say"],
        *["when did LjL last say hello?", "the last time LjL was painted", "last time LjL"],
        "the last time they said something",
    ],
)
def test_other_questions_ask_for_what_was_said(text: str) -> None:
    assert last_seen_of(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "who is here?",
        "who is",
        "Who's online right now?",
        "how many people are there",
        "who are here",
    ],
)
def test_who_is_here_now_is_asked(text: str) -> None:
    assert asks_who_is_here(text)


@pytest.mark.parametrize(
    "text",
    ["who is ada?", "who was here?", "how many people are happy", "how many lines are there"],
)
def test_who_is_here_now_is_not_asked(text: str) -> None:
    assert not asks_who_is_here(text)


@given(st.text())
def test_any_text_may_be_asked(text: str) -> None:
    nick = last_seen_of(f"has anyone seen {text}?")
    assert nick == "" or text.split(maxsplit=1)[0].startswith(nick)


@pytest.mark.parametrize(
    "text",
    [
        *["has LjL been here", "has LjL ever been online?"],
        *["was LjL here?", "was LjL in the channel", "Was LjL online", "did LjL say anything?"],
        *["has LjL spoken here", "did LjL show up", "was LjL?"],
    ],
)
def test_whether_somebody_was_here_is_asked(text: str) -> None:
    assert present_nick(text) == "LjL"


@pytest.mark.parametrize(
    "text",
    [
        *["was everybody here?", "was it here", "who was here?", "was LjL here with the key", ""],
        *["did LjL say anything about tea?", "did LjL speak of it", "was LjL right"],
    ],
)
def test_whether_somebody_was_here_is_not_asked(text: str) -> None:
    assert present_nick(text) == ""
