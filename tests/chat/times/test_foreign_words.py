"""Times in the words of other languages."""

import pytest

from terrarium_mcp.chat.times.foreign_words import foreign_time


@pytest.mark.parametrize(
    ("text", "said", "english"),
    [
        ("was hat Bo gestern gesagt?", "gestern", "yesterday"),
        ("wer war letzte Woche hier?", "letzte Woche", "last week"),
        ("was war im letzten Monat los", "letzten Monat", "last month"),
        ("qu'est-ce que Bo a dit la semaine dernière ?", "semaine dernière", "last week"),
        ("qui a parlé aujourd\u2019hui ?", "aujourd\u2019hui", "today"),
        ("les liens de l'année derniere", "année derniere", "last year"),
        ("¿qué dijo Bo ayer?", "ayer", "yesterday"),
        ("los enlaces del mes pasado, y los de hoy", "mes pasado", "last month"),
    ],
)
def test_the_first_time_is_named_in_english(text: str, said: str, english: str) -> None:
    assert foreign_time(text) == (said, english)


@pytest.mark.parametrize("text", ["", "wer ist hier?", "the best player", "layers", "heutegestern"])
def test_parts_of_words_and_words_of_two_languages_are_no_time(text: str) -> None:
    assert foreign_time(text) is None
