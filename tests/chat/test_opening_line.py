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


def test_where_none_says_much_the_most_has_to_do() -> None:
    assert opening_line(["hi", "greenhouse?", "pump drips", "yes, drips badly", "no"]) == 2
    assert opening_line(["hi", "\u2026", ":)"]) == 0
    assert opening_line([""]) == 0


def test_what_is_said_late_opens_nothing() -> None:
    assert opening_line([*["hi"] * 11, TELLING]) == 11
    assert opening_line([*["hi"] * 12, TELLING]) == 0
