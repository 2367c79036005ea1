"""Joins the configured channels, returns to them when we lose one, and leaves all others."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType

import anyio

from terrarium_mcp.backoff import nth_pause
from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.on_record import recorded_reason
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.pydle_client import Post, PydleClient
from terrarium_mcp.irc_bridge.network.send_queue import QueuedLine
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig
from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
from terrarium_mcp.irc_bridge.network.who_requests import WhoRequests
from terrarium_mcp.settings import ConfiguredChannel
from terrarium_mcp.wording import shown

log = logging.getLogger(__name__)

_JOIN_BYTES = 400  # channels and keys in one JOIN: well inside a line of 512 bytes

_UNNAMED = "no longer in my settings"

_REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "475": " Check its key in IRC_CHANNELS (#tea KEY).",
        "477": " Unless we are logged in, set TERRARIUM_SASL_USERNAME and TERRARIUM_SASL_PASSWORD.",
    }
)
"""What to do about a refused JOIN, by its numeric; the rest is up to the channel's operators."""

_LONGEST_PART = 3  # bytes of a character of UTF-8 that was cut
_CHANNEL_ID = 5  # characters that the server puts before the short name of !tea (RFC 2811 3)


@dataclass
class ChannelState:
    """A configured channel, and how its server and operators have treated us."""

    name: str
    key: str = field(repr=False)
    joined_as: str = ""
    """The name as the server spells it; empty while we are not in it."""
    joined_at: float = 0
    is_asked_for: bool = False
    """Whether our last JOIN of it has no answer yet."""
    kicks: int = 0
    refusals: int = 0
    returning: bool = False
    not_before: float = -inf
    """When it may be tried again, after it forwarded us to another channel."""
    left_out: bool = False
    """Whether this server has no room for it, or no such channels."""
    who: QueuedLine | None = None
    """Our WHO for its members."""
    is_listed: bool = False
    """Whether the names of its members are known, and this has not been reported."""


