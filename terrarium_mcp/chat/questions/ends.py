"""Questions for who said something first or last, or when it was said first or last. Pure.

Ranked lines do not tell; lines with the words, sorted by time, do.
"""

from typing import NamedTuple

from terrarium_mcp.chat.questions.forms import (
    NAMED_NICK,
    NAMED_WORDS,
    PRONOUN,
    form,
    matches,
    named_part,
    named_person,
)

_END = r"(?:first|(?P<last>last))"
_SAY = r"(?:say|mention|use|bring\s+up|suggest|(?:ask|complain)\s+about)"
_SAID = r"(?:said|mentioned|used|brought\s+up|suggested|(?:asked|complained)\s+about)"
_TOLD = rf"(?:{_SAID}|discussed|talked\s+about)"
_SOMEBODY = rf"(?:(?:some|any)(?:one|body)|we|people|folks|{NAMED_NICK})"
_THE = r"(?:wh(?:en|at)(?:['\u2019]s|\s+(?:is|was))\s+)?(?:the\s+)?"

_FORMS = (
    rf"who\s+{_SAID}\s+{NAMED_WORDS}\s+{_END}",
    rf"who\s+{_END}\s+{_SAID}\s+{NAMED_WORDS}",
    rf"who\s+(?:is|was)\s+(?:the\s+)?{_END}\s+(?:(?:one|person)\s+)?to\s+{_SAY}\s+{NAMED_WORDS}",
    rf"when\s+(?:was|were)\s+{NAMED_WORDS}\s+{_END}\s+{_TOLD}",
    rf"when\s+(?:was|were)\s+{NAMED_WORDS}\s+{_TOLD}\s+(?:for\s+)?the\s+{_END}\s+time",
    rf"when\s+did\s+{_SOMEBODY}\s+{_END}\s+(?:{_SAY}|(?:talk|speak)\s+about)\s+{NAMED_WORDS}",
    rf"{_THE}{_END}\s+time\s+(?:that\s+)?{_SOMEBODY}\s+(?:{_SAID}|(?:talked|spoke)\s+about)\s+{NAMED_WORDS}",
    rf"{_THE}{_END}\s+time\s+(?:that\s+)?{NAMED_WORDS}\s+(?:(?:was|were)\s+{_TOLD}|came\s+up)",
    rf"when\s+did\s+{NAMED_WORDS}\s+{_END}\s+come\s+up",
    rf"{_THE}{_END}\s+(?:mention|line|message)\s+(?:of|about|with)\s+{NAMED_WORDS}",
)


class EndQuestion(NamedTuple):
    """The words of which the first or the last line is asked for, and by whom; "" is anybody."""

    words: str
    is_for_last: bool = False
    nick: str = ""


def end_question(text: str) -> EndQuestion | None:
    """What a text asks for the first or last line of; None if it asks for something else."""
    for match in matches(_FORMS, text):
        nick = named_part(match, "nick")
        if nick and not named_person(nick):  # `when did she first say tea?`
            continue
        if form(PRONOUN).fullmatch(match["words"]):  # `when did it last come up?`
            continue
        words = match["words"].strip(" \"'")
        return EndQuestion(words, is_for_last=bool(match["last"]), nick=nick)
    return None
