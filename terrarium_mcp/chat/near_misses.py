"""Near misses of a known word, one slip of the finger away: `!serch` for `!search`. Pure."""

from collections.abc import Collection

_SHORTEST = 4
"""Letters of a command that a slip may be near: most short words are near `who` or `ask`."""

_OTHER_WORDS = frozenset(
    (
        *("atop", "bing", "bore", "clean", "compacts", "contest", "contexts"),
        *("content", "core", "decent", "ding", "fore", "forge", "gore"),
        *("heap", "held", "hell", "helm", "helps", "kelp", "king", "lore", "mare", "mere"),
        *("mire", "mode", "mole", "mope", "mores", "morse", "move", "option", "pang", "pine"),
        *("pings", "pink", "pint", "pong", "pore", "quiets", "quilt", "quit", "quite", "recant"),
        *("resent", "ring", "seed", "seek", "seem", "seer", "sees", "sewn", "shop", "sing", "slop"),
        *("sore", "starch", "state", "statue", "step", "stops", "stow"),
        *("teen", "top", "tore", "whelp", "wing", "wore", "yelp", "zing"),
    )
)
"""English words one slip from a command: other bots have such commands (`!top`, `!contest`)."""


def nearest_command(word: str, commands: Collection[str]) -> str:
    """The first command that a word is one slip away from; "" if there is none.

    A word that is a command itself, or may well be one of another bot, is no slip.
    """
    if not word[:1].isalpha() or word in commands or word in _OTHER_WORDS:
        return ""
    long_enough = (name for name in commands if len(name) >= _SHORTEST)
    return next((name for name in long_enough if is_one_slip(word, name)), "")


def is_one_slip(word: str, name: str) -> bool:
    """Whether a word is a name, or one with a letter too many, too few or wrong, or two swapped.

    One edit at their first difference, if there is any, makes it that name.
    """
    alike = next((at for at, (a, b) in enumerate(zip(word, name, strict=False)) if a != b), None)
    start = min(len(word), len(name)) if alike is None else alike
    typed, meant = word[start:], name[start:]
    is_swapped = typed[:2] == meant[1::-1] and typed[2:] == meant[2:]
    return is_swapped or meant in (typed[1:], meant[:1] + typed, meant[:1] + typed[1:])
