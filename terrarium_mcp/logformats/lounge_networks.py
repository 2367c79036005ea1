"""The names that The Lounge knows of networks and channels: only its file of the user has them all.

Its database has ids of networks, and the names of its folders and files of text are cleaned.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.files import LogFile
from terrarium_mcp.logformats.planning import PlannedLog
from terrarium_mcp.logformats.text.thelounge import THE_LOUNGE

_UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading a file raises that is missing, or is not as The Lounge writes it."""

_LONGEST_NAME = 23
"""Characters of a network's name that are in the name of its folder. The end of its id follows."""

_REPLACED = re.compile(r'[<>:"/\\|?*\x00-\x1f\x80-\x9f]|\A\.+')
_REPEATED = re.compile("__+")
_OUTER = re.compile(r"\A_|_\Z")
"""What the library filenamify 4 removes or puts there, in its order."""


class LoungeNetwork(NamedTuple):
    """A network of a user: its id, its name, and the channels that the user is in."""

    uuid: str
    name: str
    channels: Sequence[str]


def networks_of(home: Path, user: str) -> Sequence[LoungeNetwork]:
    """The networks in `users/<user>.json` of a home of The Lounge; none if it cannot be read."""
    with suppress(*_UNREADABLE):
        told = json.loads((home / "users" / f"{user}.json").read_text("utf-8"))
        return [_network(one) for one in told["networks"]]
    return ()


def _network(told: dict[str, Any]) -> LoungeNetwork:
    channels = [str(one["name"]) for one in told.get("channels") or ()]
    return LoungeNetwork(str(told["uuid"]), str(told["name"]), channels)


def truly_named(log: PlannedLog, choices: Choices) -> PlannedLog:
    """The log; one of The Lounge under the names of its network and channel, if they are known.

    So it is of the same channel as the database, which The Lounge writes besides. What options
    name stays.
    """
    network = _network_of(log.file) if log.format is THE_LOUNGE else None
    if not network:
        return log
    named = replace(
        log,
        origin=log.origin._replace(network=network.name),
        network=choices.network or network.name,
    )
    if log.target != log.origin.target:  # an option names it
        return named
    channels = [one for one in network.channels if _cleaned(one) == log.target]
    if len({fold(one) for one in channels}) != 1:
        return named
    target = choices.renamed.get(fold(channels[0]), channels[0])
    return replace(named, target=target, is_spelt=True)


def _network_of(file: LogFile) -> LoungeNetwork | None:
    """The network of `logs/<user>/<network>-<end of its id>/<channel>.log`."""
    folder, user, _, home, *_ = [*file.stored.absolute().parents, *[Path()] * 4]
    networks = networks_of(home, user.name)
    return next((one for one in networks if _is_its_folder(folder.name, one.uuid)), None)


def _is_its_folder(folder: str, uuid: str) -> bool:
    """Whether a folder's name ends as an id does, behind a name that has taken the place before."""
    hyphens = (n for n in range(1, _LONGEST_NAME + 1) if folder[n : n + 1] == "-")
    return len(uuid) > _LONGEST_NAME + 1 and any(folder[n + 1 :] == uuid[n + 1 :] for n in hyphens)


def _cleaned(channel: str) -> str:
    """The name of a channel as that of its file."""
    name = _REPEATED.sub("_", _REPLACED.sub("_", channel).rstrip("."))
    return (_OUTER.sub("", name) if len(name) > 1 else name).lower()
