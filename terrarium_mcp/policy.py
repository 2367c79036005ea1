"""What a request may read: one pure value that every tool consults.

A request's *view* (`_meta["terrarium-mcp/view"]`) can only narrow what it may read, which is
everything without one.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from terrarium_mcp.chat.identity import CHANNEL_PREFIXES, MOST_OF_NAMES, fold, is_channel
from terrarium_mcp.chat.records import Room
from terrarium_mcp.chat.times.timestamps import from_iso
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.wording import shown

_PREFIX = "terrarium-mcp/"
"""How our keys of `_meta` begin."""

_PREFIX_LETTERS = "terrariummcp"
"""What is left of it, however the words are joined."""

VIEW_KEY = f"{_PREFIX}view"
"""The key of a request's `_meta` that carries the view."""

VIEW_KEYS = frozenset({"network", "channel", "channels", "as_of", "now", "asker", "max_tokens"})
"""What a view may say."""

ERROR_KEY = f"{_PREFIX}error"
"""The key of a result's `_meta` that names an expected failure, for a program."""

UNUSABLE_KEY = f"{_PREFIX}unusable"
"""The key of a tool's `_meta` that says why it cannot work here, for a client that offers tools."""

_PERMALINK_PREFIX = "terrarium://message/"
_PERMALINK = re.compile(rf"(?:{_PERMALINK_PREFIX})?(\d{{1,18}})")
_YEAR = re.compile(r"(?:19|20)\d\d")

NAMED_ID = (
    rf"(?:{_PERMALINK_PREFIX}|https?://\S{{0,200}}?/message/|(?:message|line|id)\s+#?)"
    r"(?P<id>\d{1,18})"
)
"""What names a message and is no number alone, as a regular expression; in any case."""

_WRITTEN_ID = re.compile(rf"{NAMED_ID}|(?P<number>\d{{1,18}})", re.IGNORECASE)

_NETWORK = re.compile(rf"(.*?)/(?=[{CHANNEL_PREFIXES}])")
_NETWORK_OF_BARE_NAME = re.compile(r"(.*?)/(?=.)")
_MOST_CHANNELS = 1_000
"""Channels that a view may name: no network lets a client join more than a few hundred."""


class BadView(TerrariumError):
    """The view is malformed. Guessing its meaning could show what the caller meant to hide."""


class UnknownCutoff(BadView):
    """The view's `as_of` names a message that does not exist, or that the view hides anyway."""

    code = "unknown cutoff"

    def __init__(self, as_of: int) -> None:
        super().__init__(f"The view's as_of names message {as_of}, which does not exist.")


class View(NamedTuple):
    """What one request may see, and the clock it goes by. An empty view narrows nothing.

    `rooms` are (network, channel) pairs as the caller wrote them, network "" for any; None: every
    room. If `channel` is another such pair, only what it names is left of them. `as_of` is a time
    or a message id; the lines from there on are hidden.
    """

    rooms: tuple[tuple[str, str], ...] | None = None
    channel: tuple[str, str] | None = None
    network: str = ""
    as_of: datetime | int | None = None
    now: datetime | None = None
    asker: str = ""
    max_tokens: int = 0

    @property
    def sees_everything(self) -> bool:
        """Whether it hides no room and no line."""
        return self.rooms is None and not self.network and self.as_of is None

    def narrowed(self, known: "RoomDirectory") -> "RoomDirectory":
        """The rooms of a directory that this view leaves visible, in the same order."""
        if self.rooms is None and not self.network:
            return known
        rooms = known.rooms if self.rooms is None else known.named(*self.rooms)
        if self.channel is not None:
            rooms = RoomDirectory(rooms).named(self.channel)
        network = fold(self.network)
        return RoomDirectory(room for room in rooms if network in ("", fold(room.network)))


class RoomDirectory:
    """Rooms, found by name: one of hundreds is looked up in every call."""

    def __init__(self, rooms: Iterable[Room]) -> None:
        self.rooms = tuple(rooms)
        self.several_networks = len({room.network for room in self.rooms}) > 1
        self._places = {room: place for place, room in enumerate(self.rooms)}
        self._alike: dict[str, list[Room]] = {}
        for room in self.rooms:
            self._alike.setdefault(_bare(room.channel), []).append(room)

    def named(self, *names: tuple[str, str]) -> tuple[Room, ...]:
        """The rooms that any (network, channel) names, in order; `names_room` decides."""
        named = {
            room
            for network, channel in names
            for room in self._alike.get(_bare(channel), ())
            if names_room(room, network, channel)
        }
        return tuple(sorted(named, key=self._places.__getitem__))


def _bare(channel: str) -> str:
    """What all spellings of a name share under any CASEMAPPING: `tea` of `#tea`, `##Tea`, `tea`."""
    return fold(channel.casefold()).lstrip(CHANNEL_PREFIXES)


def names_room(room: Room, network: str, channel: str) -> bool:
    """Whether `network` ("" for any) and `channel` (with or without its `#`) name `room`.

    Names compare as on the room's own network: `#a[` and `#a{` may be one channel, or two.
    """
    if network and fold(network) != fold(room.network):
        return False
    # `#foo` is that channel alone and never `##foo`: only a bare name may leave the prefix out.
    spelling = room.channel if is_channel(channel) else room.channel[1:]
    mapping = room.casemapping
    return channel != "" and fold(channel, mapping) == fold(spelling, mapping)


def split_label(label: str) -> tuple[str, str]:
    """Split `libera/#chan` into network and channel; without a network, the first is ""."""
    label = label.strip()
    if is_channel(label):  # its name may hold a slash itself: `#tea/mate`, `&local/x`
        return "", label
    # So may the name of a network that an import names: `efnet/old/#tea`.
    found = _NETWORK.match(label) or _NETWORK_OF_BARE_NAME.match(label)
    return (found[1], label[found.end() :]) if found else ("", label)


