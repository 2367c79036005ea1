"""Who holds which rank in a channel, as MODE lines tell it (RFC 2811 4.1, ISUPPORT CHANMODES)."""

from collections.abc import Collection, Mapping, Sequence

Ranks = Mapping[str, Sequence[str]]
"""Nicks by the letter of the mode that ranks them: `{"o": ["ada"], "v": []}`."""


def ranks_after(
    ranks: Ranks,
    modes: Sequence[str],
    *,
    ranking: Collection[str],
    kinds: Mapping[str, Collection[str]],
) -> dict[str, list[str]]:
    """`ranks` after a MODE with the parameters `modes`; a missing argument costs only its own mode.

    Args:
        ranks: who held which rank before.
        modes: the mode letters and their arguments, as in `["+o-v", "ada", "bo"]`.
        ranking: the letters that rank a member.
        kinds: which letters take an argument, in pydle's words.
    """
    after = {letter: list(nicks) for letter, nicks in ranks.items()}
    letters, arguments = (modes[0], iter(modes[1:])) if modes else ("", iter(()))
    adding = True
    for letter in letters:
        if letter in "+-":
            adding = letter == "+"
        elif letter in ranking:
            _move(after.setdefault(letter, []), next(arguments, ""), adding=adding)
        elif _takes_argument(letter, kinds, adding=adding):
            next(arguments, "")
    return after


def _move(holders: list[str], nick: str, *, adding: bool) -> None:
    holders[:] = [holder for holder in holders if holder != nick]
    if adding and nick:
        holders.append(nick)


def _takes_argument(letter: str, kinds: Mapping[str, Collection[str]], *, adding: bool) -> bool:
    if letter in kinds.get("list", ()) or letter in kinds.get("param", ()):
        return True
    return adding and letter in kinds.get("param_set", ())
