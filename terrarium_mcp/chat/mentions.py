"""When a line speaks of somebody by nick."""

import re
from functools import lru_cache

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold

_OF_NICKS = r"\w\[\]\\`^{|}-"  # RFC 2812 2.3.1, and what networks allow besides


def mentions(text: str, nick: str, casemapping: str = DEFAULT_CASEMAPPING) -> bool:
    """Whether `text` holds `nick`, and not as a part of a longer one."""
    return _name(fold(nick, casemapping)).search(fold(text, casemapping)) is not None


@lru_cache(maxsize=100)  # asked for every line that may hold it
def _name(folded: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![{_OF_NICKS}]){re.escape(folded)}(?![{_OF_NICKS}])")
