"""Questions for what a person said: `what did ada say last week?` Pure.

No line says what the question says, so no words of it find one: the person and the time do.
"""

from typing import NamedTuple

from terrarium_mcp.chat.english.calendar_words import COUNT_WORD
from terrarium_mcp.chat.english.words import is_stop_word
from terrarium_mcp.chat.question import asks_what_was_said
from terrarium_mcp.chat.questions.forms import (
    DID_OR_HAS,
    NICK,
    OTHER_NICKS,
    form,
    matches,
    named_part,
    named_person,
    nicks_among,
)

_NICK = rf"(?P<nick>{NICK}){OTHER_NICKS}"
_TO = rf"(?:\s+to\s+(?P<to>{NICK}))?"
_TOLD = rf"\s+(?P<to>{NICK})"
_ADVERBS = r"(?:ever\s+|been\s+|just\s+|all\s+|else\s+)*"
_SAY = r"(?:say|said|saying|write|written|wrote|writing|post|posted|talk\s+about|talking\s+about)"
_THINK = r"(?:think|thought|mention|mentioned|suggest|suggested|recommend|recommended)"
_HAVE_ONCE = r"(?:did|has|have|had)"
_ASK = r"(?:mention(?:ed)?|announced?|ask(?:ed)?)"
"""Verbs that no line meant shows. `I recommend the X220` does, and programs find and report."""

_TELL = r"(?:tell|told|answer|answered|ask|asked|reply\s+to|replied\s+to|answer\s+to)"
_END = (
    r"(?:(?P<last>last|latest|newest|(?:most\s+)?recent)"
    r"|(?:very\s+)?(?P<first>first|oldest|earliest))"
)
_LAST = r"(?:(?P<last>last|most\s+recently)|(?P<first>first))"
_MANY = rf"(?:(?:\d{{1,4}}|{COUNT_WORD})\s+(?:of\s+)?)?"
_LINE = rf"{_MANY}(?:thing|line|message|comment|word)s?"
_LINK = r"(?P<links>links?|urls?)"
_LINKS = r"(?P<links>links|urls)"
_PASTE = r"(?:post|posted|paste|pasted|share|shared|send|sent|drop|dropped|give|gave|link|linked)"
_HERE_OR_LATELY = r"(?:\s+(?:here|there|lately|recently|in\s+(?:here|(?:this|the)\s+channel)))*"
_EVER = r"(?:\s+(?:that|was|were|been|ever|here|there|said|written|posted|sent|recorded|logged))*"
_SPEAK = r"(?:speak|talk|write|post|chat|appear|show\s+up|say\s+(?:something|anything|a\s+word))"
_FIND = r"(?:show|list|find|give)(?:\s+me)?"
_ALL = r"(?:all\s+)?(?:the\s+)?"
_SHOW = rf"(?:(?:what(?:'s|\s+is|\s+are|\s+was|\s+were)?|{_FIND})\s+)?{_ALL}"
_WERE_SHARED = (
    r"(?:\s+(?:that\s+)?(?:(?:were|was|have\s+been|got)\s+)?"
    r"(?:posted|pasted|shared|sent|dropped|given|mentioned))?"
)
_ANY_LINK = rf"(?:{_SHOW}|(?:any|which)\s+){_LINK}"

_ANYBODY = r"(?:every(?:one|body)|any(?:one|body)|people|folks)(?:\s+else)?"
_EXCEPT = r"(?P<except>not(?=\s+(?:by|from)\b)|except(?:\s+for)?|but|other\s+than|apart\s+from)"
"""In front of nicks whose lines are the only ones not asked for."""

_SHOW_THE = rf"(?:(?:what(?:'s|\s+is|\s+was)|{_FIND})\s+(?:the\s+)?|the\s+)"

