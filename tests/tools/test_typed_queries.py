"""A word with a minus is text where it was said so; else it leaves out lines, with a note."""

import pytest

from tests.tools.scene import House

TALK = """
    12:00 <ada> I ran rm -rf there
    12:01 <bo> rm the rf files
    12:02 <cy> rm it
    12:03 <ada> g++ -O2 parser.cpp
    12:04 <bo> parser.cpp is fine
    12:05 <cy> openssh-server is up
    12:06 <ada> openssh is up
"""
AS_TEXT = 'note: -rf was read as text: -"rf" excludes the lines that hold rf'
LEFT_OUT = 'note: without lines that hold rf; "-rf" in quotes is text'


@pytest.mark.parametrize("query", ["rm -rf", 'rm "-rf"', "from:ada rm -rf"])
async def test_an_option_finds_the_lines_that_have_it(house: House, query: str) -> None:
    await house.hears(TALK)
    told = await house.learns("search_irc_history", query=query, sort="oldest", format="json")
    assert told.facts["rung"] == "all words"
    assert [line["text"] for line in told.facts["messages"]] == ["I ran rm -rf there"]
    counted = await house.learns("get_channel_stats", query=query)
    assert counted.facts["lines"] == 1
    for answer in (told, counted):
        assert (AS_TEXT in answer.facts["notes"]) is ('"' not in query)


async def test_a_word_that_was_never_said_with_its_minus_leaves_out_lines(house: House) -> None:
    await house.hears(TALK.replace("rm -rf", "rm rf"))
    told = await house.learns("search_irc_history", query="rm -rf", format="json")
    counted = await house.learns("get_channel_stats", query="rm -rf")
    assert [line["text"] for line in told.facts["messages"]] == ["rm it"]
    assert counted.facts["lines"] == 1
    for answer in (told, counted):
        assert LEFT_OUT in answer.facts["notes"]


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("parser.cpp -O2", 1),
        ('rm -"rf"', 1),
        ("openssh -server", 1),
        ("up -openssh", 0),
        ("did somebody run rm -rf?", 0),
    ],
)
async def test_what_a_minus_excludes(house: House, query: str, lines: int) -> None:
    await house.hears(TALK)
    assert (await house.learns("get_channel_stats", query=query)).facts["lines"] == lines


async def test_what_a_view_hides_makes_no_word_an_option(house: House) -> None:
    await house.hears("12:00 <ada> rm it\n12:01 <bo> rm rf", channel="#tea")
    await house.hears("12:00 <ada> rm -rf", channel="#mate")
    view = {"channel": "#tea"}
    told = await house.learns("search_irc_history", view, query="rm -rf", format="json")
    assert [line["text"] for line in told.facts["messages"]] == ["rm it"]
    assert LEFT_OUT in told.facts["notes"]


async def test_a_command_to_the_bot_makes_no_word_an_option(house: House) -> None:
    await house.hears("12:00 <ada> tea\n12:01 <bo> milk tea\n12:02 <bo> !search tea -milk")
    told = await house.learns("search_irc_history", query="tea -milk", format="json")
    assert [line["text"] for line in told.facts["messages"]] == ["tea"]