class AutoJoin:
    """Keeps us in the configured channels.

    `rejoin_loop` runs as a task of the session, and so does each return to a channel.
    """

    def __init__(
        self,
        config: ServerConfig,
        timeouts: Timeouts,
        client: PydleClient,
        who_requests: WhoRequests,
        listener: Listener,
        post: Post,
        start: Callable[..., None],
    ) -> None:
        self._display_name = config.display_name
        self._label = config.label
        self._channels = [ChannelState(channel.name, channel.key) for channel in config.channels]
        self._unwanted: set[str] = set()
        """Folded names of channels that we asked for, and that a reload left out since."""
        self._by_name: Mapping[str, ChannelState] = {}
        self._folded_by = ""
        self._takes_part = False
        self._timeouts = timeouts
        self._client = client
        self._who_requests = who_requests
        self._listener = listener
        self._post = post
        self._start = start

    def join_all(self) -> None:
        """Join all channels that the server allows, in few lines."""
        self._takes_part = True
        self._leave_out()
        joined = [channel for channel in self._channels if not channel.left_out]
        per_line = self._client.isupport.joins_per_line or len(self._channels)
        for channels in _lines_of(joined, per_line):
            self._join(channels)

    def _join(self, channels: Sequence[ChannelState]) -> None:
        for channel in channels:
            channel.is_asked_for = True
        self._post("JOIN", *_join_parameters(channels))

    def _leave_out(self) -> None:
        """Mark the channels that this server does not allow, and name them in the log."""
        isupport = self._client.isupport
        _, excess = isupport.within_limits([channel.name for channel in self._channels])
        for channel in self._channels:
            channel.left_out = channel.name in excess
        if excess:
            limits = (
                ("CHANTYPES", isupport.chantypes),
                ("CHANNELLEN", isupport.channellen),
                ("CHANLIMIT", ",".join(f"{types}:{most}" for types, most in isupport.chanlimit)),
            )
            log.error(
                "%s: the server does not allow all of IRC_CHANNELS (%s)."
                " Not joined, not recorded: %s."
                " Name others or fewer, or ask the server's staff to allow more.",
                self._display_name,
                " ".join(f"{name}={value}" for name, value in limits if value),
                ", ".join(excess),
            )

    def change_channels(self, channels: Sequence[ConfiguredChannel]) -> None:
        """Leave the channels that are not among these, and join the others once we take part."""
        before = self._channels
        by_name = {self._client.fold(one.name): one for one in before}
        by_name |= {one.name: one for one in before}  # of two that fold to one, each is itself
        self._channels = []
        for channel in channels:
            state = by_name.get(channel.name) or by_name.get(self._client.fold(channel.name))
            if state is None or any(state is one for one in self._channels):
                state = ChannelState(channel.name, channel.key)
            else:
                if state.refusals and state.key != channel.key:
                    # The pause was for the old key; it ends without a JOIN, as this is another
                    # state.
                    state = replace(state, refusals=0, returning=False)
                state.key = channel.key
                state.not_before = -inf
            self._channels.append(state)
        self._folded_by = ""
        for known in before:
            if self._configured(known.name):
                continue
            if known.joined_as:
                self._post("PART", known.name, _UNNAMED)
                log.warning("%s: no longer in the settings, and left.", self._label(known.name))
                self._listener.on_left(known.joined_as, "no longer in the settings")
            elif known.is_asked_for:
                self._unwanted.add(self._client.fold(known.name))
        if self._takes_part:
            self._leave_out()
            self._look_round()

    async def rejoin_loop(self) -> None:
        """Look for lost channels now and then: a server may answer a JOIN with nothing at all."""
        while True:
            await anyio.sleep(self._timeouts.look_round)
            self._look_round()

    def _look_round(self) -> None:
        """Return to the channels that we are not in, and might be."""
        for channel in self._channels:
            if not self._client.in_channel(channel.name) and not self._gave_up(channel):
                self._return_after(0, channel)

    def on_join(self, line: IrcMessage) -> None:
        """Note that we are in a channel, or leave one that the settings do not name."""
        if not self._client.is_own(line.source):
            return
        for name in filter(self._client.isupport.is_channel, line.targets):
            channel = self._configured(name)
            if channel is None:
                self._leave(name)
                continue
            self._unwanted.discard(self._client.fold(name))
            channel.is_asked_for = False
            channel.joined_as, channel.joined_at = name, anyio.current_time()
            channel.refusals = 0
            channel.not_before = -inf
            channel.is_listed = False
            self._listener.on_joined(name)
            channel.who = self._who_requests.ask(name)

    def _leave(self, name: str) -> None:
        """Leave a channel that the settings do not name.

        Where the server cuts or completes names, it is what it made of one of ours, which is not
        tried again for long: the people there would see us come and go.
        """
        folded = self._client.fold(name)
        if folded in self._unwanted:
            self._unwanted.discard(folded)
            self._post("PART", name, _UNNAMED)
            return
        self._post("PART", name, "only here by invitation of my operator")
        renamed = [
            (one, why) for one in self._channels if (why := self._why_renamed(one.name, name))
        ]
        # One that is not to be tried again yet was asked for twice: this is the second answer.
        if not any(one.is_asked_for or _is_too_soon(one) for one, _ in renamed):
            label = self._label(name)
            log.warning("forced into %s, which the settings do not name: leaving it", label)
        pause = self._timeouts.forwarded
        for channel, why in renamed:
            if not channel.is_asked_for:
                continue
            channel.is_asked_for = False
            channel.not_before = anyio.current_time() + pause
            log.error(
                "the server takes %s for %s: %s, so it is neither joined nor recorded."
                " Retrying in %g s, or when the settings are reloaded.",
                self._label(channel.name),
                self._label(name),
                why,
                pause,
            )

    def _why_renamed(self, asked: str, name: str) -> str:
        """Why the server may join us to `name` when asked for another; empty if it would not."""
        if _is_cut(name, asked):
            return "its name is too long there"
        is_safe = asked[:1] == name[:1] == "!"
        if is_safe and self._client.is_same_channel(asked[1:], name[1 + _CHANNEL_ID :]):
            return "IRC_CHANNELS must name it in full"
        return ""

    def on_names_end(self, line: IrcMessage) -> None:
        """Report that a member list is complete, unless WHO is about to show the accounts."""
        channel = self._named_in(line)
        if channel is None or not self._client.in_channel(channel.name):
            return
        channel.is_listed = True
        if self._client.isupport.whox and channel.who:
            self._start(self._complete_without_accounts, channel, channel.who)
        else:
            self._complete(channel)

    def on_who_end(self, line: IrcMessage) -> None:
        """Report that a member list is complete, with the accounts."""
        if channel := self._named_in(line):
            self._complete(channel)

    async def _complete_without_accounts(self, channel: ChannelState, who: QueuedLine) -> None:
        """Do without accounts if our WHO is not answered for a while once it has left."""
        await who.ended.wait()
        await anyio.sleep(self._timeouts.accounts)
        if channel.who is who:
            self._complete(channel)

    def _complete(self, channel: ChannelState) -> None:
        """Report a member list once, unless we have left the channel since."""
        if channel.is_listed and self._client.in_channel(channel.name):
            channel.is_listed = False
            self._listener.on_members_complete(channel.joined_as)

    def on_kick(self, line: IrcMessage) -> None:
        """Return later if we were kicked."""
        kicker = line.source.nick if line.source else "the server"
        self._left(recorded_reason(f"kicked by {kicker}", line.params[2:3]))

    def on_part(self, line: IrcMessage) -> None:
        """Return later if the server made us part; at once if it was by settings of before."""
        why = recorded_reason("parted", line.params[1:2])
        if self._client.is_own(line.source):
            self._undo_parts(line.targets, why)
        self._left(why)

    def _undo_parts(self, names: Sequence[str], why: str) -> None:
        """Return to channels that one reload had us leave, and another named before we had."""
        for name in names:
            channel = self._configured(name)
            if channel and not channel.joined_as:
                self._listener.on_left(name, why)
                self._return_after(0, channel)

    def on_server_lost(self, why: str) -> None:
        """A bouncer lost its server: we are in no channel until it joins them again."""
        for channel in self._channels:
            if channel.joined_as:
                log.warning("%s: %s.", self._label(channel.name), why.rstrip("."))
                self._listener.on_left(channel.joined_as, why)
                channel.joined_as = ""

    def on_refused(self, line: IrcMessage) -> None:
        """Try a channel again later that did not let us in."""
        channel = self._named_in(line)
        if channel is None or self._client.in_channel(channel.name):
            return
        channel.is_asked_for = False
        pause = nth_pause(self._timeouts.refused, channel.refusals)
        channel.refusals += 1
        log.warning(
            "%s refused us: %s.%s Retrying in %g s.",
            self._label(channel.name),
            line.params[-1].rstrip("."),
            _REMEDIES.get(line.command, ""),
            pause,
        )
        self._return_after(pause, channel)

    def on_forwarded(self, line: IrcMessage) -> None:
        """Try a channel much later that sent us elsewhere: `470 me #tea ##tea :Forwarding to ...`.

        Its operators mean it, and the people there would see us come and go at each try.
        """
        channel = self._named_in(line)
        if channel is None or self._client.in_channel(channel.name):
            return
        channel.is_asked_for = False
        pause = self._timeouts.forwarded
        channel.not_before = anyio.current_time() + pause
        log.warning(
            "%s forwards us to %s: %s. Retrying in %g s, or when the settings are reloaded.",
            self._label(channel.name),
            shown(line.params[2]) if len(line.params) > 3 else "another channel",
            line.params[-1].rstrip("."),
            pause,
        )

    def _left(self, why: str) -> None:
        """Handle the loss of every channel that pydle no longer has."""
        for channel in self._channels:
            if channel.joined_as and not self._client.in_channel(channel.name):
                self._listener.on_left(channel.joined_as, why)
                channel.joined_as = ""
                self._after_kick(channel, why)

    def _after_kick(self, channel: ChannelState, why: str) -> None:
        if anyio.current_time() - channel.joined_at > self._timeouts.forgiven:
            channel.kicks = 0
        channel.kicks += 1
        label = self._label(channel.name)
        if self._gave_up(channel):
            log.error("%s: %s. Staying out until the next connection.", label, why)
        else:
            log.warning("%s: %s. Returning later.", label, why)
            self._return_after(self._timeouts.rejoin[channel.kicks - 1], channel)

    def _gave_up(self, channel: ChannelState) -> bool:
        was_kicked_out = channel.kicks > len(self._timeouts.rejoin)
        return channel.left_out or was_kicked_out or _is_too_soon(channel)

    def _return_after(self, pause: float, channel: ChannelState) -> None:
        if not channel.returning:
            channel.returning = True
            self._start(self._return, pause, channel)

    async def _return(self, pause: float, channel: ChannelState) -> None:
        """Return after a pause, unless by then we are there, or are to stay out."""
        await anyio.sleep(pause)
        channel.returning = False
        is_named = any(channel is one for one in self._channels)
        if is_named and not (self._client.in_channel(channel.name) or self._gave_up(channel)):
            self._join([channel])

    def is_configured(self, name: str) -> bool:
        """Whether the settings name this channel."""
        return self._configured(name) is not None

    def _named_in(self, line: IrcMessage) -> ChannelState | None:
        """The configured channel of a numeric: `366 me #tea :End of /NAMES list`."""
        return self._configured(line.params[1]) if len(line.params) > 1 else None

    def _configured(self, name: str) -> ChannelState | None:
        casemapping = self._client.casemapping
        if self._folded_by != casemapping:  # asked about every line, with hundreds of channels
            fold = self._client.fold
            self._by_name = {fold(channel.name): channel for channel in self._channels}
            self._folded_by = casemapping
        return self._by_name.get(self._client.fold(name))


