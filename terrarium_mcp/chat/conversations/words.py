"""The words of a line: how it opens, which of them tell what it is about, and which are nicks."""

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum, auto
from functools import lru_cache

TAIL = "_`^|-"
"""Characters that clients hang on a nick which is taken: jo, jo_ and jo` are one person."""

ODD = TAIL + "[]{}\\"
"""Characters in nicks that people leave out when they write one."""

LONGEST = 512
"""Characters of a line that are read; a line of IRC has no more (RFC 1459 2.3)."""

_WORD = re.compile(r"[\w\[\]\\`^{}|-]+")  # every character that a nick may have
_URL = re.compile(r"https?://\S+")
LINK = "httpurl"
"""The word that stands for a URL."""


class Opening(IntEnum):
    """What kind of line it is, by its first word after the nick it is addressed to."""

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


_FIRST_WORDS = {
    Opening.GREETING: "hi hello hey greetings howdy morning evening hiya yo hallo hola heya re o",
    Opening.THANKS: "thanks thank thx ty cheers tnx np welcome yw",
    Opening.YES_NO: """ok okay yes yeah yep yup no nope right ah oh cool sure k nah true ahh ohh kk
        aha indeed exactly good great nice hm hmm hmmm well maybe wow sorry not yea y n correct
        perfect agreed""",
    Opening.QUESTION: """how what why where who which when anyone anybody someone somebody does do
        is are can could any has have should would did will hows whats wheres""",
    Opening.NOISE: "lol haha hehe heh rofl lmao hah xd",
    Opening.ABOUT_ME: "i im ive my id ill we me",
    Opening.ABOUT_YOU: """you your try it its that thats use just if then there this they run type
        look see check he she u go youre""",
    Opening.CARRY_ON: "and but or so also because though plus like than anyway actually",
}
BOT = int(Opening.BOT)

FIRST_WORD = {word: int(kind) for kind, words in _FIRST_WORDS.items() for word in words.split()}
"""The kind of line that a first word makes."""

COMMON = frozenset(
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
"""Words too common to show that two lines belong together."""

NO_NICKS = frozenset(
    """ok hi no yes the you it is and linux ubuntu hello thanks well here there what how this that
    with for are can not but all any root help test user me my we be so if do to of in on at as or
    an by up out just like now one get use see try good time work windows who why when
    where""".split()  # noqa: SIM905 -- a list would be a page of quotation marks
)
"""Nicks that are everyday words: a line with such a word names nobody."""


def lowered(text: str) -> str:
    """As much of a line as is read, with a word in place of each URL."""
    low = text[:LONGEST].lower()
    return _URL.sub(f" {LINK} ", low) if "://" in low else low


def words_of(low: str) -> list[str]:
    """The words of a lowered line, nicks whole."""
    return _WORD.findall(low)


def telling(words: Iterable[str]) -> tuple[str, ...]:
    """The words by which a line may be tied to another, each once, in order.

    In order, since a set's would differ between processes, and with it the rounding of sums.
    """
    return tuple(dict.fromkeys(filter(None, map(_stem, words))))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """Enough to see that installs, installed and installing are one word; "" for a common one."""
    if len(word) < 2 or word in COMMON:
        return ""
    if len(word) > 4:
        for end in ("ing", "ed", "es", "s"):
            if word.endswith(end):
                return word[: -len(end)]
    return word


def opening(low: str, rest: Sequence[str]) -> int:
    """The `Opening` of a lowered line by a person; `rest` are its words without nicks."""
    if low.startswith(("!", "*", "s/")):
        return int(Opening.COMMAND if low.startswith("!") else Opening.CORRECTION)
    if not rest:
        return int(Opening.NOISE)
    kind = FIRST_WORD.get(rest[0])
    if kind is None:
        return int(Opening.LINK) if LINK in rest else 0
    return kind
