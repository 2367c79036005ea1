"""Questions for how much was said, and who said most. Pure.

A search does not count; the figures do.
"""

from typing import NamedTuple

from terrarium_mcp.chat.questions.forms import NICK, form, named_person

_NICK = rf"(?P<nick>{NICK})"
_WORDS = r"(?P<words>.+?)"
_DID = r"(?:did|does|has|had)"
_OFTEN = r"how\s+(?:often|many\s+times)"
_LINES = r"how\s+(?:many\s+(?:lines|messages)|much)"
_SAY = r"(?:say|said|mention|mentioned|write|written|use|used|talk(?:ed)?\s+about)"
_SEND = r"(?:say|said|write|written|post|posted|send|sent|talk|talked)"
_SPEAK = (
    r"(?:speaks?|spoke|talks?|talked|talking|says?|said|writes?|wrote|posts?|posted|chats?|chatted)"
)
_MOST = r"(?:the\s+)?most(?:\s+(?:lines|messages|often))?"
_HERE = r"(?:\s+(?:here|overall|of\s+all|in\s+(?:here|(?:this|the)\s+channel)))*"

_FORMS = tuple(
    f"{pattern}{_HERE}"
    for pattern in (
        rf"who\s+(?:(?:has|have|is|was)\s+)?{_SPEAK}\s+{_MOST}",
        r"who(?:'s|\s+(?:is|are|was|were))\s+(?:the\s+)?most\s+(?:active|talkative)",
        r"who\s+(?:is|are|was|were)\s+the\s+(?:top|biggest)\s+(?:talker|speaker|poster)s?",
        rf"{_OFTEN}\s+{_DID}\s+{_NICK}\s+(?:ever\s+)?{_SAY}\s+{_WORDS}",
        rf"{_OFTEN}\s+(?:is|are|was|were|has|have)\s+{_WORDS}\s+(?:been\s+)?(?:said|mentioned)",
        rf"{_LINES}\s+{_DID}\s+{_NICK}\s+{_SEND}",
        rf"{_LINES}\s+(?:is|are|was|were|ha(?:s|ve)\s+been)\s+(?:there|said|written|posted|sent)",
    )
)


class CountQuestion(NamedTuple):
    """What to count: the lines of a nick, or with some words; of neither, all lines."""

    nick: str = ""
    words: str = ""


def count_question(text: str) -> CountQuestion | None:
    """What a text asks to be counted, without its time and channel; None if for no count."""
    for pattern in _FORMS:
        if match := form(pattern).fullmatch(text):
            found = match.groupdict()
            nick = found.get("nick") or ""
            if not nick or named_person(nick):
                return CountQuestion(nick, (found.get("words") or "").strip(" \"'"))
    return None
