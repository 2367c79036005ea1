"""What the options of an import may decide: nothing that the files keep apart. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from terrarium_mcp.chat.identity import fold, is_channel
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.log_origin import folders_of_networks, undated_name
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
    placed = [one for one in contents if not one.origin.is_window]
    if choices.network:
        _require_one_network(choices.network, placed)
    if choices.channel:
        _require_one_channel(choices.channel, placed)
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


def _require_one_network(chosen: str, contents: Sequence[LogContent]) -> None:
    """Refuse a network for logs of several, by their paths or else by the folders that they lie in.

    Of a format without a folder for the network, any may be called so: only what would be put into
    one room is refused.
    """
    _require_one("network", chosen, (one.origin.network for one in contents))
    paths = defaultdict[str, dict[tuple[str, ...], str]](dict)
    for one in contents:
        if one.target and not one.origin.network:
            folders = folders_of_networks(one.file.name)
            paths[fold(one.target)].setdefault(folders, harmless(one.file.path))
    for several in paths.values():
        if len(several) > 1:
            raise MisplacedChoice(
                f"--network {shown(chosen)} would put together what the files keep apart:"
                f" {and_more([*several.values()], _NAMED)}. Import them one by one."
            )


def _require_one_channel(chosen: str, contents: Iterable[LogContent]) -> None:
    """Refuse a channel for logs of several, by their paths or else by what happens in them.

    Logs that tell none are of the channel that the operator says.
    """
    names = list[str]()
    told_in = defaultdict[str, set[str]](set)
    for one in contents:
        if is_channel(one.origin.target):
            names.append(one.origin.target)
        elif not one.origin.target:
            told_in[undated_name(one.file.name)] |= one.happens_in
            if len(one.happens_in) > 1:
                raise _several_channels(chosen, one)
    told = set().union(*told_in.values())
    has_silent = not all(told_in.values())
    _require_one("channel", chosen, [*names, *told, *([""] if has_silent else [])])


def _several_channels(chosen: str, content: LogContent) -> MisplacedChoice:
    names = and_more(sorted(map(shown, content.happens_in)), _NAMED)
    return MisplacedChoice(
        f"{harmless(content.file.path)}: --channel {shown(chosen)} would put together what its"
        f" lines keep apart: they name {names}. Write those of each channel into a file of its own."
        " If all are of one, name the file as the channel, e.g. #channel.log."
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
