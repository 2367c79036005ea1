"""The opening line: where one line has to stand for a conversation."""

import pytest

from terrarium_mcp.chat.opening_line import opening_line

TELLING = "the pump in the greenhouse drips"


@pytest.mark.parametrize(
    "line",
    [
        "hi",
        "hello friends",
        "!",
        "",
        "https://paste.example/a-pump-in-the-greenhouse drips",
        "greenhouse-pump-bot: drips",
        "would you do that for me if I were not here?",
        "tea tea tea tea",
        "\x02greenhouse\x02 \x0304pump",
    ],
)
def test_what_says_little_is_passed_over(line: str) -> None:
    assert opening_line([line, TELLING, "and the gate stands open again"]) == 1


def test_the_first_that_says_something_stands_for_all() -> None:
    assert opening_line([TELLING, "the pump in the greenhouse drips all night again"]) == 0
    assert opening_line(["\x02greenhouse\x02 pump drips", TELLING]) == 0
    assert opening_line(["\u6c34\u6ef4\u4e0b\u6765", TELLING]) == 0


@pytest.mark.parametrize(
    ("talk", "opener"),
    [
        (["hi", "greenhouse?", "pump drips", "yes, drips badly", "no"], 1),
        (["how many are that", "14"], 0),
        (["14", "3.5", "1 min"], 2),
        (["standup", "1 min"], 0),
        (["tea is ready", "is the tea cold now"], 0),
        (["good morning all", "thanks bo", "ok", "lol", "standup", "tea first"], 4),
        (["hi", "bo: hello cy", "bo: standup"], 2),
        (["hi", "\u2026", ":)"], 0),
        (["14"], 0),
        ([""], 0),
    ],
)
def test_where_none_says_much_the_first_that_is_no_mere_remark_has_to_do(
    talk: list[str], opener: int
) -> None:
    assert opening_line(talk) == opener


@pytest.mark.parametrize(
    "question",
    [
        "what do you want for dinner",
        "bo: is dinner ready",
        "tea for dinner?",
        "I'm done, where are you",
    ],
)
def test_an_early_question_opens_more_than_what_is_told_later(question: str) -> None:
    assert opening_line(["hi", question, "parking lot, on the left", TELLING]) == 1


def test_what_is_said_late_opens_nothing() -> None:
    assert opening_line([*["hi"] * 11, TELLING]) == 11
    assert opening_line([*["hi"] * 12, TELLING]) == 0
