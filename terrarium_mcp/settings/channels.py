"""IRC_CHANNELS: the channels to join, some of them with a key. Pure.

A key follows its channel after a blank. In text, with commas between the channels, that channel is
written with its prefix: `#tea KEY, mate`. After a blank only what begins with # or & is a channel;
what could be either is refused, so that no key is ever joined as a channel. In a list each item is
one channel: `tea KEY`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from terrarium_mcp.chat.identity import as_channel, fold, is_channel

HIDDEN = "***"
"""Shown in place of a key."""

_CERTAIN = ("#", "&")
"""How a word begins that is a channel also after a blank. `+` and `!` begin more passwords."""

_AFTER_A_BLANK = re.compile(r"(?<=[^\s,])(\s+)[^\s,#&][^\s,]*")
"""A word after a blank that is not certainly a channel."""

_EITHER = (
    "the word after a blank may be a key or a channel: put commas between channels (tea,mate), and"
    " write a channel that has a key with its # (#tea KEY). In the list of a terrarium.toml each"
    ' item is one channel: ["#tea KEY", "mate"]'
)


@dataclass(frozen=True)
class ConfiguredChannel:
    """A channel to join, with its key if it has one, which neither text nor repr shows."""

    name: str
    key: str = field(default="", repr=False)

    def __str__(self) -> str:
        """As `doctor` shows it."""
        return f"{self.name} {HIDDEN}" if self.key else self.name


def channels_of(value: object) -> object:
    """The channels of `tea, #mate KEY`, or of a list; neither text nor a list: as it is.

    Raises:
        ValueError: a word may be a channel or a key, or a channel cannot be joined as written.
    """
    if isinstance(value, str):
        found = [channel for part in value.split(",") for channel in _in_text(part.split())]
    elif isinstance(value, list | tuple):
        found = [one if isinstance(one, ConfiguredChannel) else _item(str(one)) for one in value]
    else:
        return value
    return tuple(_each_once(found))


def keys_hidden(value: object) -> object:
    """What IRC_CHANNELS was set to, for a message: without any word that may be a key."""
    if isinstance(value, str):
        return _AFTER_A_BLANK.sub(rf"\1{HIDDEN}", value)
    if isinstance(value, list | tuple):
        return [re.sub(r"(?<=\S)(\s+)\S+", rf"\1{HIDDEN}", str(item)) for item in value]
    return value


def _in_text(words: Sequence[str]) -> Iterator[ConfiguredChannel]:
    """The channels between two commas: `tea`, `#tea KEY`, or several that begin with # or &."""
    while words:
        name, *words = words
        key = ""
        if ";" in name:  # legal in a name, but seldom meant
            right = name.replace(";", ",").strip(",")
            raise ValueError(f"channels are separated by commas: {right}")
        if words and not words[0].startswith(_CERTAIN):
            if not is_channel(name) or is_channel(words[0]):
                raise ValueError(_EITHER)
            key, *words = words
        if words and not words[0].startswith(_CERTAIN):
            raise ValueError(_EITHER)
        yield ConfiguredChannel(as_channel(name), key)


def _item(written: str) -> ConfiguredChannel:
    """One item of a list: `tea`, or `tea KEY`."""
    match written.split():
        case [name, *key] if len(key) < 2 and "," not in written:
            return ConfiguredChannel(as_channel(name), *key)
    raise ValueError('each item of the list is one channel, such as "tea" or "#tea KEY"')


def _each_once(channels: Iterable[ConfiguredChannel]) -> list[ConfiguredChannel]:
    """The channels without repetitions, of which two must not have different keys."""
    known = dict[str, ConfiguredChannel]()
    for channel in channels:
        first = known.setdefault(fold(channel.name, "ascii"), channel)
        if first.key != channel.key:
            raise ValueError(f"{channel.name} is listed twice, with different keys")
    return list(known.values())
