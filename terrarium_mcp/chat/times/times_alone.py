"""Whether words that are mostly no time name one: where nothing else is asked, they do. Pure."""

import re

from terrarium_mcp.chat.english.calendar_words import MONTH, SHORT_WEEKDAY, WEEKDAY, YEAR
from terrarium_mcp.chat.question import asks_what_was_said, is_put_as_a_question
from terrarium_mcp.chat.times.patterns import compiled

_SAID_OR_DONE = re.compile(r"(?i)\b(?:said|say|happen(?:s|ed)?|discussed|talked|news)\b")
"""Something of this is in a question that can only mean a day by `on 3.11.`."""

_PAST = re.compile(r"(?i)\b(?:did|was|were|had|said|happened|discussed|talked|last|ago)\b")
"""Something of this is in most questions for what is over."""

_ALONE = rf"\W*(?:(?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})|(?P<longer>{MONTH}|{YEAR}))\W*"
"""A text of one word that may name a time: nothing shows that `saturday` or `2026` does."""


def word_for_a_time(text: str) -> str:
    """What names the time in a question, of a text that is no more than a word for one.

    `saturday` may mean what was said `on saturday`. Empty for any other text.
    """
    found = compiled(_ALONE).fullmatch(text)
    if found is None:
        return ""
    return f"on {found['weekday']}" if found["weekday"] else f"in {found['longer']}"


def is_all_that_is_asked(found: re.Match[str]) -> bool:
    """Whether nothing is asked but what was said or done at a time, or nothing at all."""
    rest = _besides(found)
    asks_for_a_time = asks_what_was_said(rest) and _SAID_OR_DONE.search(rest)
    return bool(asks_for_a_time or not rest.strip(" ?!.,"))


def is_meant(found: re.Match[str]) -> bool:
    """Whether words for hours without a day name a time: `since 9am` does in every question.

    `After 5pm` does only where nothing else is asked: a shop may be open then.
    """
    is_in_question = found[0].lower().startswith("since") and is_put_as_a_question(found.string)
    return is_in_question or is_all_that_is_asked(found)


def is_in_a_question(found: re.Match[str]) -> bool:
    """Whether words are in a question; among others they may be a part of them: `tonight show`."""
    return is_put_as_a_question(found.string)


def is_of_the_past(found: re.Match[str]) -> bool:
    """Whether the other words show what is over, or there are none."""
    rest = _besides(found)
    return _PAST.search(rest) is not None or is_all_that_is_asked(found)


def asks_for_talk_besides(found: re.Match[str]) -> bool:
    """Whether the other words ask for what was said, whatever it was."""
    return asks_what_was_said(_besides(found))


def _besides(found: re.Match[str]) -> str:
    return f"{found.string[: found.start()]} {found.string[found.end() :]}"
