"""What the options of an import may decide: nothing that the files keep apart. Pure."""

from collections.abc import Iterable, Sequence

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.planning import Choices
from terrarium_mcp.wording import and_more, did_you_mean, shown

_NAMED = 5
"""Names in one error; more are counted."""


class MisplacedChoice(TerrariumError):
    """An option does not suit the files that were found."""


def require_apart(contents: Sequence[LogContent], choices: Choices) -> None:
    """Refuse options that put together what the files keep apart, in one place or on one day.

    Private conversations keep their names whatever --channel says, and windows of a client name no
    channel, so neither counts as one.

    Raises:
        MisplacedChoice: an option would merge networks, channels or days.
    """
    places = [one.origin for one in contents if not one.origin.is_window]
    if choices.network:
        _require_one("network", choices.network, (place.network for place in places))
    if choices.channel:
        targets = (place.target for place in places)
        channels = (name for name in targets if not name or is_channel(name))
        _require_one("channel", choices.channel, channels)
    files = {one.file.path for one in contents if one.target}
    if choices.day and len(files) > 1:
        raise MisplacedChoice(
            f"--date {choices.day} is the day on which one file begins, and {len(files)} were"
            " found. Import them one by one."
        )


def require_renamed(contents: Sequence[LogContent], choices: Choices) -> None:
    """Refuse a new name for a channel that does not occur: the old one was mistyped.

    Raises:
        MisplacedChoice: no log, and no option, names the channel.
    """
    names = [choices.channel, *(one.origin.target for one in contents)]
    for old, new in choices.renamed.items():
        if old not in map(fold, names):
            raise MisplacedChoice(
                f"--map '{shown(old)}={shown(new)}': none of the logs that can be read is named"
                f" {shown(old)}.{did_you_mean(old, names)}"
            )


def _require_one(option: str, chosen: str, names: Iterable[str]) -> None:
    """Refuse a choice for several names; "" is the name of files that tell none.

    Those may belong to the one that the others name, but not both to a third.
    """
    spelt = {fold(name): shown(name) for name in names}
    told = [name for folded, name in sorted(spelt.items()) if folded]
    if len(spelt) < 2 or (len(told) == 1 and fold(chosen) in spelt):
        return
    named = and_more(told, _NAMED) + (", and some name none" if "" in spelt else "")
    raise MisplacedChoice(
        f"--{option} {shown(chosen)} would put together what the files keep apart: they name"
        f" {named}. Import them one by one, or leave --{option} out."
    )
