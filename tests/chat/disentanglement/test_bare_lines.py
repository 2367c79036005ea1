"""Which lines add nothing beside a hit."""

import pytest

from terrarium_mcp.chat.disentanglement import is_bare


@pytest.mark.parametrize(
    "text",
    ["", "  ", "thanks", "Thanks!", "bob: yes", "bob, ok.", "lol", ":)", "...", "ann: ?",
     "\N{THUMBS UP SIGN}"],
)  # fmt: skip
def test_a_single_everyday_word_is_bare(text: str) -> None:
    assert is_bare(text)


@pytest.mark.parametrize(
    "text",
    ["broadcom", "ann: 4311", "https://example.org/", "yes it does", "thanks, bob",
     "明日会議があります", "спасибо", "bob: no idea", "note: broadcom"],
)  # fmt: skip
def test_a_line_that_may_be_an_answer_is_not(text: str) -> None:
    assert not is_bare(text)
