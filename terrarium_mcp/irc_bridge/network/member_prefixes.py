"""Which members have which rank, as MODE lines change it (RFC 2811 4.1, ISUPPORT CHANMODES)."""

from collections.abc import Collection, Mapping, Sequence

Ranks = Mapping[str, Sequence[str]]
"""Nicks by the mode letter of a rank: `{"o": ["ada"], "v": []}`."""


def ranks_after(
    ranks: Ranks,
    modes: Sequence[str],
    *,
    ranking: Collection[str],
    kinds: Mapping[str, Collection[str]],
) -> dict[str, list[str]]:
    """`ranks` after a MODE; a mode whose argument is missing is ignored.

    Args:
        ranks: the ranks before it.
        modes: its parameters: letters and their arguments, as in `["+o-v", "ada", "bo"]`.
        ranking: the letters that are ranks.
        kinds: the letters that take an argument, by pydle's names for when they do.
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
    if letter in kinds["list"] or letter in kinds["param"]:
        return True
    return adding and letter in kinds["param_set"]
