"""Questions for the other nicks of a person: `what was ada renamed to?`, `ada's nicks`. Pure.

No line says so, and a query for the nick changes of one nick finds none of those to it.
"""

from terrarium_mcp.chat.questions.forms import BE, NICK, person_in

_NICK = rf"(?P<nick>{NICK}?)"
_NICKS = r"(?:nick(?:name)?s?|handles?|alias(?:es)?)"
_NAMES = rf"(?:{_NICKS}|names?)"
"""A name may be anything's: more has to show that a nick is meant."""

_OTHER = (
    r"(?:other|another|different|new|old|former|previous|earlier|current|latest|alternat(?:e|ive))"
)
_DID = r"(?:did|does|has|have|had)"
_ADVERBS = r"(?:(?:ever|also|just|since|already|been)\s+)*"
_WHEN = r"(?:(?:when|why|how\s+often|how\s+many\s+times|to\s+what|what)\s+)?"
_WHICH = rf"(?:which|what|how\s+many)\s+(?:{_OTHER}\s+)?{_NAMES}"
_CHANGE = rf"chang(?:ed?|ing)\s+(?:(?:his|her|their|its|the)\s+)?{_NAMES}"
_RENAME = r"renamed?(?:\s+(?:him|her|it|them)sel(?:f|ves))?"
_TO = r"(?:\s+(?:to|into|from))?"
_BEAR = r"(?:used?|using|have|had|taken?|took|go\s+by|gone\s+by|go\s+under|called)"
_KNOWN = r"(?:known|seen|called|here|around|active|online|recorded|talking|speaking)"
_ANY_OTHER = rf"(?:(?:some|any)thing\s+else|(?:an|any)?\s*other\s+{_NAMES})"
_LIST = r"(?:(?:(?:list|show|find)(?:\s+me)?|what(?:\s+(?:are|is|was|were)|['\u2019]s))\s+)?"
_ALL = r"(?:all\s+)?(?:of\s+)?(?:the\s+)?"
_OF_NICKS = rf"(?:(?:{_OTHER}\s+)+{_NAMES}|{_NICKS}|{_NAMES}\s+changes?)"
_AT_OTHER_TIMES = r"(?:before|earlier|previously|formerly|now|nowadays|these\s+days)"
_HERE_OR_NOW = (
    r"(?:\s+(?:here|now|currently|before|as|by|under|in\s+(?:here|(?:this|the)\s+channel)))*"
)

_FORMS = tuple(
    f"{pattern}{_HERE_OR_NOW}"
    for pattern in (
        rf"{_WHEN}{BE}\s+{_NICK}\s+{_ADVERBS}{_RENAME}{_TO}",
        rf"{_WHEN}{_DID}\s+{_NICK}\s+{_ADVERBS}(?:{_CHANGE}|{_RENAME}){_TO}",
        rf"(?:to\s+)?{_WHICH}\s+{_DID}\s+{_NICK}\s+{_ADVERBS}(?:changed?|{_RENAME}){_TO}",
        rf"{_WHICH}\s+(?:{_DID}|is|was)\s+{_NICK}\s+{_ADVERBS}{_BEAR}",
        rf"(?:which|what)\s+{_NICKS}\s+belong(?:s|ed)?\s+to\s+{_NICK}",
        rf"(?:under|by)\s+{_WHICH}\s+{BE}\s+{_NICK}\s+{_ADVERBS}{_KNOWN}",
        rf"wh(?:at|o)\s+(?:else\s+)?(?:is|was|has)\s+{_NICK}\s+{_ADVERBS}(?:called|known)\s+as",
        rf"who(?:['\u2019]s|\s+(?:is|was))\s+{_NICK}",
        rf"what\s+else\s+(?:is|was|has)\s+{_NICK}\s+{_ADVERBS}(?:called|known)",
        rf"what\s+(?:is|was)\s+{_NICK}\s+called\s+{_AT_OTHER_TIMES}",
        rf"what\s+(?:is|was)\s+{_NICK}\s+{_AT_OTHER_TIMES}\s+called",
        rf"(?:is|was)\s+{_NICK}\s+{_ADVERBS}known\s+(?:as|by|under)\s+{_ANY_OTHER}",
        rf"{_DID}\s+{_NICK}\s+{_ADVERBS}{_BEAR}\s+(?:(?:a|any|some)\s+)?{_OTHER}\s+{_NAMES}",
        rf"{_DID}\s+{_NICK}\s+{_ADVERBS}{_BEAR}\s+(?:(?:an|any)\s+)?alias(?:es)?",
        rf"{_LIST}{_ALL}{_NICK}['\u2019]s?\s+{_OF_NICKS}",
        rf"{_LIST}{_ALL}{_OF_NICKS}\s+(?:of|by|used\s+by)\s+{_NICK}",
        rf"{_LIST}{_ALL}{_NICKS}\s+(?:that\s+)?{_NICK}\s+{_DID}\s+{_ADVERBS}{_BEAR}",
    )
)


def other_names_of(text: str) -> str:
    """The nick, as written, whose other nicks a text asks for; "" if it asks for something else."""
    return person_in(_FORMS, text)
