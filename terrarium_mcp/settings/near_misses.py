"""Near misses of the names of settings, which would otherwise go unnoticed. Pure."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

OF_IRC_CLIENTS = frozenset({"IRCNICK", "IRCSERVER", "IRCNAME", "IRCUSER", "IRCPORT"})
"""Variables that irssi, ircII and their kin read: in an environment they are meant for those."""

_NEAR = 0.8
"""difflib's likeness from which a name is a near miss: `IRC_NIK` has 0.93 with IRC_NICK,
`AGENT_URL` 0.82 with AGENT_API_URL, and `CDPATH`, which shells read, 0.77 with DB_PATH."""

_SAME_MEANING = {
    "IRC_HOST": "IRC_SERVER",
    "IRC_TLS": "IRC_USE_SSL",
    "IRC_SSL": "IRC_USE_SSL",
    "IRC_USE_TLS": "IRC_USE_SSL",
    "AGENT_API_BASE": "AGENT_API_URL",
    "AGENT_BASE_URL": "AGENT_API_URL",
}
"""Names that other bots use, and that are not spelt alike: or more like another setting."""


def near_misses(names: Iterable[str], settings: Collection[str]) -> dict[str, str]:
    """The names that are nearly one of `settings`, each with the one it resembles."""
    return {name: near for name in names if (near := _nearest(name.upper(), settings))}


def _nearest(name: str, settings: Collection[str]) -> str:
    """The setting that a name resembles; empty if it is one itself, or resembles none."""
    if name in settings:
        return ""
    if name in _SAME_MEANING:
        return _SAME_MEANING[name]
    return next(iter(get_close_matches(name, settings, n=1, cutoff=_NEAR)), "")
