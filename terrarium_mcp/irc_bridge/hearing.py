"""From a line of the network to what the record keeps of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from terrarium_mcp.chat.irctext import action, is_ctcp, is_off_record, is_secret, without_keys
from terrarium_mcp.chat.records import Heard, Kind, Origin
from terrarium_mcp.chat.when import from_iso
from terrarium_mcp.irc_bridge.network.line import Line, Source

AHEAD = timedelta(seconds=60)
"""A server-time further ahead of our clock than this is not believed."""


class Ears(Protocol):
    """What hearing needs to know of the network: `IrcNetwork` knows it."""

    def is_channel(self, target: str) -> bool:
        """Whether `target` is a channel."""

    def is_own(self, source: Source | None) -> bool:
        """Whether we are the source."""

    def channels_of(self, nick: str) -> list[str]:
        """The channels we share with somebody, before the line takes effect."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """How lines of one network are understood. `network` is its name in the settings."""

    network: str
    ears: Ears

    def of(self, line: Line, now: datetime) -> list[Heard]:
        """What a line says, once for each channel it concerns; nothing if it is not for the record.

        Private messages, STATUSMSG, CTCP but ACTION, and what is off the record are not.
        """
        if line.source is None:
            return []
        match line.command, line.params:
            case "PRIVMSG" | "NOTICE" as command, (target, *_, text):
                return self._speech(line, Kind(command), target, text, now)
            case "JOIN" | "PART" | "KICK" | "MODE" | "TOPIC" as command, (channel, *rest):
                return self._event(line, Kind(command), channel, rest, now)
            case "QUIT" | "NICK" as command, words:
                kind = Kind(command)
                heard = self._heard(line, "", kind, _event_text(kind, words), now)
                return [replace(heard, channel=one) for one in self.ears.channels_of(heard.nick)]
        return []

    def _speech(self, line: Line, kind: Kind, target: str, text: str, now: datetime) -> list[Heard]:
        does = action(text)
        said = text if does is None else does
        if not self.ears.is_channel(target) or is_off_record(said) or is_secret(said):
            return []
        if does is not None:
            kind = Kind.ACTION
        elif is_ctcp(text):
            return []
        return [self._heard(line, target, kind, said, now)]

    def _event(
        self, line: Line, kind: Kind, channel: str, rest: Sequence[str], now: datetime
    ) -> list[Heard]:
        if not self.ears.is_channel(channel):
            return []
        heard = self._heard(line, channel, kind, _event_text(kind, rest), now)
        if kind is Kind.JOIN and rest and rest[0] != "*":  # extended-join: account, realname
            heard = replace(heard, account=rest[0])
        return [heard]

    def _heard(self, line: Line, channel: str, kind: Kind, text: str, now: datetime) -> Heard:
        source, tags = line.source or Source(""), line.tags
        sent = _server_time(tags.get("time", ""), now)
        return Heard(
            network=self.network,
            channel=channel,
            nick=source.nick,
            user=source.user,
            host=source.host,
            text=text,
            kind=kind,
            said_at=sent or now,
            account=tags.get("account", ""),
            msgid=tags.get("msgid", ""),
            reply_to=tags.get("+reply", tags.get("+draft/reply", "")),
            server_time=tags.get("time", ""),
            origin=Origin.PLAYBACK if line.replay else Origin.LIVE,
            own=self.ears.is_own(source),
            bot="bot" in tags,
        )


def _event_text(kind: Kind, rest: Sequence[str]) -> str:
    match kind:
        case Kind.JOIN:
            return ""
        case Kind.MODE:
            return without_keys(rest)
        case Kind.PART | Kind.QUIT if rest and is_off_record(rest[-1]):
            return ""  # that somebody went is no secret, but their words are
        case _:
            return " ".join(rest)


def _server_time(tag: str, now: datetime) -> datetime | None:
    """The moment of IRCv3's server-time, if there is one that can be believed."""
    try:
        sent = from_iso(tag)
    except ValueError:
        return None
    return sent if sent <= now + AHEAD else None
