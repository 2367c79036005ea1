"""Whether a line mentions a person by nick."""

import re
from functools import lru_cache

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, NICK_CHARACTERS, fold

_CALL = re.compile(rf"\s*@?([{NICK_CHARACTERS}]{{1,64}})\s?[:,>](?!//)")
"""How a line calls somebody. The colon is usual; clients also write a comma or a bracket. A URL
calls nobody."""


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
    return (text[found.end() :] if found else text).strip()


@lru_cache(maxsize=100)  # called for every line that may contain it
def _whole_nick(folded: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![{NICK_CHARACTERS}]){re.escape(folded)}(?![{NICK_CHARACTERS}])")
