"""Similar nicks: whom a nick that nobody has may mean. Pure."""

import difflib
from collections.abc import Sequence

SIGNS = "[]{}\\|^`_-~"
"""What people put around a nick when it is taken, or to stand out (RFC 2812 2.3.1)."""

_WITHOUT_SIGNS = str.maketrans("", "", SIGNS)


def similar_nicks(nick: str, known: Sequence[str]) -> list[str]:
    """Those of the known nicks that a folded nick may mean, the likeliest first.

    First those that differ only in signs, in their order: `{eve}` and `eve_` for `eve`. Then those
    spelt most like it.
    """
    bare = nick.translate(_WITHOUT_SIGNS)
    same = [one for one in known if bare and one.translate(_WITHOUT_SIGNS) == bare]
    close = difflib.get_close_matches(nick, known, max(1, len(known)))
    return list(dict.fromkeys([*same, *close]))
