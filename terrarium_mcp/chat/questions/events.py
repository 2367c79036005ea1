"""Questions for what happened rather than for what was said: kicks, topics, joins, nicks. Pure.

No words of such a question find an event; a query with `type:` does.
"""

import re
from collections.abc import Iterable
from datetime import datetime, tzinfo
from itertools import chain
from typing import NamedTuple

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.questions.forms import BE, NAMED_NICK, form, named_part, named_person
from terrarium_mcp.chat.questions.narrowing import telling_clauses
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times

_WHEN = r"(?:(?:when|why|how(?:\s+often|\s+many\s+times)?|where|by\s+whom)\s+)?"
_WHO = r"(?:who|how\s+many\s+(?:people|persons|folks|users|members|nicks))"
_KICKED = (
    r"(?:kick(?:ed)?|boot(?:ed)?|eject(?:ed)?|expel(?:led)?"
    r"|thrown?\s+(?:out|off)|removed?\s+from\s+the\s+(?:channel|room))"
)
_BANNED = r"bann?(?:ed)?"
_TOPIC = r"(?:(?:current|latest|last)\s+)?(?:channel(?:['\u2019]s)?\s+)?topic"
_TO_WORDS = r"(?:\s+to\s+(?P<words>.+?))?"
"""What a topic was set to."""
_FOR_WORDS = r"(?:\s+for\s+(?P<words>.+?))?"
"""Why somebody was kicked."""

_OR = re.compile(r"(?P<one>.+?)\s+or\s+(?P<other>(?:was|were|is|did|has|had)\s.+)", re.IGNORECASE)
"""Two questions for what happened: `was eve kicked or did she leave?`"""

_PRONOUN = re.compile(r"\b(?:he|she|they|it)\b", re.IGNORECASE)

_PLACE = (
    r"(?:\s+(?:in|from|on|of|out|off|to|at|by|here|there|lately|recently|irc|last|again"
    r"|the|this|that|channel|room|[#&]\S+))*"
)
"""What may follow: the place, which is looked for elsewhere, and words that say nothing. Each word
fits in one way only, so that a stranger's thousand of them are read as fast as one."""


class _EventForm(NamedTuple):
    """How such a question is put, and what of it is looked for.

    `by_nick` says that the person named did it; otherwise it was done to them, and the text of the
    event names them.
    """

    pattern: str
    kinds: tuple[MessageType, ...] = ()
    words: tuple[Term, ...] = ()
    by_nick: bool = False

    def match(self, text: str) -> re.Match[str] | None:
        """The match of a whole question put so."""
        return form(f"{self.pattern}{_PLACE}").fullmatch(text)

    def query(self, nick: str, words: str = "") -> Query:
        """The query that finds the events; `nick` is "" for anybody, `words` are of their text."""
        sought = (*self.words, *([Term(nick)] if nick and not self.by_nick else []))
        return Query(
            clauses=(*((term,) for term in sought), *telling_clauses(words)),
            people=(nick,) if nick and self.by_nick else (),
            kinds=self.kinds,
        )


_KICK, _MODE, _RENAME = (MessageType.KICK,), (MessageType.MODE,), (MessageType.NICK,)
_LEAVE, _JOIN = (MessageType.PART, MessageType.QUIT), (MessageType.JOIN,)
_BAN = (Term("+b"),)
"""The text of a ban's event. It names a mask, seldom the nick."""

_QUIT = (MessageType.QUIT,)
_RENAMED = (
    r"(?:changed?\s+(?:(?:his|her|their|its)\s+)?nick(?:name)?s?"
    r"|renamed?\s+(?:himself|herself|themselves|itself))"
)
_SPLIT = r"(?:the\s+|that\s+|a\s+)?(?:last\s+)?net\s?split"


def _how_many(noun: str) -> str:
    """The question for the number of such events, which the query that finds them counts."""
    return rf"how\s+many\s+{noun}(?:\s+(?:were|are|have\s+(?:there\s+)?been))?"