_FORMS = (
    rf"what\s+{_ADVERBS}{DID_OR_HAS}\s+{_NICK}\s+{_ADVERBS}{_SAY}{_TO}",
    rf"what\s+{_ADVERBS}{_HAVE_ONCE}\s+{_NICK}\s+{_ADVERBS}{_ASK}{_TO}",
    rf"what\s+{_HAVE_ONCE}\s+{_NICK}\s+(?:{_SAY}|{_ASK})\s+{_LAST}",
    rf"what\s+{_HAVE_ONCE}\s+{_NICK}\s+{_LAST}\s+(?:{_SAY}|{_ASK})",
    rf"what\s+{_HAVE_ONCE}\s+{_NICK}\s+{_ADVERBS}ask(?:ed)?\s+about",
    rf"what\s+{DID_OR_HAS}\s+{_NICK}\s+{_ADVERBS}(?:{_SAY}|{_THINK})\s+(?:about|of|on)\s+(?P<about>.+?)",
    rf"what\s+{_HAVE_ONCE}\s+{_NICK}\s+{_ADVERBS}{_ASK}\s+(?:about|of|on)\s+(?P<about>.+?)",
    rf"what\s+(?:was|is)\s+{_NICK}\s+(?:saying|talking\s+about)",
    rf"what\s+(?:was|is|{DID_OR_HAS}\s+been)\s+(?:said|written|posted)\s+by\s+{_NICK}{_HERE_OR_LATELY}",
    rf"what\s+{DID_OR_HAS}\s+{_NICK}\s+{_ADVERBS}{_TELL}{_TOLD}",
    rf"(?:what|which)\s+{_LINK}\s+{DID_OR_HAS}\s+{_NICK}\s+{_ADVERBS}{_PASTE}",
    rf"{_SHOW}{_LINK}\s+(?:by|from|that)\s+{_NICK}(?:\s+{_PASTE})?",
    rf"{_ANY_LINK}{_WERE_SHARED}\s+(?:by|from)\s+{_NICK}",
    rf"(?:what|which|any|{_FIND})\s+{_ALL}{_LINK}{_WERE_SHARED}{_HERE_OR_LATELY}",
    rf"{_SHOW}{_END}\s+{_MANY}{_LINKS}{_WERE_SHARED}{_HERE_OR_LATELY}",
    rf"{_SHOW_THE}{_END}\s+{_LINK}{_WERE_SHARED}{_HERE_OR_LATELY}",
    rf"{_SHOW}{_END}\s+{_MANY}{_LINK}\s+(?:by|from)\s+{_NICK}",
    rf"{_SHOW}(?:{_END}\s+{_MANY})?{_LINK}\s+(?:that\s+)?{_NICK}\s+{_PASTE}",
    rf"{_SHOW}{_NICK}['\u2019]s\s+(?:{_END}\s+{_MANY})?{_LINK}",
    rf"(?:what(?:'s|\s+is|\s+are|\s+was|\s+were)|{_FIND})\s+{_ALL}{_END}\s+{_LINE}{_EVER}",
    rf"who\s+(?:is|was)\s+the\s+{_END}\s+(?:(?:one|person)\s+)?to\s+{_SPEAK}{_HERE_OR_LATELY}",
    rf"who\s+(?:spoke|talked|wrote|posted|said\s+(?:something|anything))\s+{_LAST}{_HERE_OR_LATELY}",
    rf"{_ALL}{_END}\s+{_MANY}(?:lines|messages){_EVER}(?:\s+(?:from|of))?",
    rf"{_SHOW}{_END}\s+{_LINE}\s+(?:that\s+)?{_NICK}\s+{_ADVERBS}(?:said|wrote|posted)",
    rf"{_SHOW}{_END}\s+{_LINE}\s+(?:by|from|of)\s+{_NICK}",
    rf"{_SHOW}{_NICK}['\u2019]s\s+(?:{_END}\s+{_LINE}|lines|messages)",
    rf"when\s+did\s+{_NICK}\s+(?P<first>first)\s+(?:ever\s+)?{_SPEAK}",
    rf"when\s+(?:was|is)\s+{_NICK}\s+(?P<first>first)\s+(?:ever\s+)?(?:seen|heard|here|around){_HERE_OR_LATELY}",
    rf"{_SHOW}(?:everything|anything|all|lines|messages)\s+(?:that\s+)?{_NICK}\s+(?:said|wrote)",
    rf"{_SHOW}(?:everything|anything|all|lines|messages)\s+(?:by|from)\s+{_NICK}",
    rf"(?P<general>what\s+{_ADVERBS}{DID_OR_HAS}\s+{_ANYBODY})\s+{_EXCEPT}\s+{_NICK}\s+{_ADVERBS}{_SAY}",
    rf"(?P<general>\S.*?)\s+(?:{_EXCEPT}\s+(?:by\s+|from\s+)?|(?<!not\s)(?:by|from)\s+){_NICK}",
)
"""A text that is `general` has no word but those that ask for whatever was said."""

_OF_A_CHANNEL = rf"{_ALL}{_END}\s+(?:line|message){_EVER}"
"""The question for a single line where a channel is named: elsewhere these may be two words."""

_OF_A_TIME = rf"{_ALL}{_LINKS}{_WERE_SHARED}{_HERE_OR_LATELY}"
"""The question for links where a time is named: elsewhere `links` is a word, and a program."""

