"""Opening line: by which of its lines a conversation is shown, where one has to do. Pure."""

from collections.abc import Sequence

from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.question import said_words
from terrarium_mcp.chat.urls import URL

_FIRST = 12
"""Lines within which people have said what a conversation is about."""

_TELLING = 3
"""Different content words of a line that says what it is about: `hello friends` has two."""


def opening_line(texts: Sequence[str]) -> int:
    """The place of the first line that says something, greetings and bare links passed over.

    If none of the first lines says much, it is the one of them that says most.

    Args:
        texts: the lines of a conversation in order, at least one, with formatting codes or without.
    """
    told = list[int]()
    for text in texts[:_FIRST]:
        told.append(len(said_words(URL.sub(" ", plain(text)))))
        if told[-1] >= _TELLING:
            break
    return told.index(max(told))
