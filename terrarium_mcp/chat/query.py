"""The query language: what somebody types into a search, understood.

    query    = *( operator / phrase / word )
    operator = ( "in:" / "from:" ) value        ; the last one of a kind counts
    phrase   = DQUOTE 1*char [ DQUOTE ]
    word     = any other run of non-spaces

Anything else is text: no input is ever a syntax error.
"""

import re
from dataclasses import dataclass

_PART = re.compile(
    r'(?P<key>in|from):(?P<value>"[^"]*"?|\S+)|"(?P<phrase>[^"]*)"?|(?P<word>\S+)', re.IGNORECASE
)
_INDEXED = re.compile(r"[^\W_]")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # SQLite ends text at NUL; UTF-8 has no surrogates


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: words and phrases that must occur, where, and by whom."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    channel: str = ""
    nick: str = ""

    @property
    def terms(self) -> tuple[str, ...]:
        """Words and phrases alike, in no particular order."""
        return self.words + self.phrases

    def __str__(self) -> str:
        """Print the query so that parsing it again gives the same."""
        parts = [*self.words, *(f'"{phrase}"' for phrase in self.phrases)]
        parts += [f"in:{_printed(self.channel)}"] if self.channel else []
        parts += [f"from:{_printed(self.nick)}"] if self.nick else []
        return " ".join(parts)


def parse_query(text: str) -> Query:
    """Understand `text`; every input gives a query, the empty one a query without terms."""
    words: list[str] = []
    phrases: list[str] = []
    operators = {"in": "", "from": ""}
    for part in _PART.finditer(_UNSTORABLE.sub(" ", text)):
        if part["key"]:
            operators[part["key"].lower()] = " ".join(part["value"].strip('"').split())
        elif part["word"]:
            words.append(part["word"])
        elif part["phrase"] and part["phrase"].strip():
            phrases.append(" ".join(part["phrase"].split()))
    return Query(tuple(words), tuple(phrases), operators["in"], operators["from"])


def _printed(value: str) -> str:
    """A value as it has to stand behind its operator: in quotes where it holds a space."""
    return f'"{value}"' if " " in value else value


def is_indexed(term: str) -> bool:
    """Whether `term` holds a letter or digit: emoji and punctuation are in no word index."""
    return _INDEXED.search(term) is not None