def _rank_forms(verb: str, rank: str = "", mode: str = "") -> list[_EventForm]:
    """Questions for who was given a rank, or lost it: by how that is called, and what is given.

    Of a rank that is lost the text cannot be searched for: a minus excludes what follows it. Nor
    can it for a mute, which is `+q`, `+b %`, `+b m:` or `+b ~quiet:`, as the network has it.
    """
    words = (Term(mode, TermKind.PREFIX),) if mode else ()
    to_somebody = [rf"who\s+(?:(?:{BE})\s+)+{verb}", *_to_somebody(verb)]
    if rank:
        to_somebody += [
            rf"who\s+(?:has\s+)?(?:gave|given?)\s+{NAMED_NICK}\s+{rank}",
            rf"who\s+(?:has\s+)?(?:gave|given?)\s+{rank}\s+to\s+{NAMED_NICK}",
            rf"{_WHEN}did\s+{NAMED_NICK}\s+(?:get|become)\s+{rank}",
            rf"who\s+(?:has\s+)?(?:got|gets|became|become)\s+{rank}",
        ]
    return [
        *(_EventForm(one, _MODE, words) for one in to_somebody),
        *(_EventForm(one, _MODE, words, by_nick=True) for one in _by_somebody(verb)),
    ]


def _to_somebody(verb: str, somebody: str = NAMED_NICK) -> tuple[str, str]:
    """The questions for what was done to a person, such as `kicked`: by whom, when and why."""
    return (
        rf"who\s+(?:has\s+)?{verb}\s+{somebody}",
        rf"{_WHEN}{BE}\s+{somebody}\s+(?:{BE}\s+)*{verb}",
    )


def _by_somebody(verb: str) -> tuple[str, str]:
    """The questions for those to whom a person did something, such as `kicked`."""
    return (
        rf"whom?\s+(?:did|has)\s+{NAMED_NICK}\s+{verb}",
        rf"who\s+(?:(?:{BE})\s+)+{verb}\s+by\s+{NAMED_NICK}",
    )


_FORMS = (
    _EventForm(rf"{_WHO}\s+(?:(?:{BE})\s+)+{_KICKED}{_FOR_WORDS}", _KICK),
    *(_EventForm(one, _KICK) for one in _to_somebody(_KICKED)),
    _EventForm(rf"who\s+(?:has\s+)?thr(?:ew|own)\s+(?:out\s+)?{NAMED_NICK}(?:\s+off)?", _KICK),
    *(_EventForm(one, _KICK, by_nick=True) for one in _by_somebody(_KICKED)),
    _EventForm(rf"{_WHO}\s+(?:(?:{BE})\s+)+{_BANNED}", _MODE, _BAN),
    *(_EventForm(one, _MODE, _BAN) for one in _to_somebody(_BANNED, r"\S+")),
    *(_EventForm(one, _MODE, _BAN, by_nick=True) for one in _by_somebody(_BANNED)),
    _EventForm(rf"what(?:\s+is|\s+was|['\u2019]?s)\s+the\s+{_TOPIC}", (MessageType.TOPIC,)),
    _EventForm(rf"who\s+(?:set|changed)\s+the\s+{_TOPIC}{_TO_WORDS}", (MessageType.TOPIC,)),
    _EventForm(
        rf"{_WHEN}(?:was|did)\s+the\s+{_TOPIC}\s+(?:last\s+)?(?:set|changed?){_TO_WORDS}",
        (MessageType.TOPIC,),
    ),
    _EventForm(rf"{_WHO}\s+(?:has\s+|have\s+)?joined", _JOIN),
    _EventForm(rf"{_WHEN}did\s+{NAMED_NICK}\s+(?:first\s+)?join", _JOIN, by_nick=True),
    _EventForm(rf"{_WHO}\s+(?:has\s+|have\s+)?(?:left|parted|quit)", _LEAVE),
    _EventForm(rf"{_WHEN}did\s+{NAMED_NICK}\s+(?:leave|part|quit)", _LEAVE, by_nick=True),
    _EventForm(rf"when\s+(?:was|were|is)\s+{_SPLIT}", _QUIT),
    _EventForm(
        rf"{_WHO}\s+(?:(?:{BE})\s+)*(?:left|quit|lost)\s+(?:in|by|during)\s+{_SPLIT}", _QUIT
    ),
    _EventForm(rf"{_WHO}\s+(?:has\s+)?{_RENAMED}", _RENAME),
    _EventForm(rf"who\s+(?:has\s+)?{_RENAMED}\s+to\s+{NAMED_NICK}", _RENAME),
    _EventForm(
        rf"(?:what\s+|{_WHEN})(?:did|has)\s+{NAMED_NICK}\s+{_RENAMED}(?:\s+to)?",
        _RENAME,
        by_nick=True,
    ),
    _EventForm(_how_many("kicks"), _KICK),
    _EventForm(_how_many("bans"), _MODE, _BAN),
    _EventForm(_how_many("joins"), _JOIN),
    _EventForm(_how_many("quits"), _QUIT),
    *_rank_forms(r"op(?:ped)?", r"(?:an?\s+)?op(?:s|erator)?", "+o"),
    *_rank_forms(r"voiced?", r"voice", "+v"),
    *_rank_forms(r"(?:deop(?:ped)?|devoiced?|muted?|silenced?|quieted)"),
)

