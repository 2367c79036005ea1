"""Which people a plain English question names.

Many nicks are words as well (`summer`, `chroot`, `toshiba`), and no list has them all. So a nick is
a person for certain only where the sentence shows it (`what did summer say`, `mark's gate`) or
where no word is spelled so (`ada_`). Any other may be a person or the word: it counts as both.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from enum import Enum, auto
from itertools import islice
from typing import NamedTuple

from terrarium_mcp.chat.english.words import (
    is_everyday_word,
    is_stop_word,
    may_name_somebody,
)
from terrarium_mcp.chat.identity import fold

_CHUNK = re.compile(r"[^\s,;:?!\"()]+")
_POSSESSIVE = ("'s", "\u2019s")

_MOST_NAMES = 64
"""Pieces of a question that may be nicks: each costs a look-up, and patterns if it is one."""

_RARELY_A_NICK = 0.2
"""A nick whose messages are fewer than this share of the messages that contain it as a word counts
as a word."""

_HARDLY_A_NICK = 0.005
"""Below this share the nick is so common a word that even `by mark` rarely means the person."""

_MOSTLY_A_NICK, _FEW = 1.0, 3
"""From this share on, and this many messages, a nick is likely the person: people are called by
their nicks less often than they speak. Of 56 nicks in 219,355 lines of Ubuntu IRC that are also
said as words (`a chroot`), 39 are below it."""

_SAYS = (
    "(?:say|tell|ask|mention|suggest|recommend|write|think|reply|answer|explain|claim|propose"
    "|advise|want|complain|prefer|like|believe|agree|disagree|promise|know|remember)"
)
_SAID = (
    "(?:said|says|wrote|writes|told|tells|asks|asked|mentions|mentioned|suggests|suggested"
    "|recommends|recommended|thinks|thought|replied|replies|answered|explains|explained|claims"
    "|claimed|proposed|advised|complained|reported|prefers|believes|agrees|agreed|disagrees"
    "|disagreed|promises|promised)"
)
_DID = "(?:did|does|do|has|had|have|would|could|can|should|might)"
_MAY = "(?:is|was|will|would|could|can|should|might|does|has)"

_AS_A_THING = "(?!\\s+(?:mean|stand|work|support|require|crash|break|boot|install|include|ship)\\b)"
"""What is asked of things behind `did`: not `did alien work`."""

_WORDS_OF_THEIRS = (
    "(?:lines?|links?|urls?|messages?|words|advice|answers?|repl(?:y|ies)|help|tips?|questions?"
    "|quotes?|news|hear|heard|anything|something)"
)
_OTHERS = r"[^\s,]+(?:,\s+[^\s,]+){0,5},?"
"""Who else does something together with a person."""

_NICK = "\ue001"
"""A private-use character that stands for the nick while signs are looked for."""

_CALLED = rf"\b(?:nick|user|person)\s+{_NICK}"
_ADVERB = r"(?:has\s+|had\s+|also\s+|ever\s+)?"
_SPEAKS = rf"{_NICK}\s+{_ADVERB}(?:say|ask|think)\b"
_ASKED = rf"\b(?:ask|asked)\s+{_NICK}"

_SIGNS = tuple(
    (strength, re.compile(sign))
    for strength, sign in (
        (3, rf"[@<]{_NICK}"),
        (3, _CALLED),
        (3, rf"\b{_DID}\s+{_NICK}\s+(?:ever\s+|also\s+|not\s+)?{_SAYS}\b"),
        (3, _SPEAKS),
        (3, rf"{_NICK}\s+{_ADVERB}{_SAID}\b"),
        (3, _ASKED),
        (3, rf"\b(?:told|advised|tell|advise)\s+{_NICK}"),
        (3, rf"\baccording\s+to\s+{_NICK}"),
        (2, rf"{_NICK}['\u2019]s(?!\w)"),
        (2, rf"\bby\s+{_NICK}"),
        (2, rf"\b{_WORDS_OF_THEIRS}\s+from\s+{_NICK}"),
        (2, rf"\b(?:did|had)\s+(?:{_OTHERS}\s+(?:and|or|&)\s+)?{_NICK}{_AS_A_THING}"),
        (2, rf"\bwho\s+(?:is|was)\s+{_NICK}"),
        (2, rf"\b(?:is|was)\s+{_NICK}\s+(?:\w+\s+)?(?:talk|say|tell|ask|think|look|try)ing\b"),
        (1, rf"\b(?:from|with|between|helped|thanked|met|kicked|banned)\s+{_NICK}"),
        (1, rf"^{_NICK}\s+(?:and|&)\s"),
        (1, rf"\b{_MAY}\s+{_NICK}{_AS_A_THING}"),
        (1, rf"\b(?:do|does|has|have)\s+{_OTHERS}\s+(?:and|or|&)\s+{_NICK}{_AS_A_THING}"),
    )
)
"""Signs in a folded question that a nick is meant, and how strong each is. `from` and `does` stand
before the names of programs as well: `boot from knoppix`, `does citrix work`."""

_OF_VERBS = (_CALLED, _SPEAKS, _ASKED)
_NOT_OF_VERBS = tuple(sign for sign in _SIGNS if sign[1].pattern not in _OF_VERBS)
"""Those that a modal verb has only if it is a nick: not `a user may`, `who will say`, `who asked
can we go`."""

_THING = re.compile(
    r"\b(?:the|an?|my|your|our|their|his|her|its|this|these|those|any|some|another|every|each|no"
    rf"|which|into|onto|inside|using|via)\s+{_NICK}"
)
"""Signs that a nick is the name of a thing: `a toshiba laptop`, `about the virus`."""

_ASKS_HOW = re.compile(r"\bhow\s+to\b|\b(?:do|can|could|should|would|must)\s+(?:i|we|you|one)\b")
"""Signs of a question about things, rather than about what a person said: `how do I run gdb`."""

_MAKES_A_PERSON = 2
"""How strong a sign makes a person of a word. A weaker one makes it possible."""

_CAPITAL = 1
"""How strong a sign a capital letter within a sentence is, for a nick that is hardly a word: as one
of a word it is no sign, for products have it too."""


class _Reading(Enum):
    """What a nick in a question means."""

    PERSON = auto()
    LIKELY_PERSON = auto()
    PERSON_OR_WORD = auto()
    WORD = auto()


class NamedPeople(NamedTuple):
    """The folded nicks that a question names, in order.

    `people` are those taken for people. What is `ambiguous` may as well be a word that is asked
    for: some of these people, and nicks that are hardly one.
    """

    people: tuple[str, ...]
    ambiguous: tuple[str, ...]

    @property
    def certain(self) -> tuple[str, ...]:
        """Those whose nicks are no words that are asked for."""
        return tuple(nick for nick in self.people if nick not in self.ambiguous)


def possible_nicks(text: str) -> tuple[str, ...]:
    """What in `text` may be a nick, folded, in order; `ada's` may be `ada's` or `ada`."""
    return tuple(dict.fromkeys(nick for spellings in _names(text) for nick in spellings))


def people_named(
    text: str,
    lines_by: Mapping[str, int],
    lines_with: Mapping[str, int],
    topics: Collection[str] = (),
) -> NamedPeople:
    """The people that `text` mentions, and what may be one.

    Args:
        text: the question, without the words that name a time or a channel.
        lines_by: how many messages each possible nick has said.
        lines_with: how many messages contain each of them as a word.
        topics: folded words that are usual here, such as the names of the channels.
    """
    people, ambiguous = dict[str, None](), dict[str, None]()
    for spellings in _names(text):
        for nick in spellings:
            if not (lines := lines_by.get(nick, 0)):
                continue
            reading = _reading(nick, text, lines, lines_with.get(nick, 0), is_topic=nick in topics)
            if reading in (_Reading.PERSON, _Reading.LIKELY_PERSON):
                people[nick] = None
            if reading in (_Reading.LIKELY_PERSON, _Reading.PERSON_OR_WORD):
                ambiguous[nick] = None
            if reading is not _Reading.WORD:
                break
    return NamedPeople(tuple(people), tuple(ambiguous))


def _reading(nick: str, text: str, lines: int, lines_with: int, *, is_topic: bool) -> _Reading:
    """What a nick in `text` means that said `lines` messages and is a word in `lines_with`."""
    marked = re.sub(rf"(?<!\w){re.escape(nick)}(?!\w)", _NICK, fold(text))
    is_verb = is_stop_word(nick)
    signs = _NOT_OF_VERBS if is_verb else _SIGNS
    sign = max((strength for strength, one in signs if one.search(marked)), default=0)
    if is_verb:  # only its place makes it a nick, however often it is said
        return _Reading.PERSON if sign >= _MAKES_A_PERSON else _Reading.WORD
    share = lines / (1 + lines_with)
    if share < _HARDLY_A_NICK:
        return _Reading.PERSON if sign > _MAKES_A_PERSON else _Reading.WORD
    if sign >= _MAKES_A_PERSON:
        return _Reading.PERSON
    spoke_once = lines < 2 and nick.isalpha()
    if spoke_once and not lines_with:  # else neither its line nor any other would be found
        return _Reading.PERSON_OR_WORD
    if spoke_once or is_topic or is_everyday_word(nick) or share < _RARELY_A_NICK:
        is_thing = not sign or _THING.search(marked)
        return _Reading.WORD if is_thing else _Reading.PERSON_OR_WORD
    if not (nick.isalnum() and lines_with):
        return _Reading.PERSON
    capital = _CAPITAL if _is_capitalised(nick, text) else 0
    if sign + capital >= _MAKES_A_PERSON:
        return _Reading.PERSON
    if _THING.search(marked):
        return _Reading.WORD
    if _ASKS_HOW.search(marked):
        return _Reading.PERSON_OR_WORD
    if not nick.isalpha():  # digits: `ada42`
        return _Reading.PERSON
    if share < _MOSTLY_A_NICK or lines < _FEW:
        return _Reading.PERSON_OR_WORD
    return _Reading.PERSON if capital else _Reading.LIKELY_PERSON


def _is_capitalised(nick: str, text: str) -> bool:
    """Whether the nick begins with a capital within the text, as a name does and no acronym."""
    at = fold(text).find(nick)
    return at > 0 and text[at].isupper() and not text[at : at + len(nick)].isupper()


def _names(text: str) -> Iterator[list[str]]:
    """The spellings of each piece of `text` that may be a nick."""
    chunks = (found[0] for found in _CHUNK.finditer(text))
    for chunk in islice(chunks, _MOST_NAMES):
        name = fold(chunk.strip(".,'\u2019<>@"))
        spellings = [name, name[:-2]] if name.endswith(_POSSESSIVE) else [name]
        if kept := [nick for nick in spellings if nick and may_name_somebody(nick)]:
            yield kept
