"""Whether what follows a command without a prefix is its argument, or talk goes on. Pure."""

import re

from terrarium_mcp.chat.english.words import is_stop_word
from terrarium_mcp.chat.identity import NICK_CHARACTERS
from terrarium_mcp.chat.question_marks import ends_with_question_mark

_NICK = re.compile(rf"[{NICK_CHARACTERS}]+")


def is_search(text: str) -> bool:
    """`greenhouse heater`, and not `for the heater` or `heater, please`."""
    words = text.lower().split()
    is_polite = words[-1].strip(".!") == "please"
    return not (is_polite or ends_with_question_mark(text) or is_stop_word(words[0]))


def is_nick(text: str) -> bool:
    """`alice`, and not `it` or `it before?`."""
    return bool(_NICK.fullmatch(text)) and not is_stop_word(text.lower())


def is_message_id(text: str) -> bool:
    """`184213`, also in the brackets in which the bot quotes it."""
    return bool(re.fullmatch(r"\(?\d+\)?", text))


def is_count(text: str) -> bool:
    """`10`, `10 alice`."""
    return bool(re.fullmatch(rf"\d+(?:\s+[{NICK_CHARACTERS}]+)?", text))


def is_start(text: str) -> bool:
    """`2h`, `2026-05-01`, `yesterday`."""
    return bool(re.fullmatch(r"\d[\w:.-]*|yesterday", text, re.IGNORECASE))


def is_yes(text: str) -> bool:
    """`yes`, also `Yes.` and `yes, please!`."""
    return without_courtesy(text) == "yes"


def is_nothing(text: str) -> bool:
    """No text: the command takes no argument without a prefix."""
    return not text


def without_courtesy(text: str) -> str:
    """A text in lower case, without `please` and what ends a sentence that is no question."""
    words = (word.strip(".,!") for word in text.lower().split())
    return " ".join(word for word in words if word not in ("", "please"))
