"""Whether a line mentions a person by nick."""

import re
from functools import cache, lru_cache

from terrarium_mcp.chat.identity import BEHIND_NICK, DEFAULT_CASEMAPPING, NICK_CHARACTERS, fold
from terrarium_mcp.chat.scripts import RUN_TOGETHER

_CALL = re.compile(rf"\s*@?([{NICK_CHARACTERS}]{{1,64}})\s?[{BEHIND_NICK}>](?!//)")
"""How a line calls somebody. The colon is usual; clients also write a comma or a bracket. A URL
calls nobody."""

_GOES_ON = rf"(?![{RUN_TOGETHER}])[{NICK_CHARACTERS}]"
"""A character that makes another nick of the one beside it. Words that run together go on behind a
nick as a particle does, or the next word."""


def mentions(text: str, nick: str, casemapping: str = DEFAULT_CASEMAPPING) -> bool:
    """Whether `text` contains `nick`, and not as part of a longer one."""
    return _whole_nick(fold(nick, casemapping)).search(fold(text, casemapping)) is not None


def addressee(text: str) -> str:
    """The folded nick that a line calls at its beginning, such as `ada` in `ada: hi`; or ""."""
    found = _CALL.match(text)
    return fold(found[1]) if found else ""


def without_addressee(text: str) -> str:
    """What a line says, without the nick that it calls at its beginning."""
    found = _CALL.match(text)
    if found is None or _perhaps_a_clause().fullmatch(found[0]):
        return text.strip()
    return text[found.end() :].strip()


@cache
def _perhaps_a_clause() -> re.Pattern[str]:
    """What a call looks like that may as well be all that a line says before its first comma.

    Only lines that call somebody need it: to compile it takes as long as half a percent of a start.
    """
    return re.compile(rf"[^{RUN_TOGETHER}]*[{RUN_TOGETHER}].*[,\uff0c\u3001]", re.DOTALL)


@lru_cache(maxsize=100)  # called for every line that may contain it
def _whole_nick(folded: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!{_GOES_ON}){re.escape(folded)}(?!{_GOES_ON})")
