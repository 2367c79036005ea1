"""Questions for how much was said, and who said most. Pure.

A search does not count; the figures do.
"""

from typing import NamedTuple

from terrarium_mcp.chat.english.calendar_words import COUNT_WORD
from terrarium_mcp.chat.questions.forms import (
    DID_OR_HAS,
    NAMED_NICK,
    NAMED_WORDS,
    PRONOUN,
    form,
    matches,
    named_part,
    named_person,
)

_HOW_OFTEN = r"how\s+(?:often|many\s+times)"
_MANY = r"(?:how\s+many|(?:what\s+(?:is|was)\s+)?(?:the\s+)?number\s+of)"
_LINES = rf"(?:{_MANY}\s+(?:lines|messages)|how\s+much)"
_MENTIONS = rf"{_MANY}\s+mentions"
_SAY = r"(?:say|said|mention|mentioned|write|written|use|used|talk(?:ed)?\s+about)"
_SEND = r"(?:say|said|write|written|post|posted|send|sent|talk|talked)"
_SPEAK = (
    r"(?:speaks?|spoke|talks?|talked|talking|says?|said|writes?|wrote|posts?|posted|chats?|chatted)"
)
_MOST = r"(?:the\s+)?most(?:\s+(?:lines|messages|often))?"
_USES = r"(?:says?|said|mentions?|mentioned|uses?|used|writes?|wrote)"
_LINKS = rf"{_MANY}\s+(?P<links>links?|urls?)"
_SHARE = r"(?:share|shared|paste|pasted|drop|dropped|give|given|mentioned)"
_PEOPLE = (
    r"how\s+many\s+(?:(?:different|distinct|unique|other)\s+)?"
    r"(?:people|persons|folks|users|nicks|members)"
)
_SPOKE = (
    rf"(?:{_SPEAK}|spoken|written|(?:were|are|was|been)\s+active"
    r"|sa(?:id|y)\s+(?:something|anything))"
)
_EVER = r"(?:\s+(?:who|that|here|have|had|has|were|are|was|been|ever|also))*"
_DISCUSS = (
    rf"(?:(?:{_SPEAK}|spoken|speaking|written|writing|posting|chatting|ask(?:ed|s|ing)?"
    r"|complain(?:ed|s|ing)?|sa(?:id|y)\s+(?:something|anything))\s+(?:about|of)"
    r"|discuss(?:ed|ing)?|mention(?:ed|s|ing)?|br(?:ing|ought|inging)\s+up|sa(?:ys?|id|ying))"
)
"""Not `used` or `wrote` alone: what people use and write is more than what they say."""

_NO_PRONOUN = rf"(?!{PRONOUN}\b\W*$)"
_ABOUT = (
    r"(?:(?:were|are|was)\s+(?:there\s+)?)?(?:about|on|with|mention(?:ed|ing)?|contain(?:ed|ing)?)"
)
_CHANNEL = r"(?:(?:the|this)\s+channel|it|this|here)"
_EVERYBODY = r"(?:people|folks|every(?:one|body)|any(?:one|body)|we|you\s+all)"
_LINKED = rf"(?:{_SPEAK}|sends?|sent|{_SHARE}|shares|pastes|drops|gives|gave)"
_WEEKDAY = r"(?:weekday|day\s+of\s+the\s+week)"
"""A day of every week, of which there are no figures."""

_PERIOD = rf"(?P<per>{_WEEKDAY}|day|week|month|hour)"
_BUSIEST = r"(?:the\s+)?(?:busiest|most\s+active)"
_TOP = rf"(?:top(?:\s+(?:\d{{1,3}}|{COUNT_WORD}))?|biggest|most\s+active)"
_TALKERS = (
    rf"(?:{_TOP}\s+(?:talker|speaker|poster)s?"
    r"|most\s+(?:active|talkative)\s+(?:people|person|(?:user|member|nick)s?))"
)
_IN_ALL = (
    r"(?:\s+(?:here|overall|altogether|of\s+all"
    r"|in\s+(?:total|here|(?:this|the)\s+channel)))*"
)

_AND_WHO = (
    rf"(?:,?\s+(?:and\s+)?(?:by\s+whom(?:\s+{_MOST})?"
    rf"|who(?:\s+{_USES}\s+(?:it|that))?\s+{_MOST}))?"
)
"""The question for those who said most besides, whom the same figures name."""

_EACH_TIME = rf"(?:on\s+)?(?:per|each|every|by)\s+(?P<per>{_WEEKDAY}|day|week|month)"
_COUNT = rf"(?:{_HOW_OFTEN}|{_LINES}|{_MENTIONS}|{_MANY}\s+(?:links?|urls?))"
_EACH = (
    rf"(?P<asked>{_COUNT}\b.*?)\s+{_EACH_TIME}{_IN_ALL}{_AND_WHO}",
    rf"(?P<asked>{_MANY}\s+(?:lines|messages|mentions|links|urls))\s+{_EACH_TIME}(?P<rest>\s.+)",
)
"""A count for each period. Not of who said most: the figures list no people for a period."""

_PART_OF_DAYS = (
    r"(?P<asked>(?:who|how)\b.*?\S)\s+(?:(?:at|by|during\s+the)\s+nights?|(?:in|during)\s+the"
    rf"\s+(?:early\s+|late\s+)?(?:day(?:time)?|mornings?|afternoons?|evenings?)){_IN_ALL}"
)
"""A count of one part of every day, of which there are no figures either."""

