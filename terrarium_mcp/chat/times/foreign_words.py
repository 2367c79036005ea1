"""Words of other languages for a time, of which a note names the English ones. Pure.

Times are read in English alone: elsewhere the same word may be another (in German `hier` is
`here`), so none of these narrows a search or ranks its hits.
"""

from typing import NamedTuple

from terrarium_mcp.chat.times.patterns import compiled

_LAST = r"(?:letzte|vergangene|vorige)"
_ENGLISH = {
    "yesterday": r"gestern|d['\u2019]hier|hier\s+(?:soir|matin)|ayer",
    "today": r"heute|aujourd['\u2019]hui|hoy",
    "last night": r"letzte\s+nacht|anoche",
    "this week": r"diese[rn]?\s+woche|cette\s+semaine|esta\s+semana",
    "last week": rf"{_LAST}[rn]?\s+woche|semaine\s+(?:derni[eè]re|pass[eé]e)|semana\s+pasada",
    "last month": rf"{_LAST}[nr]\s+monat|mois\s+(?:dernier|pass[eé])|mes\s+pasado",
    "last year": rf"{_LAST}[sn]\s+jahr|(?:an|ann[eé]e)\s+derni(?:er|[eè]re)|a[nñ]o\s+pasado",
}
"""Those of German, French and Spanish that name no other thing."""


class ForeignTime(NamedTuple):
    """The words `said` for a time, and what is `english` for it."""

    said: str
    english: str


def foreign_time(text: str) -> ForeignTime | None:
    """The first time that a text names in another language; None if it names none."""
    found = [
        (match.start(), ForeignTime(match[0], english))
        for english, words in _ENGLISH.items()
        if (match := compiled(rf"\b(?:{words})\b").search(text))
    ]
    return min(found)[1] if found else None
