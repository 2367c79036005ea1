"""What the path of a log tells: its network, its channel, its day. Pure.

Programs write names of files in small letters and replace what a file's name cannot hold, so the
channel may be another: `#we_ird.chan` of `#we/ird.chan`.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from terrarium_mcp.chat.identity import fold, is_channel, network_key
from terrarium_mcp.logformats.dated_paths import (
    COPY_OF_DAY,
    of_any_day,
    without_dates,
    without_folders_of_dates,
)

_WORDS_OF_FOLDERS = {
    *("log", "logs", "moddata", "irclog", "irclogs", "channellogger", "mirc"),
    *("irc", "chat", "chatlogs", "chanlogs", "data", "files", "txt", "import", "export"),
    *("archive", "archives", "backup", "backups", "bak", "copy", "old", "new", "tmp", "temp"),
    *("desktop", "documents", "downloads"),
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
}
"""Words that programs call folders by, or people who keep logs: a folder whose name has no other
(`irc-logs`, `Old Logs 2`, `October 2026`) is not that of a network."""

_BETWEEN_WORDS = re.compile(r"[-_. \d]+")

_LOSSY = re.compile(r"[/\\:*?\"<>|_-]")
"""What programs replace in names of files, what they put there, or leave out."""

_LOST_BY_II = re.compile(rb"[^a-z0-9.#&+!-]")
"""The bytes for which ii puts a `_`: it calls the folder of `#\u00fcber` `#__ber`."""


_ROTATED = re.compile(
    r"(?=[~.])(?:~|(?<!/\d\d\.\d\d)\.(?:\d{1,3}|old|bak)|(?:(?<=\.log)|(?<=\.weechatlog))\.txt)+\Z",
    re.IGNORECASE,
)
"""What rotation and backups append, and who publishes a log. Dates have more digits
(`tea.log.20261024`), or are all of the name (`lisp/18.01.31`). Looking ahead for the first
character takes a quarter of the time."""

_FORBIDDEN = re.compile(r"[\0\a\r\n ,]")
"""What no channel has in its name (RFC 2812, 1.3); a colon may be there, say some servers."""

_SYNC_CONFLICT = re.compile(r"\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}(?=[^/]*\Z)")
"""What Syncthing puts into the name of a file that was changed on two machines."""

_COPY = re.compile(rf"{_FORBIDDEN.pattern}.*|\(\d+\)\Z", re.DOTALL)
"""What a program that copies files puts behind the name of a channel: ` - Copy`, ` (conflicted copy
2026-10-28)`, `(1)`."""

_NAME = re.compile(r"(?<![^/])([^/]+?)(?:\.(?:log|txt|weechatlog))?\Z")


class LogOrigin(NamedTuple):
    """Where a log comes from, as far as its path tells; what it does not tell is empty.

    `target` is the channel, or the person of a private chat. `is_window`: the client talks about
    itself there, and nothing of it is recorded.
    """

    network: str = ""
    target: str = ""
    day: date | None = None
    is_window: bool = False


def origin_in(path: str, patterns: Iterable[re.Pattern[str]]) -> LogOrigin:
    """The first origin that a path (with `/`) names, by the patterns of a format."""
    return next(origins_in(path, patterns), LogOrigin())


def origins_in(
    path: str, patterns: Iterable[re.Pattern[str]], known: Iterable[str] = ()
) -> Iterator[LogOrigin]:
    """All origins that a path (with `/`) may name, by the patterns of a format.

    `known` are networks, whatever they are called: `old` is else a folder of old logs.
    The channel is the group `channel`, or `escaped` where characters stand there as `%2d`. If a dot
    separates it from the network behind it, that may be any dot of the two: `#tea.Libera.Chat`.
    A rotated log (`#tea.log.1`) has the origin of the log that it was. Dates are looked for where
    the pattern has one; elsewhere they are left out of the path first.
    """
    networks = {*map(network_key, known)}
    sample = of_any_day(path)
    for one in _named_in(sample.path, tuple(patterns)):
        is_network = not one.is_folder_of_logs or network_key(one.network) in networks
        yield LogOrigin(
            sample.text(one.network) if is_network else "",
            sample.text(one.target),
            sample.date(one.day),
            is_window=one.is_window,
        )


class _Named(NamedTuple):
    """What a path names: an origin, unless its network is no more than a folder of logs."""

    network: str
    target: str
    day: date | None
    is_window: bool
    is_folder_of_logs: bool


@lru_cache(maxsize=10)  # each path is asked several times in a row
def _named_in(path: str, patterns: tuple[re.Pattern[str], ...]) -> Sequence[_Named]:
    """All that a path names by some patterns, whichever networks are known."""
    original = _first_name(path)
    with_date = without_folders_of_dates(original)
    named = list[_Named]()
    for pattern in patterns:
        has_date = "date" in pattern.groupindex
        if match := pattern.search(with_date if has_date else without_dates(original).path):
            day = _day(match["date"] or "") if has_date else without_dates(original).day
            named += (
                _Named(
                    network,
                    unquote(channel) if "escaped" in pattern.groupindex else channel,
                    day,
                    "window" in pattern.groupindex,
                    _is_folder_of_logs(network, match),
                )
                for channel, network in _divided(match)
                if not is_channel(network)  # else it is the folder of a channel
            )
    return named


def _is_folder_of_logs(network: str, match: re.Match[str]) -> bool:
    """Whether what stands for the network is a folder with a name that any folder may have."""
    words = _words(network)
    if not (words and words <= _WORDS_OF_FOLDERS):
        return False
    return match.string.startswith("/", match.end("network"))


def _words(folder: str) -> set[str]:
    return set(filter(None, _BETWEEN_WORDS.split(folder.lower())))


def folders_of_networks(path: str) -> tuple[str, ...]:
    """The folders above a log that may be of networks: not those of dates, channels, or of logs."""
    above = undated_name(path).split("/")[:-1]
    return tuple(one for one in above if not (is_channel(one) or _words(one) <= _WORDS_OF_FOLDERS))


def _divided(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """The channel and the network of a path, at the last dot that may separate them first."""
    groups = match.groupdict("")
    network = groups.get("network", "")
    group = "escaped" if "escaped" in groups else "channel"
    channel = groups.get(group, "")
    yield channel, network
    if not (channel and network):
        return
    if match.string[match.end(group) : match.start("network")] != ".":
        return
    while "." in channel.lstrip("."):
        channel, _, moved = channel.rpartition(".")
        network = f"{moved}.{network}"
        yield channel, network


def origin_by_name(path: str, renamed: Container[str] = ()) -> LogOrigin:
    """The channel and day that the name of a file tells, wherever it lies: `#tea-2026-10-24.log`.

    It is for paths that are not laid out as the program of a format does it. One without a channel
    may tell the day all the same: `2026-10-24.txt`. `renamed` are names (folded) of which an option
    says that they are channels: `tea-2026-10-24`, `tea/2026/2026-10-24`.
    """
    undated = without_dates(_first_name(path))
    match = _NAME.search(undated.path)
    name = match[1] if match else ""
    is_target = name.startswith("#") or fold(name) in renamed
    return LogOrigin(target=name if is_target else "", day=undated.day)


@lru_cache(maxsize=10)  # by the patterns of each format
def _first_name(path: str) -> str:
    """The path of a log before it was rotated, or a day of it was copied."""
    composed = normalize("NFC", path)  # a Mac writes accents apart
    return COPY_OF_DAY.sub(r"\1", _SYNC_CONFLICT.sub("", _ROTATED.sub("", composed)))


def undated_name(path: str) -> str:
    """The path of a log without what rotation and dates add to it: that of all its files."""
    return without_dates(_first_name(path)).path


def copied_from(channel: str) -> str:
    """The channel of whose log a file with the name of `channel` may be a copy; empty if of none.

    `#tea(1)` may be a channel all the same.
    """
    mark = _COPY.search(channel)
    original = channel[: mark.start()] if mark else ""
    return original if original.strip("#&+!") else ""


def may_exist(channel: str) -> bool:
    """Whether an IRC server lets a channel have this name."""
    return _FORBIDDEN.search(channel) is None


def is_perhaps(file_name: str, channel: str) -> bool:
    """Whether the name that a file gives a channel may stand for `channel`.

    A program may write any letter in lower case, also one whose case IRC tells apart.
    """
    return _bare(file_name) == _bare(channel) or file_name == _as_ii(channel)


def _bare(name: str) -> str:
    return _LOSSY.sub("", fold(name).casefold())


def _as_ii(name: str) -> str:
    return _LOST_BY_II.sub(b"_", name.encode().lower()).decode()


def _day(written: str) -> date | None:
    with suppress(ValueError):  # `2026-10-24`, `2026/10/24`, `20261024`, in a tenth of the time
        return date.fromisoformat(written.replace("/", "-"))
    for form in ("%d%b%Y", "%y.%m.%d"):
        try:
            return datetime.strptime(written, form).date()  # noqa: DTZ007 -- a day has no zone
        except ValueError:
            continue
    return None