def message_id(text: str) -> int | None:
    """The id that `text` names: `184213` or a permalink such as `terrarium://message/184213`.

    It may be written as it is shown or spoken of: `(184213)`, `#184213`, `message 184213`,
    `https://logs.example/message/184213`.
    """
    written = text.strip().strip("#()[]<>.,")
    match = _WRITTEN_ID.fullmatch(written)
    return int(match["id"] or match["number"]) if match else None


def is_year(text: str) -> bool:
    """Whether `text` may name a year as well as a message: `2013`, and not `#2013`."""
    return _YEAR.fullmatch(text.strip()) is not None


def view_in(meta: Mapping[str, object]) -> View:
    """The view in a request's `_meta`; one that narrows nothing if there is none.

    Raises:
        BadView: it is malformed, or another key looks like one of ours.
    """
    ours = [key for key in meta if _is_meant_for_us(key)]
    if unknown := sorted(shown(key) for key in ours if key != VIEW_KEY):
        raise BadView(f"Unknown key in _meta: {', '.join(unknown)}. Known: {VIEW_KEY}, the view.")
    return parse_view(meta[VIEW_KEY]) if ours else View()


def _is_meant_for_us(key: str) -> bool:
    """Whether it is our key, or a near miss: to ignore that one would show what it was to hide."""
    letters = filter(str.isalnum, unicodedata.normalize("NFKC", key).casefold())
    return "".join(letters).startswith(_PREFIX_LETTERS)


def parse_view(raw: object) -> View:
    """Read the view of a request.

    Raises:
        BadView: a key is unknown, or a value is null or has the wrong form.
    """
    if not isinstance(raw, Mapping):
        kind = "null" if raw is None else type(raw).__name__
        raise BadView(f"The view in _meta[{VIEW_KEY!r}] must be an object, not {kind}.")
    if unknown := sorted(map(str, raw.keys() - VIEW_KEYS)):
        raise BadView(
            f"Unknown key in the view: {', '.join(unknown)}. Known: {', '.join(sorted(VIEW_KEYS))}."
        )
    if nulls := sorted(key for key, value in raw.items() if value is None):
        raise BadView(
            f"The view has null for {', '.join(nulls)}. Leave a key out to hide nothing by it."
        )
    rooms, channel = _rooms(raw)
    return View(
        rooms=rooms,
        channel=channel,
        network=_network(raw),
        as_of=_as_of(raw.get("as_of")),
        now=_time(raw, "now"),
        asker=_text(raw, "asker"),
        max_tokens=_max_tokens(raw),
    )


def _rooms(
    raw: Mapping[str, object],
) -> tuple[tuple[tuple[str, str], ...] | None, tuple[str, str] | None]:
    """The view's `rooms`, and the `channel` to which it restricts several of them."""
    single = None
    if raw.get("channel") is not None:
        single = split_label(_text(raw, "channel"))
        if not single[1]:
            raise BadView("The view's channel is empty. Leave it out to show every channel.")
    several = raw.get("channels")
    if several is None:
        return (None if single is None else (single,)), None
    if not isinstance(several, Sequence) or isinstance(several, str):
        raise BadView("The view's channels must be a list of channel names.")
    if len(several) > _MOST_CHANNELS:
        raise BadView(f"The view's channels are too many: {_MOST_CHANNELS:,} at most.")
    if not all(isinstance(name, str) and name.strip() for name in several):
        raise BadView("Each of the view's channels must be a channel name.")
    return tuple(map(split_label, several)), single


def _network(raw: Mapping[str, object]) -> str:
    network = _text(raw, "network").strip()
    if "network" in raw and not network:
        raise BadView("The view's network is empty. Leave it out to show every network.")
    return network


def _text(raw: Mapping[str, object], key: str) -> str:
    value = raw.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadView(f"The view's {key} must be text.")
    if len(value) > MOST_OF_NAMES:
        raise BadView(f"The view's {key} is too long: {MOST_OF_NAMES:,} characters at most.")
    return value


def _max_tokens(raw: Mapping[str, object]) -> int:
    value = raw.get("max_tokens")
    if value is None:
        return 0
    if type(value) is not int or value < 1:
        raise BadView("The view's max_tokens must be a whole number of at least 1.")
    return value


def _time(raw: Mapping[str, object], key: str, other: str = "") -> datetime | None:
    """The time of a key, which may also be an `other` thing that this value is not."""
    value = raw.get(key)
    if value is None:
        return None
    text = _text(raw, key)
    with suppress(ValueError):
        if datetime.fromisoformat(text.strip()).tzinfo:  # in another zone it hides other lines
            return from_iso(text)
    raise BadView(
        f"The view's {key} must be a time with its offset, such as 2025-11-05T12:00:00Z{other}."
    )


def _as_of(value: object) -> datetime | int | None:
    """A time, or the id of a message: an integer, or written in full where a year looks like it.

    As a year, `2013` hides other lines than as an id, and neither may be shown by mistake.
    """
    if type(value) is int:
        value = f"{_PERMALINK_PREFIX}{value}"
    if isinstance(value, str) and is_year(value):
        year = value.strip()
        raise BadView(
            f"The view's as_of {year} may be a year or a message id."
            f" Write {year}-01-01T00:00:00Z, or {_PERMALINK_PREFIX}{year}."
        )
    if isinstance(value, str) and (named := _PERMALINK.fullmatch(value.strip())):
        return int(named[1])
    return _time({"as_of": value}, "as_of", ", or the id of a message")