_FORMS = tuple(
    f"{pattern}{_IN_ALL}{_AND_WHO}"
    for pattern in (
        rf"who\s+(?:all\s+|else\s+)?(?:(?:has|have)\s+)?{_SPOKE}",
        rf"who\s+(?:(?:has|have|is|was)\s+)?{_SPEAK}\s+{_MOST}",
        rf"who\s+(?:(?:has|have|is|was)\s+)?{_SPEAK}\s+{_MOST}\s+about\s+{NAMED_WORDS}",
        rf"who\s+(?:(?:has|have|is|was)\s+)?(?:{_USES}|{_SPEAK}\s+about)\s+{NAMED_WORDS}\s+{_MOST}",
        rf"(?:who(?:'s|\s+(?:is|are|was|were))\s+)?(?:the\s+)?{_TALKERS}",
        r"who(?:'s|\s+(?:is|are|was|were))\s+(?:the\s+)?most\s+(?:active|talkative)",
        rf"{_HOW_OFTEN}\s+{DID_OR_HAS}\s+{NAMED_NICK}\s+(?:ever\s+)?{_SAY}\s+{NAMED_WORDS}",
        rf"{_HOW_OFTEN}\s+{DID_OR_HAS}\s+{_EVERYBODY}\s+(?:ever\s+)?{_SAY}\s+{_NO_PRONOUN}{NAMED_WORDS}",
        rf"{_HOW_OFTEN}\s+{DID_OR_HAS}\s+(?!{PRONOUN}\s){NAMED_WORDS}\s+c[oa]me\s+up",
        rf"{_HOW_OFTEN}\s+{DID_OR_HAS}\s+{NAMED_NICK}\s+{_SPEAK}",
        rf"{_HOW_OFTEN}\s+(?:is|are|was|were|has|have)\s+{NAMED_WORDS}\s+(?:been\s+)?(?:said|mentioned)",
        rf"{_LINES}\s+{DID_OR_HAS}\s+{NAMED_NICK}\s+{_SEND}",
        rf"{_LINES}\s+(?:is|are|was|were|ha(?:s|ve)\s+been)\s+(?:there|said|written|posted|sent)",
        rf"{_MANY}\s+(?:lines|messages)",
        rf"{_MANY}\s+(?:lines|messages)\s+{_ABOUT}\s+{NAMED_WORDS}",
        rf"{_MENTIONS}\s+(?:(?:are|were)\s+there\s+)?of\s+{NAMED_WORDS}",
        rf"{_LINKS}\s+{DID_OR_HAS}\s+{NAMED_NICK}\s+(?:{_SEND}|{_SHARE})",
        _LINKS,
        rf"{_LINKS}\s+(?:is|are|was|were|have\s+been)\s+(?:there|{_SEND}|{_SHARE})",
        rf"{_PEOPLE}\s+(?:(?:have|had)\s+)?{_SPOKE}",
        rf"{_PEOPLE}{_EVER}\s+{_DISCUSS}\s+{_NO_PRONOUN}{NAMED_WORDS}",
        rf"(?:which|what)\s+{_PERIOD}\s+(?:is|was|has\s+been)\s+{_BUSIEST}",
        rf"(?:(?:which|what)(?:['\u2019]s|\s+(?:is|was|has\s+been))\s+)?{_BUSIEST}\s+{_PERIOD}",
        rf"(?:(?:on|in|at|during)\s+)?(?:which|what)\s+{_PERIOD}\s+{DID_OR_HAS}\s+{_EVERYBODY}\s+{_SPEAK}\s+{_MOST}",
        rf"who\s+(?:(?:has|have|is|was)\s+)?{_LINKED}\s+(?:the\s+)?most\s+(?P<links>links|urls)",
        rf"(?:(?:on|in|at|during)\s+)?(?:which|what)\s+{_PERIOD}\s+(?:is|was)(?:\s+{_CHANNEL})?\s+{_BUSIEST}",
        rf"(?:(?:on|in|at|during)\s+)?(?:which|what)\s+{_PERIOD}\s+{DID_OR_HAS}\s+{NAMED_NICK}\s+{_SPEAK}\s+{_MOST}",
    )
)


class CountQuestion(NamedTuple):
    """What to count: the lines of a nick, or with some words, or a link; of none, all lines.

    `per` is the period by which they are counted; "" for the whole time, whose hours of day the
    figures name. With `of_part_of_days` it asks for those of one part of every day alone, with
    `of_weekdays` for those of each weekday.
    """

    nick: str = ""
    words: str = ""
    only_links: bool = False
    per: str = ""
    of_part_of_days: bool = False
    of_weekdays: bool = False


def count_question(text: str) -> CountQuestion | None:
    """What a text asks to be counted, without its time and channel; None if for no count."""
    if each := next(matches(_EACH, text), None):
        asked = _asked_for(each["asked"] + named_part(each, "rest"))
        return asked and _for_each(each["per"], asked)
    if part := form(_PART_OF_DAYS).fullmatch(text):
        asked = _asked_for(part["asked"])
        if asked and not asked.words:  # else the words may name the night
            return asked._replace(of_part_of_days=True)
    return _asked_for(text)


def _asked_for(text: str) -> CountQuestion | None:
    """What a text asks to be counted that says nothing of each day, week or month."""
    for match in matches(_FORMS, text):
        nick = named_part(match, "nick")
        if not nick or named_person(nick):
            words = named_part(match, "words").strip(" \"'")
            asked = CountQuestion(nick, words, only_links=bool(named_part(match, "links")))
            return _for_each(named_part(match, "per"), asked)
    return None


def _for_each(period: str, asked: CountQuestion) -> CountQuestion:
    """The same count for each such period; none has figures of its own for hours and weekdays."""
    if form(_WEEKDAY).fullmatch(period):
        return asked._replace(per="day", of_weekdays=True)
    return asked._replace(per="" if period.lower() == "hour" else period.lower())
