"""A plain English question: the words that say what it is about, and what answer it wants."""

import re
from collections.abc import Iterator

from terrarium_mcp.chat.english.calendar_words import MONTHS, WEEKDAYS
from terrarium_mcp.chat.english.words import is_stop_word, telling_words
from terrarium_mcp.chat.mentions import without_addressee
from terrarium_mcp.chat.question_marks import asking_part, ends_with_question_mark
from terrarium_mcp.chat.terms import VOWEL_SIGN, words_in

_PART = rf"(?:[^\W_]|{VOWEL_SIGN})+"

_WORD = re.compile(
    r"(?<![^\W_])(?:[vV]?\d+(?:\.\d+)+|[^\W_]{1,20}(?:\+\+|#))(?![^\W_])"
    rf"|{_PART}(?:['\u2019]{_PART})*"
)
"""A version such as `11.04` and `v4.0`, or a name such as `C++`, is one word: its parts are
in many others."""

_WHEN = re.compile(r"(?i)\b(?:when|how long|what (?:year|month|date|day|time))\b")
_TIME_WORDS = frozenset(
    """yesterday today tonight tomorrow last next ago weekend week weeks month months year years day
    days recently since morning night""".split()  # noqa: SIM905 -- as below
) | {*WEEKDAYS, *MONTHS}
_NAMES_A_TIME = re.compile(  # for lower case: ignoring case takes three times as long
    rf"\b(?:{'|'.join(sorted(_TIME_WORDS))}|\d{{4}}|\d{{1,2}}:\d\d)\b"
)
"""Signs that an answer says when. Unlike `time_expressions` it need not know which time that is."""

_DIGIT = re.compile(r"\d")

_ASKING = re.compile(
    r"\s*(?:who(?:m|se)?|what|when|where|why|which|how|did|do|does|has|have|had|is|are|was|were"
    r"|can|could|any|anyone|anybody|anything|show|list|give|tell|summari[sz]e|summary|recap)\b",
    re.IGNORECASE,
)

_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)"

_WORDED_AS_A_QUESTION = re.compile(
    rf"(?:how|what|where|why|which|who|when)\s+(?:{_VERB}|to)\b"
    rf"|{_VERB}\s+(?:any(?:one|body)|some(?:one|body)|there|you|u|i|we)\b"
    r"|any(?:one|body)\b",
    re.IGNORECASE,
)
"""The words in the order of a question. Of 60 lines without a question mark that begin so, 55 ask
something; of 70 that begin as in `_ASKING`, 40: `when it boots I see the logo` (Ubuntu IRC)."""

_BEHIND_A_QUESTION = " !.\uff01\u3002"

_FIRST_PERSON = re.compile(
    r"(?i)\b(?:i|im|i['\u2019](?:m|ve|d|ll)|my|me|mine|we|we['\u2019](?:re|ve|ll)|our|us)\b"
)


_GENERAL_WORDS = frozenset(
    """happen happens happened happening discuss discusses discussed discussing discussion
    discussions conversation conversations topic topics chat chats chatted chatting talking talks
    saying going new news summary summarise summarize recap people folks everyone everybody
    thing things stuff interesting important main big channel channels irc log logs history event
    events line message messages day days week weeks month months year years time show give list
    anything everything something lines""".split()  # noqa: SIM905 -- a list would be a page of quotation marks
)
"""Words that ask for what was said, whatever it was about."""

_MISSED = re.compile(
    r"(?i)\b(?:what\s+(?:all\s+|else\s+)?(?:did|have|had)\s+(?:i|we)\s+miss(?:ed)?"
    r"|what\s+i(?:['\u2019]ve|\s+have)?\s+missed|catch\s+(?:me|us)\s+up)\b"
)
"""A question for what was said while one was away: `miss` and `catch` alone are words."""


def is_put_as_a_question(text: str) -> bool:
    """Whether a text begins as questions and requests do, or ends as one; words do neither."""
    return _ASKING.match(text) is not None or ends_with_question_mark(
        text.rstrip(_BEHIND_A_QUESTION)
    )


def is_worded_as_a_question(text: str) -> bool:
    """Whether a line asks something by the order of its words, with a question mark or without."""
    return _WORDED_AS_A_QUESTION.match(without_addressee(text)) is not None


def asks_something(text: str) -> bool:
    """Whether a line asks, to whomever: `I'm done, where are you` does so in what it says last."""
    said = without_addressee(text)
    return (
        bool(asking_part(text))
        or is_put_as_a_question(said)
        or is_put_as_a_question(said.rpartition(",")[2])
    )


def asks_what_was_said(text: str) -> bool:
    """Whether a question, without the time it names, asks for whatever was said then."""
    others = _content_words(_MISSED.sub(" ", text))
    return bool(text.strip(" ?!.,")) and _GENERAL_WORDS.issuperset(others)


def asks_what_was_missed(text: str) -> bool:
    """Whether a question asks for whatever was said while somebody was away."""
    return _MISSED.search(text) is not None and asks_what_was_said(text)


def content_words(text: str, people: tuple[str, ...]) -> tuple[str, ...]:
    """The words of `text`, folded, that say what it is about: no stop words and no names.

    If there are no others, the names; and if there are none of these, all words.
    """
    names = {word: None for nick in people for word in words_in(nick)}
    telling = [word for word in _content_words(text) if word not in names and _is_whole(word)]
    return tuple(dict.fromkeys(telling or names or words_in(text)))


def has_telling_words(text: str) -> bool:
    """Whether a question says what it is about: `when was that?` does not."""
    return any(_content_words(text))


def says_something(word: str) -> bool:
    """Whether a word as typed is no stop word: not `what's`, but `docker`, and an emoji, too."""
    return any(_content_words(word)) or not _WORD.search(word)


def is_literal(word: str) -> bool:
    """Whether the line itself must show it: the index knows only the words in `11.04` and `C++`.

    So it is with two words side by side, such as `add on`.
    """
    return "." in word or " " in word or word.endswith(("++", "#"))


def version_spellings(word: str) -> tuple[str, ...]:
    """A literal content word, and how else people write that version: `v4.0.0` and `4.0.0`."""
    digits = word.removeprefix("v")
    if "." not in digits:
        return (word,)
    return (word, digits if digits != word else f"v{word}")


def asks_when(text: str) -> bool:
    """Whether the question asks for a time."""
    return _WHEN.search(text) is not None


def names_a_time(text: str) -> bool:
    """Whether a message names a time, and so may answer when something happened."""
    if text.isascii() and not _DIGIT.search(text) and _TIME_WORDS.isdisjoint(words_in(text)):
        return False  # a fifth of the time of the pattern, for thousands of lines
    return _NAMES_A_TIME.search(text.lower()) is not None


def is_first_person(text: str) -> bool:
    """Whether a message is in the first person."""
    return _FIRST_PERSON.search(text) is not None


def said_words(text: str) -> frozenset[str]:
    """The content words of a message, without the nick that it calls at its beginning."""
    return telling_words(words_in(without_addressee(text)))


def _content_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower().replace("\u2019", "'")):
        if is_literal(word):
            yield word
        elif not is_stop_word(word):
            yield from (part for part in words_in(word) if not is_stop_word(part))


def _is_whole(word: str) -> bool:
    """Whether it is more than a stray letter; a digit or a Chinese character is."""
    return len(word) > 1 or word.isdigit() or not word.isascii()