_ONE = rf"(?P<nick>{NICK}?)"
_TOPIC = r"\s+(?:about|on|for|to|with|after|before|during|when|since)\s+(?P<words>\S(?:.*?\S)?)"
_ABOUT_LINKS = (
    rf"{_ANY_LINK}{_TOPIC}{_WERE_SHARED}\s+(?:by|from)\s+{_ONE}",
    *(
        f"{pattern}{_TOPIC}{_WERE_SHARED}{_HERE_OR_LATELY}"
        for pattern in (
            _ANY_LINK,
            rf"{_ANY_LINK}{_WERE_SHARED}\s+(?:(?:{_PASTE})\s+)?(?:by|from)\s+{_ONE}",
            rf"{_ANY_LINK}\s+(?:that\s+)?{_ONE}\s+{_PASTE}",
            rf"(?:what|which)\s+{_LINK}\s+{DID_OR_HAS}\s+{_ONE}\s+{_ADVERBS}{_PASTE}",
            rf"{_SHOW}{_ONE}['\u2019]s\s+{_LINK}",
            rf"who\s+(?:has\s+|have\s+)?{_PASTE}\s+(?:(?:an?|any|the|some)\s+)?{_LINK}",
        )
    ),
)
"""The questions for links with a topic, which some of the lines with a link have."""

_OF_THEM = rf"what\s+{_ADVERBS}{DID_OR_HAS}\s+(?:(?:they|she|he)\s+)?{_ADVERBS}{_SAY}"
"""The question for the words of somebody whom an operator names."""

_SAID_ONCE = rf"what\s+{_ADVERBS}{_HAVE_ONCE}\s+{_NICK}\s+{_ADVERBS}{_SAY}\b.*"
"""The question for what a person said: only people did."""


class PersonQuestion(NamedTuple):
    """A question for what `nick` said: to somebody, about something, the links, or the last of it.

    With `others` it is for what each of them said, too; `is_for_others`: for what all but they
    said. The names and the topic are as written, and empty where the question has none: without
    `nick` it is for what everybody said. A general one, such as `any news from ada`, may mean its
    words.
    """

    nick: str
    to: str = ""
    about: str = ""
    only_links: bool = False
    is_for_first: bool = False
    is_for_last: bool = False
    is_general: bool = False
    is_for_others: bool = False
    others: tuple[str, ...] = ()

    @property
    def nicks(self) -> tuple[str, ...]:
        """All whose words it is for; none if it is for what everybody said."""
        return (self.nick, *self.others) if self.nick else ()


def person_question(
    text: str, *, of_a_channel: bool = False, of_a_time: bool = False
) -> PersonQuestion | None:
    """What a person said, if a text asks for that; without the words for a time and a channel.

    With `of_a_channel` and `of_a_time` it named one.
    """
    named = ((of_a_channel, _OF_A_CHANNEL), (of_a_time, _OF_A_TIME))
    patterns = (*(one for is_named, one in named if is_named), *_FORMS)
    for match in matches(patterns, text):
        general = named_part(match, "general")
        if general and not asks_what_was_said(general):
            continue
        nick, to = named_part(match, "nick"), named_part(match, "to")
        others = nicks_among(named_part(match, "others"))
        if any(name and not named_person(name) for name in (nick, to, *others)):
            return None
        return PersonQuestion(
            nick,
            to,
            named_part(match, "about"),
            only_links=bool(named_part(match, "links")),
            is_for_first=bool(named_part(match, "first")),
            is_for_last=bool(named_part(match, "last")),
            is_general=bool(general),
            is_for_others=bool(named_part(match, "except")),
            others=others,
        )
    return None


def names_a_stop_word(text: str) -> bool:
    """Whether a text asks for the words of somebody called as a verb is: `what did will say`.

    The others of its words alone ask for whatever was said.
    """
    asked = person_question(text)
    return asked is not None and any(is_stop_word(nick.lower()) for nick in asked.nicks)


class LinkQuestion(NamedTuple):
    """A question for the links with a topic; `nick` is "" for those of everybody."""

    topic: str
    nick: str = ""


def link_questions(text: str) -> list[LinkQuestion]:
    """The topic of the links for which a text asks, and who gave them; none if it has no topic.

    `Links about moving from windows` has two readings, the first that of links from somebody.
    """
    found = matches(_ABOUT_LINKS, text)
    read = [(one["words"], named_part(one, "nick")) for one in found]
    return [LinkQuestion(words, nick) for words, nick in read if not nick or named_person(nick)]


def names_a_speaker(text: str) -> bool:
    """Whether a text asks what a person said: a nick in it is one, even if nobody has it."""
    return form(_SAID_ONCE).fullmatch(text) is not None


def asks_for_their_words(text: str) -> bool:
    """Whether a text asks what they said whom operators name, as in `what did from:ada say`."""
    return form(_OF_THEM).fullmatch(text) is not None