_FORMS_FOR_A_KICK = tuple(
    _EventForm(one, _KICK) for verb in (_BANNED, r"removed") for one in _to_somebody(verb)
)
"""Questions for something else that a kick may answer: the kick of who was banned has the person
and the reason, and who was removed from a named channel is asked for without its name."""

_MAY_ASK = re.compile(
    r"kick|boot|eject|expel|throw|threw|remove|bann?|mute|silence|quieted|voice"
    r"|topic|join|left|leave|part|quit|net\s?split|nick|rename"
    r"|\b(?:de)?op(?:s|ped|erator)?\b",
    re.IGNORECASE,
)


def may_ask_for_events(text: str) -> bool:
    """Whether a text holds a word of such a question: much cheaper than `event_query`."""
    return _MAY_ASK.search(text) is not None


def asks_for_events(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether a text, without the times it names, is such a question."""
    if not may_ask_for_events(text):
        return False
    rest = without_times(time_expressions(text, now, zone), text)
    return event_query(" ".join(rest.split())) is not None


def event_query(text: str) -> Query | None:
    """The query for the events that a question asks for, without its time; None for any other."""
    return _first_query(_FORMS, text)


def event_queries(text: str) -> list[Query]:
    """The queries that may find what a question asks for; none for a question of another kind.

    `Was eve kicked or did she leave` is two questions.
    """
    if queries := _queries(text):
        return queries
    both = _OR.fullmatch(text)
    if both is None:
        return []
    forms = (*_FORMS_FOR_A_KICK, *_FORMS)
    nick = next((_nick_in(found) for one in forms if (found := one.match(both["one"]))), "")
    asked = (both["one"], _PRONOUN.sub(lambda _: nick, both["other"], count=1))
    queries_of_each = [_queries(one) for one in asked]
    return [*chain(*queries_of_each)] if nick and all(queries_of_each) else []


def _queries(text: str) -> list[Query]:
    """The queries for a single question, each once."""
    found = (_first_query(forms, text) for forms in (_FORMS, _FORMS_FOR_A_KICK))
    return [*dict.fromkeys(query for query in found if query)]


def _first_query(forms: Iterable[_EventForm], text: str) -> Query | None:
    """The query of the first of these forms in which a question is put."""
    for one in forms:
        if match := one.match(text):
            return one.query(_nick_in(match), named_part(match, "words"))
    return None


def _nick_in(match: re.Match[str]) -> str:
    return named_person(named_part(match, "nick"))
