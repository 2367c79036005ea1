"""Which questions ask for the other nicks of a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.questions.names import other_names_of


@pytest.mark.parametrize(
    "text",
    [
        *["what was ada renamed to?", "when was ada renamed", "has ada ever been renamed?"],
        *["which nick did ada change to?", "to what nick did ada change", "what did ada rename to"],
        *[
            "did ada ever change her name?",
            "did ada ever change her nick?",
            "did ada rename herself",
        ],
        *["has ada changed nicks here?", "how often did ada change her nick"],
        *[
            "what is ada's other nick?",
            "ada's nicks",
            "what was ada\u2019s old nick",
            "ada's aliases",
        ],
        *["which nicks has ada used?", "how many nicks has ada used", "what nick is ada using now"],
        *["who is ada?", "who's ada", "who was ada"],
        *["what other names did ada go by", "which nicks belong to ada?", "what nick did ada take"],
        *["nick changes of ada", "list the nick changes of ada", "ada's nick changes"],
        *["other nicks of ada", "aliases used by ada", "all nicks ada has used"],
        *["under which other names was ada here?", "by what name was ada known before"],
        *[
            "what is ada also known as?",
            "what else is ada called?",
            "is ada known as something else",
        ],
        *["what was ada called before?", "what is ada called now", "what was ada formerly called?"],
        *["does ada have another nick?", "has ada used any other names", "does ada have aliases"],
    ],
)
def test_the_person_is_named(text: str) -> None:
    assert other_names_of(text) == "ada"


@pytest.mark.parametrize(
    "text",
    [
        *["what was the package renamed to", "how do I change my nick", "did you change your name"],
        *["what is ada's name?", "what is ada's new job", "what is ada's old computer"],
        *["did ada change her mind", "did ada ever change the config", "what did ada change"],
        *["which name did ada give the cat", "what names did ada suggest for the cat"],
        *["which tools has ada used", "what other distros has ada used", "what is ada known for"],
        *[
            "other names for apt-get",
            "the new name of the channel",
            "bash aliases",
            "ada's aliases file",
        ],
        *["what did ada say about nick changes", "nick changes are annoying", "was it renamed?"],
        *["what was the package called before", "what is ada called", "what was it called before"],
        *["what is everyone's nick", "which nicks did they use", "was ada here", "ada", ""],
    ],
)
def test_other_questions_ask_for_something_else(text: str) -> None:
    assert other_names_of(text) == ""


@pytest.mark.parametrize("words", ["ever ", "been ", "here ", "in here ", "new ", "ada's "])
def test_a_stranger_s_long_row_of_little_words_is_read_at_all(words: str) -> None:
    """With two ways to read each word it would take longer than the world is old."""
    for begins in ("what nick did ada ", "was ada ", "ada's ", "nicks of ada ", "what is "):
        assert other_names_of(f"{begins}{words * 300}#") == ""


@given(st.text())
def test_any_text_may_be_asked(text: str) -> None:
    assert other_names_of(text) in text
    assert other_names_of(f"nick changes of {text}") in text
