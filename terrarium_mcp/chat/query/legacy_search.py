"""terrarium-irc's search words, `user:ada hours:48 gate + lock`, as what a search takes now. Pure.

`user:` and `hours:` may stand anywhere in the text, in any case, but not in a phrase.
"""

import re
from dataclasses import dataclass

from terrarium_mcp.chat.query.syntax import IN_QUOTES

_PART = re.compile(rf'-?(?:\w+:)?"{IN_QUOTES}"?|\S+')
"""A phrase, a value in quotes after its key, or a run of non-spaces."""

_LEGACY_KEY = re.compile(r"(?P<minus>-?)(?P<key>user|hours):(?P<value>.*)", re.IGNORECASE)
_HOURS = re.compile(r"(?P<number>[0-9]{1,9})h?", re.IGNORECASE)
_ALL_OF = re.compile(r"\w+(?:\+\w+)+")
"""`gate+lock`: both words, since all words must occur anyway. Neither `c++` nor a URL."""


class BadSearchValue(ValueError):
    """A value that `user:` or `hours:` cannot have; the text says how to write one."""


@dataclass(frozen=True, slots=True)
class SearchWords:
    """A query in the language of `chat/query/`, and of how many hours; 0: all time."""

    query: str
    hours: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look for, as behind a quote mark alone."""
        return not (self.query.strip('" ') or self.hours)

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments of `search_irc_history` that say the same."""
        return {"query": self.query} | ({"hours": self.hours} if self.hours else {})


def search_words(text: str) -> SearchWords:
    """What `text` asks for, with what terrarium-irc understood in today's words.

    Raises:
        BadSearchValue: `user:` names nobody, or `hours:` no number of hours.
    """
    parts: list[str] = []
    hours: list[int] = []
    for part in _PART.findall(text):
        keyed = _LEGACY_KEY.fullmatch(part)
        if keyed is None:
            parts += part.split("+") if _ALL_OF.fullmatch(part) else [part]
        elif keyed["key"].lower() == "hours":
            hours.append(_number_of_hours(keyed))
        else:
            parts.append(f"{keyed['minus']}from:{_nick(keyed)}")
    query = " ".join(part for part in parts if part != "+")
    return SearchWords(query, min(hours, default=0))


def _nick(keyed: re.Match[str]) -> str:
    if not keyed["value"].strip('" '):
        raise BadSearchValue("user: needs a nick directly after it, such as user:alice.")
    return keyed["value"]


def _number_of_hours(keyed: re.Match[str]) -> int:
    found = _HOURS.fullmatch(keyed["value"].strip('" '))
    if found is None or keyed["minus"] or not int(found["number"]):
        raise BadSearchValue("hours: needs a number of hours directly after it, such as hours:48.")
    return int(found["number"])
