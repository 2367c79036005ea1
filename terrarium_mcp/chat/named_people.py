"""Which people a plain English question names.

Most nicks are no words, and a question that contains one means the person. Of a nick that is also
a word (`summer`, `mark`, the name of the channel), or that is all letters and spoke only once, the
sentence has to show that the person is meant: `what did summer say`, `mark's gate`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from terrarium_mcp.chat.english.words import is_everyday_word, is_stop_word
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

_SAYS = (
    "(?:say|tell|ask|mention|suggest|recommend|write|think|reply|answer|explain|claim|propose"
    "|advise|want|complain|report|prefer|like|need|believe|agree)"
)
_SAID = (
    "(?:said|says|wrote|writes|told|tells|asks|asked|mentions|mentioned|suggests|suggested"
    "|recommends|recommended|thinks|thought|replied|replies|answered|explains|explained|claims"
    "|claimed|proposed|advised|complained|reported|prefers|believes|say|ask|think)"
)
_DID = "(?:did|does|do|has|had|have|would|could|can|should|might)"

_DO = "(?:did|does|do|has|have|had)"
_OTHERS = r"[^\s,]+(?:,\s+[^\s,]+){0,5},?"
"""Who else does something together with a person."""

_NICK = "\ue001"
"""A private-use character that stands for the nick while signs are looked for."""

_SIGNS = tuple(
    (strength, re.compile(sign))
    for strength, sign in (
        (3, rf"[@<]{_NICK}"),
        (3, rf"\b(?:nick|user|person)\s+{_NICK}"),
        (3, rf"\b{_DID}\s+{_NICK}\s+(?:ever\s+|also\s+|not\s+)?{_SAYS}\b"),
        (3, rf"{_NICK}\s+(?:has\s+|had\s+|also\s+|ever\s+)?{_SAID}\b"),
        (3, rf"\b(?:told|asked|advised|tell|ask|advise)\s+{_NICK}"),
        (3, rf"\baccording\s+to\s+{_NICK}"),
        (2, rf"{_NICK}['\u2019]s(?!\w)"),
        (2, rf"\b(?:by|from)\s+{_NICK}"),
        (2, rf"\b(?:did|does|has|had)\s+{_NICK}(?!\s+(?:mean|stand)\b)"),
        (2, rf"\b{_DO}\s+{_OTHERS}\s+(?:and|or|&)\s+{_NICK}(?!\s+(?:mean|stand)\b)"),
        (2, rf"\bwho\s+(?:is|was)\s+{_NICK}"),
        (1, rf"\b(?:is|was)\s+{_NICK}"),
    )
)
"""Signs in a folded question that a nick is meant, and how strong each is."""

_CAPITAL = 1
"""How strong a sign a capital letter is within a sentence."""


def possible_nicks(text: str) -> tuple[str, ...]:
    """What in `text` may be a nick, folded, in order; `ada's` may be `ada's` or `ada`."""
    return tuple(dict.fromkeys(nick for spellings in _names(text) for nick in spellings))


def people_named(
    text: str,
    lines_by: Mapping[str, int],
    lines_with: Mapping[str, int],
    topics: Collection[str] = (),
) -> tuple[str, ...]:
    """The folded nicks that `text` mentions, in order.

    Args:
        text: the question, without the words that name a time or a channel.
        lines_by: how many messages each possible nick has said.
        lines_with: how many messages contain each of them as a word.
        topics: folded words that are usual here, such as the names of the channels.
    """
    named: dict[str, None] = {}
    for spellings in _names(text):
        for nick in spellings:
            lines = lines_by.get(nick, 0)
            if not lines:
                continue
            share = lines / (1 + lines_with.get(nick, 0))
            spoke_once = lines < 2 and nick.isalpha()
            is_word = spoke_once or is_everyday_word(nick) or nick in topics
            needed = _needed_sign(share, is_word=is_word)
            if not needed or _strongest_sign(nick, text) >= needed:
                named[nick] = None
                break
    return tuple(named)


def _needed_sign(share: float, *, is_word: bool) -> int:
    """How strong a sign a nick needs; `share` compares its own lines with those that contain it."""
    if share < _HARDLY_A_NICK:
        return 3
    return 2 if is_word or share < _RARELY_A_NICK else 0


def _strongest_sign(nick: str, text: str) -> int:
    """The strongest sign that the nick is meant, a capital letter added."""
    folded = fold(text)
    marked = re.sub(rf"(?<!\w){re.escape(nick)}(?!\w)", _NICK, folded)
    strongest = max((strength for strength, sign in _SIGNS if sign.search(marked)), default=0)
    return strongest + (_CAPITAL if _is_capitalised(nick, folded, text) else 0)


def _is_capitalised(nick: str, folded: str, text: str) -> bool:
    """Whether the nick begins with a capital within the text, as a name does and no acronym."""
    at = folded.find(nick)
    return at > 0 and text[at].isupper() and not text[at : at + len(nick)].isupper()


def _names(text: str) -> Iterator[list[str]]:
    """The spellings of each piece of `text` that may be a nick."""
    chunks = (found[0] for found in _CHUNK.finditer(text))
    for chunk in islice(chunks, _MOST_NAMES):
        name = fold(chunk.strip(".,'\u2019<>@"))
        spellings = [name, name[:-2]] if name.endswith(_POSSESSIVE) else [name]
        if kept := [nick for nick in spellings if nick and not is_stop_word(nick)]:
            yield kept
