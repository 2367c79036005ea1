"""Questions for what happened rather than for what was said: kicks, bans, topics, joins. Pure.

No words of such a question find an event; a query with `type:` does.
"""

import re
from dataclasses import dataclass

from terrarium_mcp.chat.query import Query
from terrarium_mcp.chat.questions.forms import NICK, form, named_person
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.terms import Term

_NICK = rf"(?P<nick>{NICK})"
_WHEN = r"(?:(?:when|why|how|where|by\s+whom)\s+)?"
_BE = r"(?:was|were|is|are|got|has|have|had|been|did|get)"
_KICKED, _BANNED = r"kick(?:ed)?", r"bann?(?:ed)?"
_TOPIC = r"(?:channel(?:['\u2019]s)?\s+)?topic"
_PLACE = (
    r"(?:\s+(?:(?:in|from|on|of|out|off|to|at|by)\s+)*(?:here|there|lately|recently|irc|last|again"
    r"|(?:the\s+|this\s+|that\s+)?(?:channel|room)|[#&]\S+|from|in|on|of|out|off))*"
)
"""What may follow: the place, which is looked for elsewhere, and words that say nothing."""


@dataclass(frozen=True, slots=True)
class _EventForm:
    """How such a question is put, and what of it is looked for.

    `by_nick` says that the person named did it; otherwise it was done to them, and the text of the
    event names them.
    """

    pattern: re.Pattern[str]
    kinds: tuple[MessageType, ...] = ()
    words: tuple[str, ...] = ()
    by_nick: bool = False

    def query(self, nick: str) -> Query:
        """The query that finds the events; `nick` is "" for anybody."""
        sought = (*self.words, *([nick] if nick and not self.by_nick else []))
        return Query(
            clauses=tuple((Term(word),) for word in sought),
            people=(nick,) if nick and self.by_nick else (),
            kinds=self.kinds,
        )


def _form(pattern: str) -> re.Pattern[str]:
    return form(f"{pattern}{_PLACE}")


_KICK, _MODE = (MessageType.KICK,), (MessageType.MODE,)
_LEAVE, _JOIN = (MessageType.PART, MessageType.QUIT), (MessageType.JOIN,)
_BAN = ("+b",)
"""The text of a ban's event. It names a mask, seldom the nick."""

_FORMS = (
    _EventForm(_form(rf"who\s+(?:(?:{_BE})\s+)+{_KICKED}"), _KICK),
    _EventForm(_form(rf"who\s+{_KICKED}\s+{_NICK}"), _KICK),
    _EventForm(_form(rf"{_WHEN}{_BE}\s+{_NICK}\s+(?:{_BE}\s+)*{_KICKED}"), _KICK),
    _EventForm(_form(rf"whom?\s+(?:did|has)\s+{_NICK}\s+{_KICKED}"), _KICK, by_nick=True),
    _EventForm(_form(rf"who\s+(?:(?:{_BE})\s+)+{_BANNED}"), _MODE, _BAN),
    _EventForm(_form(rf"who\s+{_BANNED}\s+\S+"), _MODE, _BAN),
    _EventForm(_form(rf"{_WHEN}{_BE}\s+\S+\s+(?:{_BE}\s+)*{_BANNED}"), _MODE, _BAN),
    _EventForm(_form(rf"whom?\s+(?:did|has)\s+{_NICK}\s+{_BANNED}"), _MODE, _BAN, by_nick=True),
    _EventForm(_form(rf"what(?:\s+is|\s+was|['\u2019]?s)\s+the\s+{_TOPIC}"), (MessageType.TOPIC,)),
    _EventForm(_form(rf"who\s+(?:set|changed)\s+the\s+{_TOPIC}"), (MessageType.TOPIC,)),
    _EventForm(
        _form(rf"{_WHEN}(?:was|did)\s+the\s+{_TOPIC}\s+(?:last\s+)?(?:set|changed?)"),
        (MessageType.TOPIC,),
    ),
    _EventForm(_form(r"who\s+(?:has\s+|have\s+)?joined"), _JOIN),
    _EventForm(_form(rf"{_WHEN}did\s+{_NICK}\s+(?:first\s+)?join"), _JOIN, by_nick=True),
    _EventForm(_form(r"who\s+(?:has\s+|have\s+)?(?:left|parted|quit)"), _LEAVE),
    _EventForm(_form(rf"{_WHEN}did\s+{_NICK}\s+(?:leave|part|quit)"), _LEAVE, by_nick=True),
)

_MAY_ASK = re.compile(r"kick|bann?|topic|join|left|leave|part|quit", re.IGNORECASE)


def may_ask_for_events(text: str) -> bool:
    """Whether a text holds a word of such a question: much cheaper than `event_query`."""
    return _MAY_ASK.search(text) is not None


def event_query(text: str) -> Query | None:
    """The query for the events that a question asks for, without its time; None for any other."""
    for one in _FORMS:
        if match := one.pattern.fullmatch(text):
            return one.query(named_person(match.groupdict().get("nick") or ""))
    return None
