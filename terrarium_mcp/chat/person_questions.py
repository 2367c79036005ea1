"""Questions for what somebody said: `what did ada say last week?` Pure.

No line says what the question says, so no words of it find one: the person and the time do.
"""

import re
from dataclasses import dataclass

from terrarium_mcp.chat.english import is_stop_word

_NICK = r"(?P<nick>[^\s,;:?!\"()]+)"
_TO = r"(?:\s+to\s+(?P<to>[^\s,;:?!\"()]+))?"
_TOLD = r"\s+(?P<to>[^\s,;:?!\"()]+)"
_HAVE = r"(?:did|does|do|has|have|had)"
_OFTEN = r"(?:ever\s+|been\s+|just\s+|all\s+|else\s+)*"
_SAY = r"(?:say|said|saying|write|written|wrote|writing|post|posted|talk\s+about|talking\s+about)"
_THINK = r"(?:think|thought|mention|mentioned|suggest|suggested|recommend|recommended)"
_TELL = r"(?:tell|told|answer|answered|ask|asked|reply\s+to|replied\s+to|answer\s+to)"
_LAST = r"(?P<last>last|latest|newest|most\s+recent)"
_LINE = r"(?:thing|line|message|comment|word)s?"
_LINK = r"(?P<links>(?:links?|urls?))"
_PASTE = r"(?:post|posted|paste|pasted|share|shared|send|sent|drop|dropped|give|gave|link|linked)"
_SHOW = r"(?:(?:what(?:'s|\s+is|\s+was|\s+were)?|show(?:\s+me)?|give\s+me|find)\s+)?(?:the\s+)?"

_NOBODY = frozenset(
    "us everyone everybody anyone anybody someone somebody people folks who it".split()  # noqa: SIM905 -- shorter
)
"""Words in the place of a nick that name nobody, beside stop words."""

_FORMS = tuple(
    re.compile(rf"\s*{form}[\s?!.]*", re.IGNORECASE)
    for form in (
        rf"what\s+{_OFTEN}{_HAVE}\s+{_NICK}\s+{_OFTEN}{_SAY}{_TO}",
        rf"what\s+{_HAVE}\s+{_NICK}\s+{_OFTEN}(?:{_SAY}|{_THINK})\s+(?:about|of|on)\s+(?P<about>.+?)",
        rf"what\s+(?:was|is)\s+{_NICK}\s+(?:saying|talking\s+about)",
        rf"what\s+{_HAVE}\s+{_NICK}\s+{_OFTEN}{_TELL}{_TOLD}",
        rf"(?:what|which)\s+{_LINK}\s+{_HAVE}\s+{_NICK}\s+{_OFTEN}{_PASTE}",
        rf"{_SHOW}{_LINK}\s+(?:by|from|that)\s+{_NICK}(?:\s+{_PASTE})?",
        rf"{_SHOW}{_LAST}\s+{_LINE}\s+(?:that\s+)?{_NICK}\s+(?:said|wrote|posted)",
        rf"{_SHOW}{_LAST}\s+{_LINE}\s+(?:by|from|of)\s+{_NICK}",
        rf"{_SHOW}(?:everything|anything|all|lines|messages)\s+(?:that\s+)?{_NICK}\s+(?:said|wrote)",
        rf"{_SHOW}(?:everything|anything|all|lines|messages)\s+(?:by|from)\s+{_NICK}",
    )
)


@dataclass(frozen=True, slots=True)
class WhatSomebodySaid:
    """A question for what `nick` said: to somebody, about something, the links, or what came last.

    The names and the topic are as written, and empty where the question has none.
    """

    nick: str
    to: str = ""
    about: str = ""
    only_links: bool = False
    is_for_last: bool = False


def what_somebody_said(text: str) -> WhatSomebodySaid | None:
    """What somebody said, if a text asks for that; without the words for a time and a channel."""
    for form in _FORMS:
        if match := form.fullmatch(text):
            found = match.groupdict()
            nick, to = found["nick"], found.get("to") or ""
            if any(map(_names_nobody, filter(None, (nick, to)))):
                return None
            return WhatSomebodySaid(
                nick,
                to,
                found.get("about") or "",
                only_links=bool(found.get("links")),
                is_for_last=bool(found.get("last")),
            )
    return None


def _names_nobody(word: str) -> bool:
    return word.lower() in _NOBODY or is_stop_word(word.lower())
