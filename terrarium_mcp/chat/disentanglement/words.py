"""The words of an utterance: its kind by the first word, its content words, and its nicks.

A line of a single everyday word is bare: it adds nothing to what it answers.
"""

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum, auto
from functools import lru_cache

from terrarium_mcp.chat.identity import NICK_CHARACTERS
from terrarium_mcp.chat.urls import URL

NICK_TAIL = "_`^|-"
"""Characters that clients append to a nick already in use: jo, jo_ and jo` are one person."""

NICK_PUNCTUATION = NICK_TAIL + "[]{}\\"
"""Characters of nicks that people leave out when they address somebody.

The weights were learnt with them, so `~` of `similar_nicks.SIGNS` is not among them.
"""

MAX_CHARACTERS = 512
"""Characters of an utterance that are read; an IRC message has no more (RFC 1459 2.3)."""

_WORD = re.compile(f"[{NICK_CHARACTERS}]+")
LINK = "httpurl"
"""The word that replaces a URL."""


class UtteranceKind(IntEnum):
    """The kind of an utterance, by its first word after the nick it is addressed to."""

    OTHER = 0
    GREETING = auto()
    THANKS = auto()
    YES_NO = auto()
    QUESTION = auto()
    BOT = auto()
    COMMAND = auto()
    NOISE = auto()
    LINK = auto()
    ABOUT_ME = auto()
    ABOUT_YOU = auto()
    CARRY_ON = auto()
    CORRECTION = auto()


_WORDS_BY_KIND = {
    UtteranceKind.GREETING: """hi hello hey greetings howdy morning evening hiya yo hallo hola heya
        re o""",
    UtteranceKind.THANKS: "thanks thank thx ty cheers tnx np welcome yw",
    UtteranceKind.YES_NO: """ok okay yes yeah yep yup no nope right ah oh cool sure k nah true ahh
        ohh kk aha indeed exactly good great nice hm hmm hmmm well maybe wow sorry not yea y n
        correct perfect agreed""",
    UtteranceKind.QUESTION: """how what why where who which when anyone anybody someone somebody
        does do is are can could any has have should would did will hows whats wheres""",
    UtteranceKind.NOISE: "lol haha hehe heh rofl lmao hah xd",
    UtteranceKind.ABOUT_ME: "i im ive my id ill we me",
    UtteranceKind.ABOUT_YOU: """you your try it its that thats use just if then there this they run
        type look see check he she u go youre""",
    UtteranceKind.CARRY_ON: "and but or so also because though plus like than anyway actually",
}
BOT = int(UtteranceKind.BOT)

FIRST_WORDS = {word: int(kind) for kind, words in _WORDS_BY_KIND.items() for word in words.split()}
"""The kind of utterance that each first word makes."""

UNSPECIFIC_WORDS = frozenset(
    f"""the a an to of and or in on is it i you that this for with my me we be have has do does did
    not no yes if so but can what how when are was at as from they he she im its there here just
    then your any will would should could get got like one some about up out all by don t s m re ve
    ll d use using now also too more know want need which who why where think see try way work works
    thing something anything them than only other been had were am into over go going make sure good
    ok well right yeah thanks really still even same first new time people lol hi hello hey thank
    please help sorry back again very much after before because since while never always lot doesn
    isn didn wasn aren won couldn wouldn shouldn hasn haven let put say said tell told find
    {LINK}""".split()
)
"""Words too common in talk to connect two utterances: function words, and `thanks`, `try`, `work`.

The weights were learnt with this list. It is not the stop-word list of questions
(`chat/english/stop_words.txt`), which leaves out what says nothing about the line asked for.
"""

NOT_NICKS = frozenset(
    """ok hi no yes the you it is and linux ubuntu hello thanks well here there what how this that
    with for are can not but all any root help test user me my we be so if do to of in on at as or
    an by up out just like now one get use see try good time work windows who why when
    where""".split()  # noqa: SIM905 -- a list would be a page of quotation marks
)
"""Nicks that are everyday words: an utterance that contains one names nobody."""


def lowercase(text: str) -> str:
    """The part of an utterance that is read, in lower case, with a word in place of each URL."""
    low = text[:MAX_CHARACTERS].lower()
    return URL.sub(f" {LINK} ", low) if "://" in low else low


def words_of(low: str) -> list[str]:
    """The words of a lowercase utterance; a nick is one word."""
    return _WORD.findall(low)


def content_words(words: Iterable[str]) -> tuple[str, ...]:
    """The stems that may connect an utterance to another one, each once, in order.

    In order, because the order of a set, and with it the rounding of sums, differs between
    processes.
    """
    return tuple(dict.fromkeys(filter(None, map(_content_stem, words))))


@lru_cache(maxsize=20_000)
def _content_stem(word: str) -> str:
    """Enough to see that installs, installed and installing are one word; "" for a common one.

    Porter's stemmer, which questions use (`chat.english.words.stem`), was tried in its place. On
    the development logs link F1 is 74.3 with both, exact conversations 42.1 here and 41.3 with
    Porter; with weights learnt for Porter they are 74.4 and 41.0.
    """
    if len(word) < 2 or word in UNSPECIFIC_WORDS:
        return ""
    if len(word) > 4:
        for end in ("ing", "ed", "es", "s"):
            if word.endswith(end):
                return word[: -len(end)]
    return word


def utterance_kind(low: str, rest: Sequence[str]) -> int:
    """The `UtteranceKind` of a lowercase utterance by a person; `rest` are its words less nicks."""
    if low.startswith(("!", "*", "s/")):
        return int(UtteranceKind.COMMAND if low.startswith("!") else UtteranceKind.CORRECTION)
    if not rest:
        return int(UtteranceKind.NOISE)
    kind = FIRST_WORDS.get(rest[0])
    if kind is None:
        return int(UtteranceKind.LINK) if LINK in rest else 0
    return kind


def is_bare(text: str) -> bool:
    """Whether a line is a single everyday word, or none: `thanks`, `bob: yes`, `:)`.

    A single word of another kind (`broadcom`, a URL, a sentence without spaces) may be an answer.
    """
    words = text.split(maxsplit=2)
    if len(words) > 1 and words[0].endswith((":", ",")):
        del words[0]
    if len(words) != 1:
        return not words
    word = "".join(filter(str.isalnum, words[0])).lower()
    return not word or word in FIRST_WORDS or word in UNSPECIFIC_WORDS
