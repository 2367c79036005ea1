"""Similar nicks: whom a nick that nobody has may mean. Pure."""

import difflib
from collections.abc import Sequence

from terrarium_mcp.chat.terms import normalized

SIGNS = "[]{}\\|^`_-~"
"""What people put around a nick when it is taken, or to stand out (RFC 2812 2.3.1).

Those of `disentanglement.words.NICK_PUNCTUATION`, and `~`: the weights there were learnt without.
"""

_MOST_CHANGED = 2
"""Letters of a nick that a slip changes, adds or leaves out."""

_WITHOUT_SIGNS = str.maketrans("", "", SIGNS)


def plain_start(nick: str) -> str:
    """The first letter of a nick behind its signs, in lower case and without its accent."""
    return normalized(nick.lstrip(SIGNS))[:1]


def is_nearly(nick: str, other: str) -> bool:
    """Whether one or two letters make one nick the other: more is another word, not a slip."""
    blocks = difflib.SequenceMatcher(None, nick, other, autojunk=False).get_matching_blocks()
    return max(len(nick), len(other)) - sum(block.size for block in blocks) <= _MOST_CHANGED


def similar_nicks(nick: str, known: Sequence[str]) -> list[str]:
    """Those of the known nicks that a folded nick may mean, the likeliest first.

    First those that differ only in signs, case and accents, in their order: `{eve}`, `eve_` and
    `ève` for `eve`. Then those spelt most like it. All begin with the same letter.
    """
    alike: dict[str, list[str]] = {}
    for one in known:
        if one[:1] == nick[:1] or plain_start(one) == plain_start(nick):
            alike.setdefault(normalized(one), []).append(one)
    plain = normalized(nick)
    bare = plain.translate(_WITHOUT_SIGNS)
    same = [one for one in alike if bare and one.translate(_WITHOUT_SIGNS) == bare]
    close = difflib.get_close_matches(plain, list(alike), max(1, len(alike)))
    return [nick for one in dict.fromkeys([*same, *close]) for nick in alike[one]]
