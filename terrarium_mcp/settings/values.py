"""What a setting may hold besides numbers and words, and how it is understood from text. Pure."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BeforeValidator

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.irc_message import ends_line
from terrarium_mcp.chat.masks import Mask, is_mask, means_nobody, restricts_host, restricts_nick
from terrarium_mcp.chat.relays import Relay, parse_relay
from terrarium_mcp.settings.channels import ConfiguredChannel, channels_of
from terrarium_mcp.settings.hosts import names_host
from terrarium_mcp.settings.mounts import Mount, fits_header
from terrarium_mcp.settings.personas import Persona, persona_of
from terrarium_mcp.wording import did_you_mean

MOST_DAYS = 100_000
"""274 years. Python's calendar begins in the year 1, so a much larger number would overflow."""

NO_MODEL = "none"
"""AGENT_API_URL where no model is to answer: an empty one is not set, and so the usual one."""

_NICK = re.compile(r"(?![#&+~%$])[^\s\x00-\x20\x7f-\x9f!@,*?:]+")

_SWITCHES = {"on": ("on", "yes", "true", "1"), "off": ("off", "no", "false", "0")}

_LONGEST_VIEWER_URL = 150
"""A permalink of that length fits every line of IRC."""


class RoomDays(NamedTuple):
    """The days to keep the lines of `room`: `#tea`, or `libera/#tea`; 0: for ever."""

    room: str
    days: int

    def __str__(self) -> str:
        """As `doctor` shows it: `#tea=30`."""
        return f"{self.room}={self.days}"


def _switch(value: object) -> object:
    """`on` or `off`, also for the words of other files; anything else as it is."""
    written = str(value).strip().lower()
    return next((switch for switch, words in _SWITCHES.items() if written in words), value)


def _days(value: object) -> object:
    pairs = tuple(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, tuple):
        raise ValueError(  # noqa: TRY004 -- pydantic requires a ValueError
            'must be a table: [TERRARIUM_RETENTION_BY_CHANNEL] with lines such as "#tea" = 30'
        )
    for room, days in pairs:
        if not isinstance(days, int) or isinstance(days, bool) or not 0 <= days <= MOST_DAYS:
            raise ValueError(f"{room} = {days}: must be a whole number of days; 0: for ever")
    return tuple(RoomDays(room, days) for room, days in pairs)


def _masks(value: object) -> object:
    named = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(named, list | tuple):
        raise ValueError("must be a list of nicks and masks such as spam*, *!*@host")  # noqa: TRY004 -- as above
    return tuple(one if isinstance(one, Mask) else _mask(str(one)) for one in named)


def _mask(pattern: str) -> Mask:
    if means_nobody(pattern):
        raise ValueError(
            f"{pattern} cannot match anyone: a mask is nick!user@host, such as *!*@host"
        )
    return Mask(pattern)


def _relays(value: object) -> object:
    named = list(filter(str.strip, value.split(","))) if isinstance(value, str) else value
    if not isinstance(named, list | tuple):
        raise ValueError("must be a list of nicks such as relaybot, libera/relaybot")  # noqa: TRY004 -- as above
    return tuple(one if isinstance(one, Relay) else parse_relay(str(one)) for one in named)


def _command_prefix(prefix: str) -> str:
    if prefix.startswith("/"):
        raise ValueError("IRC clients keep lines that begin with / to themselves. Choose another")
    return prefix


def names_of(value: object) -> object:
    """The words of `ada, *!*@staff.example` as a tuple; neither text nor a list: as it is."""
    words = value.replace(",", " ").split() if isinstance(value, str) else value
    return tuple(map(str, words)) if isinstance(words, list | tuple) else words


