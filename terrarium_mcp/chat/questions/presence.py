"""Questions for presence: when a person was last here, or spoke, and who is here now. Pure.

No line says that, so no words of the question find it.
"""

from terrarium_mcp.chat.questions.forms import NAMED_NICK, matches, person_in

_SOMEBODY = r"(?:anyone|anybody|someone|somebody|you|we|they|people)"
_LATELY = r"(?:\s+(?:lately|recently|today|around|here|this\s+\w+|in\s+here))*"

_LAST_TIME = r"(?:when\s+(?:is|was)\s+)?(?:the\s+)?last\s+time\s+(?:that\s+)?"
_SPOKE = r"(?:spoke|talked|wrote|posted|joined|showed\s+up|said\s+(?:some|any)thing)"

_FORMS = (
    rf"when\s+(?:was|is)\s+{NAMED_NICK}\s+last\s+(?:here|seen|active|around|online|on|in\s+.+)",
    rf"when\s+did\s+{NAMED_NICK}\s+last\s+(?:speak|talk|write|post|join|show\s+up|say\s+(?:some|any)thing)",
    rf"{_LAST_TIME}{NAMED_NICK}\s+(?:was\s+(?:here|seen|active|around|online)|{_SPOKE}){_LATELY}",
    rf"{_LAST_TIME}{_SOMEBODY}\s+(?:saw|heard\s+from|talked\s+to)\s+{NAMED_NICK}{_LATELY}",
    rf"when\s+did\s+{_SOMEBODY}\s+last\s+(?:see|hear\s+from|talk\s+to)\s+{NAMED_NICK}",
    rf"(?:has|have|did)\s+{_SOMEBODY}\s+(?:seen?|hear[d]?\s+from)\s+{NAMED_NICK}{_LATELY}",
    rf"is\s+{NAMED_NICK}\s+(?:still\s+)?(?:around|online|active)",
)

_PRESENT = r"(?:here|there|around|online|active|present|in\s+here|in\s+(?:the|this)\s+channel)"
_SPEAK = r"(?:sa(?:y|id)\s+(?:some|any)thing|speak|spoken|talk(?:ed)?|shown?\s+up)"
_AT_A_TIME = (
    rf"(?:was|were)\s+{NAMED_NICK}(?:\s+{_PRESENT})?",
    rf"(?:has|have)\s+{NAMED_NICK}\s+(?:ever\s+)?been(?:\s+{_PRESENT})?",
    rf"(?:did|has|have)\s+{NAMED_NICK}\s+(?:ever\s+)?{_SPEAK}(?:\s+here)?",
)
"""Of a time that is named, whose words may be the rest: `was ada around yesterday?`"""

_NOW = r"(?:\s+(?:all|currently|now|right|still|here|there|present|online|around|in|on))*"
_WHO_IS_HERE = (
    rf"who(?:'s|\s+is|\s+are){_NOW}",
    rf"how\s+many\s+(?:people|users|nicks|members)\s+are{_NOW}",
)


def asks_who_is_here(text: str) -> bool:
    """Whether a text, without the channel it names, asks who is there, or how many are."""
    return any(matches(_WHO_IS_HERE, text))


def last_seen_of(text: str) -> str:
    """The nick, as written, for whose presence a text asks; empty if it asks for something else."""
    return person_in(_FORMS, text)


def present_nick(text: str) -> str:
    """The nick, as written, of whom a text without its times asks whether they were here then."""
    return person_in(_AT_A_TIME, text)
