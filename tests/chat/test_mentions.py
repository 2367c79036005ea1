"""A nick is mentioned where it stands as a whole, in any spelling of the network."""

import pytest

from terrarium_mcp.chat.mentions import mentions


@pytest.mark.parametrize("line", ["ada: hi", "hi ADA", "@ada, look", "(ada)", "ada's tea", "ada"])
def test_a_nick_is_mentioned(line: str) -> None:
    assert mentions(line, "Ada")


@pytest.mark.parametrize(
    "line", ["adam: hi", "ada_ is here", "canada", "ada|away left", "ad a", ""]
)
def test_a_part_of_another_word_is_no_mention(line: str) -> None:
    assert not mentions(line, "ada")


def test_spellings_compare_under_the_networks_mapping() -> None:
    assert mentions("hi a{b}!", "A[b]")
    assert not mentions("hi a{b}!", "A[b]", "ascii")
    assert mentions("hi \u00c4DA!", "\u00e4da", "rfc7613")
