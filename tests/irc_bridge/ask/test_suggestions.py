"""A person is told once in a while what a word of theirs nearly is."""

from terrarium_mcp.chat.irc_message import Source
from terrarium_mcp.irc_bridge.ask import suggestions
from terrarium_mcp.irc_bridge.ask.command_traits import NEAR_MISS
from terrarium_mcp.irc_bridge.ask.commands import Command
from terrarium_mcp.irc_bridge.ask.suggestions import SILENT_FOR, SuggestionMemory


def slip(word: str = "serch", host: str = "h", channel: str = "#tea") -> Command:
    return Command(NEAR_MISS, word, Source("ada", "u", host), "", channel)


def test_each_person_is_told_about_each_word_once_in_ten_minutes() -> None:
    memory = SuggestionMemory()
    assert memory.take_due(slip(), 0)
    assert not memory.take_due(slip(channel="#mate"), 1)
    assert memory.take_due(slip("hlep"), 1)
    assert memory.take_due(slip(host="elsewhere"), 1)
    assert not memory.take_due(slip(), SILENT_FOR - 1)
    assert memory.take_due(slip(), SILENT_FOR)


def test_repeating_the_word_does_not_prolong_the_silence() -> None:
    memory = SuggestionMemory()
    heard = [memory.take_due(slip(), at) for at in (0, SILENT_FOR / 2, SILENT_FOR)]
    assert heard == [True, False, True]


def test_of_a_flood_of_words_the_oldest_are_forgotten() -> None:
    memory = SuggestionMemory()
    for number in range(suggestions.MOST_TOLD + 1):
        assert memory.take_due(slip(f"hel{number}"), 0)
    assert memory.take_due(slip("hel0"), 1)
    assert not memory.take_due(slip(f"hel{suggestions.MOST_TOLD}"), 1)
