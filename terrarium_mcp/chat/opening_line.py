"""Opening line: by which of its lines a conversation is shown, where one has to do. Pure."""

from collections.abc import Sequence

from terrarium_mcp.chat.disentanglement.words import FIRST_WORDS, UtteranceKind
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.mentions import without_addressee
from terrarium_mcp.chat.question import asks_something, said_words
from terrarium_mcp.chat.terms import words_in
from terrarium_mcp.chat.urls import URL

_FIRST = 12
"""Lines within which people have said what a conversation is about."""

_TELLING = 3
"""Different content words of a line that says what it is about: `hello friends` has two."""

_TELLING_QUESTION = 2
"""As many of a question that comes before any such line: `what do you want for dinner`."""

_REMARKS = frozenset(
    {UtteranceKind.GREETING, UtteranceKind.THANKS, UtteranceKind.YES_NO, UtteranceKind.NOISE}
)


def opening_line(texts: Sequence[str]) -> int:
    """The place of the first line that says something, greetings and bare links passed over.

    If none of the first lines says much, it is the first that is more than a greeting, a number or
    a remark such as `ok`.

    Args:
        texts: the lines of a conversation in order, at least one, with formatting codes or without.
    """
    question = said_little = None
    for place, text in enumerate(texts[:_FIRST]):
        said = URL.sub(" ", plain(text))
        asks = asks_something(said)
        words = [word for word in said_words(said) if not word.isdecimal()]
        if len(words) >= _TELLING:
            return place if question is None else question
        if question is None and asks and len(words) >= _TELLING_QUESTION:
            question = place
        if said_little is None and (asks or (words and not _is_remark(said))):
            said_little = place
    return said_little or 0


def _is_remark(text: str) -> bool:
    """Whether a line with any words begins as greetings, thanks, and a yes or no do."""
    return FIRST_WORDS.get(words_in(without_addressee(text))[0]) in _REMARKS
