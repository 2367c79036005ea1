"""Decides what of an IRC message is recorded. Pure.

What concerns people who opted out is left out by the store, in the transaction that writes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from terrarium_mcp.chat.irc_message import IrcMessage, Source
from terrarium_mcp.chat.on_record import NotRecorded, recorded_event, recorded_speech
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.voices import VoiceRules

AHEAD = timedelta(seconds=60)
"""A server-time further ahead of our clock than this is ignored."""

_ANNOUNCES_REPLAY = re.compile(r"Replaying up to \d+ lines of pre-join history")
"""What inspircd 3 says to us alone behind each of our JOINs, as a NOTICE to the channel."""


_BOUNCER = "*"
"""Begins the nick of a bouncer's module, and of no user. ZNC's `*buffextras` replays events as its
own lines: `ada!~ada@host.example joined`. They would show hosts to all who read the channel, and
nobody could have theirs left out or removed: they are the module's."""

_HISTSERV = Source("HistServ", "HistServ", "localhost")
"""Replays events so on Ergo, to a client without event-playback such as ZNC, which passes them on:
`ada left the channel (bye)`."""


class ChannelInfo(Protocol):
    """The state of the network that filtering needs; `IrcNetwork` provides it."""

    def is_channel(self, target: str) -> bool:
        """Whether `target` is a channel."""

    def is_own(self, source: Source | None) -> bool:
        """Whether the bot itself is the source."""

    def channels_of(self, nick: str) -> list[str]:
        """The channels shared with `nick`, before the message takes effect."""


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """Turns IRC messages of one network into records. `network` is its name in the settings.

    `rules` name the relays: what somebody says through one is off the record if they say so.
    """

    network: str
    channels: ChannelInfo
    rules: VoiceRules

    def by_casemapping(self, casemapping: str) -> "MessageFilter":
        """This filter, with nicks compared by another CASEMAPPING."""
        return replace(self, rules=replace(self.rules, casemapping=casemapping))

    def messages_in(self, line: IrcMessage, now: datetime) -> list[NewMessage]:
        """One record for each channel that the message concerns; none if it is not recorded.

        Not recorded: private messages, STATUSMSG, CTCP other than ACTION, lines off the record,
        commands that carry passwords, a NICK that names no nick, what a server says of a replay,
        and what a bouncer or HistServ says.
        """
        if line.source is None:
            return []
        match line.command, line.params:
            case "PRIVMSG" | "NOTICE" as command, (target, *_, text):
                return self._speech(line, MessageType(command), target, text, now)
            case "JOIN" | "PART" as command, (_, *rest):
                kind = MessageType(command)
                events = (self._event(line, kind, channel, rest, now) for channel in line.targets)
                return [record for records in events for record in records]
            case "KICK" | "MODE" | "TOPIC" as command, (channel, *rest):
                return self._event(line, MessageType(command), channel, rest, now)
            case "NICK", [] | [""]:  # no server should send it
                return []
            case "QUIT" | "NICK" as command, words:
                kind = MessageType(command)
                record = self._record(line, "", kind, recorded_event(kind, words), now)
                # In a replay it is of that channel, whoever is where now.
                shared = [line.replay_of] if line.replay else self.channels.channels_of(record.nick)
                return [record._replace(channel=channel) for channel in shared]
        return []

    def _speech(
        self, line: IrcMessage, kind: MessageType, target: str, text: str, now: datetime
    ) -> list[NewMessage]:
        nick = line.source.nick if line.source else ""
        if not self.channels.is_channel(target) or _announces_replay(line, text):
            return []
        if nick.startswith(_BOUNCER) or line.source == _HISTSERV:
            return []
        speech = recorded_speech(kind, nick, text, self.rules)
        if isinstance(speech, NotRecorded):
            return []
        return [self._record(line, target, *speech, now)]

    def _event(
        self, line: IrcMessage, kind: MessageType, channel: str, rest: Sequence[str], now: datetime
    ) -> list[NewMessage]:
        if not self.channels.is_channel(channel):
            return []
        record = self._record(line, channel, kind, recorded_event(kind, rest), now)
        if kind is MessageType.JOIN and rest and rest[0] != "*":  # extended-join: account, realname
            record = record._replace(account=rest[0])
        return [record]

    def _record(
        self, line: IrcMessage, channel: str, kind: MessageType, text: str, now: datetime
    ) -> NewMessage:
        source, tags = line.source or Source(""), line.tags
        return NewMessage(
            network=self.network,
            channel=channel,
            nick=source.nick,
            user=source.user,
            host=source.host,
            text=text,
            kind=kind,
            said_at=said_at(line, now),
            account=tags.get("account", ""),
            msgid=tags.get("msgid", ""),
            reply_to=tags.get("+reply", tags.get("+draft/reply", "")),
            server_time=tags.get("time", ""),
            origin=Origin.PLAYBACK if line.replay else Origin.LIVE,
            own=self.channels.is_own(source),
            bot="bot" in tags,
        )


def _announces_replay(line: IrcMessage, text: str) -> bool:
    """Whether a server, not a user, says that the history of a channel follows."""
    is_server = line.source is not None and not (line.source.user or line.source.host)
    return is_server and bool(_ANNOUNCES_REPLAY.match(text))


def said_at(line: IrcMessage, now: datetime, ahead: timedelta = timedelta()) -> datetime:
    """When a line was said: its IRCv3 server-time; now, if absent, malformed or too far ahead.

    Of a server whose clock is too far `ahead` the live lines have our time. So has what it replays.
    """
    sent = line.sent_at
    if sent is None:
        return now
    if line.replay and ahead > AHEAD:
        try:
            return min(sent - ahead, now)
        except OverflowError:  # it is before the year 1
            return now
    return sent if sent <= now + AHEAD else now