def _admins(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if is_mask(name) and not restricts_host(name):
            whom = "anyone who takes the nick" if restricts_nick(name) else "everybody"
            raise ValueError(
                f"{name} is met by {whom}. Name a services account, or a mask with a host,"
                " such as *!*@staff.example"
            )
    return names


def _mounts(value: object) -> object:
    if not isinstance(value, tuple) or not all(isinstance(one, Mount) for one in value):
        raise ValueError("must be tables of terrarium.toml: begin each with [mcp_servers.NAME]")
    return value


def _zone(name: str) -> str:
    if name:
        known_zone(name)
    return name


def known_zone(name: str) -> ZoneInfo:
    """The time zone of that name.

    Raises:
        ValueError: there is none; it says which place may be meant.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError(f"not a time zone.{_way_to_a_zone(name)}") from None


def _way_to_a_zone(name: str) -> str:
    """How an error about an unknown time zone goes on: the place that may be meant, or to name one.

    An abbreviation is never taken for another: EST is six hours from CEST. Nor is an offset for
    that of `Etc/GMT+1`, which is the opposite one.
    """
    meant = [
        zone
        for zone in sorted(available_timezones())
        if ("/" in zone and not zone.startswith("Etc/")) or zone.lower() == name.lower()
    ]
    return did_you_mean(name, meant) or " Name a place of it, such as Europe/Berlin."


def _nick(name: str) -> str:
    """A nick that some server may accept: RFC 2812 2.3.1 allows fewer, many servers more."""
    if not _NICK.fullmatch(name):
        raise ValueError(
            "no server accepts such a nick: it is one word, without ! @ , * ? :, and begins with"
            " none of # & + ~ % $"
        )
    return name


def _one_line(text: str) -> str:
    if ends_line(text):
        raise ValueError("must be one line: it is sent to the IRC server as a part of one")
    return text


def _network_name(name: str) -> str:
    if "/" in name or is_channel(name):
        raise ValueError("a network's name has no / and begins like no channel: libera")
    return name


def _url(address: str) -> str:
    if address and not (re.fullmatch(r"https?://[^\s/]+(/\S*)?", address) and names_host(address)):
        raise ValueError("not an address such as http://localhost:8080")
    return address


def _model_url(address: str) -> str:
    if address.lower() == NO_MODEL:
        return NO_MODEL
    usable = _url(address)
    if "?" in usable or "#" in usable:
        raise ValueError(
            "/chat/completions is appended to it, so it has neither ? nor #. A key goes into"
            " AGENT_API_KEY"
        )
    return usable


def _model_key(key: str) -> str:
    """A key that the model's client can send, which says in its error what it cannot."""
    if not fits_header(key):
        raise ValueError(
            "no HTTP header can carry it: a key is one line of ASCII. Copy it again, without a line"
            " break or typographic quotes"
        )
    return key


def _viewer_url(address: str) -> str:
    is_plain = re.fullmatch(r"https?://[A-Za-z0-9.\-:\[\]]+(/[!-~]*)?", address)
    is_usable = is_plain and len(address) <= _LONGEST_VIEWER_URL and names_host(address)
    if address and not is_usable:
        raise ValueError(
            "not an address such as https://logs.example/, without a password and of at most"
            f" {_LONGEST_VIEWER_URL} characters"
        )
    if "?" in address or "#" in address:
        raise ValueError("/message/184213 is appended to it, so it has neither ? nor #")
    return address


Switch = Annotated[Literal["on", "off"], BeforeValidator(_switch)]
CommandPrefix = Annotated[str, AfterValidator(_command_prefix)]
BotNick = Annotated[str, AfterValidator(_nick)]
OneLine = Annotated[str, AfterValidator(_one_line)]
NetworkName = Annotated[str, AfterValidator(_network_name)]
Url = Annotated[str, AfterValidator(_url)]
ModelUrl = Annotated[str, AfterValidator(_model_url)]
ModelKey = Annotated[str, AfterValidator(_model_key)]
ViewerUrl = Annotated[str, AfterValidator(_viewer_url)]
Zone = Annotated[str, AfterValidator(_zone)]
RetentionDays = Annotated[tuple[RoomDays, ...], BeforeValidator(_days)]
Channels = Annotated[tuple[ConfiguredChannel, ...], BeforeValidator(channels_of)]
Mounts = Annotated[tuple[Mount, ...], BeforeValidator(_mounts)]
Masks = Annotated[tuple[Mask, ...], BeforeValidator(_masks)]
Names = Annotated[tuple[str, ...], BeforeValidator(names_of)]
AdminNames = Annotated[tuple[str, ...], BeforeValidator(names_of), AfterValidator(_admins)]
PersonaFile = Annotated[Persona | None, BeforeValidator(persona_of)]
Relays = Annotated[tuple[Relay, ...], BeforeValidator(_relays)]
