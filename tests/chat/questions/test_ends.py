"""Which questions ask who said something first or last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.questions.ends import EndQuestion, end_question


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("who said hello first?", EndQuestion("hello")),
        ("Who first mentioned green tea", EndQuestion("green tea")),
        ("who was the first one to suggest nginx?", EndQuestion("nginx")),
        ('who first said "it"?', EndQuestion("it")),
        ("who was first to mention nginx", EndQuestion("nginx")),
        ("who was the last person to ask about tea?", EndQuestion("tea", is_for_last=True)),
        ("who first complained about the gate?", EndQuestion("the gate")),
        ("when did ada last ask about tea?", EndQuestion("tea", is_for_last=True, nick="ada")),
        ("when was the gate first mentioned?", EndQuestion("the gate")),
        ("who mentioned the gate last", EndQuestion("the gate", is_for_last=True)),
        ("when was nginx last discussed?", EndQuestion("nginx", is_for_last=True)),
        ("when was wine mentioned for the first time?", EndQuestion("wine")),
        ("when was wine discussed the last time", EndQuestion("wine", is_for_last=True)),
        ("when did someone first mention green tea?", EndQuestion("green tea")),
        ("when did we last talk about wine?", EndQuestion("wine", is_for_last=True)),
        ("when did people first mention wine", EndQuestion("wine")),
        ("the last time wine came up", EndQuestion("wine", is_for_last=True)),
        ("when did wine first come up?", EndQuestion("wine")),
        ("when did anyone last talk about wine?", EndQuestion("wine", is_for_last=True)),
        ("first time that mysql was mentioned", EndQuestion("mysql")),
        ("the last time wine was mentioned", EndQuestion("wine", is_for_last=True)),
        (
            "when was the last time someone mentioned wine?",
            EndQuestion("wine", is_for_last=True),
        ),
        ("first mention of mysql", EndQuestion("mysql")),
        ("what was the last line about wine?", EndQuestion("wine", is_for_last=True)),
        ("when did ada first mention green tea?", EndQuestion("green tea", nick="ada")),
        ("when did bo last say hello", EndQuestion("hello", is_for_last=True, nick="bo")),
        ("first time that ada talked about wine", EndQuestion("wine", nick="ada")),
    ],
)
def test_what_was_said_first_or_last_is_named(text: str, meant: EndQuestion) -> None:
    assert end_question(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        *["who came first", "who said hello", "when was the gate first painted", "first", ""],
        *["when did she first mention tea?", "when did everybody last say hello"],
        *["when did it last come up?", "when did we last use this", "who was last to say that?"],
    ],
)
def test_other_questions_ask_for_no_end(text: str) -> None:
    assert end_question(text) is None


@given(st.text(max_size=80))
def test_any_text_may_be_asked(text: str) -> None:
    for asked in (text, f"who said {text} first"):
        meant = end_question(asked)
        assert meant is None or meant.words in asked