def _is_too_soon(channel: ChannelState) -> bool:
    return anyio.current_time() < channel.not_before


def _lines_of(channels: Sequence[ChannelState], at_most: int) -> Iterator[list[ChannelState]]:
    """The channels of each JOIN, as many as a line and the server accept, those with keys first."""
    line: list[ChannelState] = []
    for channel in sorted(channels, key=lambda one: not one.key):
        size = len(" ".join(_join_parameters([*line, channel])).encode())
        if line and (len(line) == at_most or size > _JOIN_BYTES):
            yield line
            line = []
        line.append(channel)
    if line:
        yield line


def _is_cut(name: str, whole: str) -> bool:
    """Whether `name` is the first bytes of `whole`; a character cut in two was read as cp1252."""
    read = whole.encode()
    return len(name) < len(whole) and any(
        read.startswith(name[:end].encode() + name[end:].encode("cp1252", "replace"))
        for end in range(len(name), max(len(name) - _LONGEST_PART, 1) - 1, -1)
    )


def _join_parameters(channels: Sequence[ChannelState]) -> list[str]:
    """Names and keys, a key at the place of its channel (RFC 2812 3.2.1)."""
    keys = [channel.key for channel in channels if channel.key]
    return [",".join(channel.name for channel in channels), *([",".join(keys)] if keys else [])]
