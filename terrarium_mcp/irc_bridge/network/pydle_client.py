"""The one place that reaches behind the public names of pydle.

Which private names and handlers it relies on, and what each is expected to do, is written down in
`tests/test_pydle.py`, which fails by that name when a new pydle changes it; until then the
dependency is pinned to one minor release.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pydle

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irc_message import IrcMessage, Source, parse_source
from terrarium_mcp.chat.on_record import reason_on_record
from terrarium_mcp.irc_bridge.network.chathistory import CAPABILITIES
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from terrarium_mcp.irc_bridge.network.log_limit import LogLimit
from terrarium_mcp.irc_bridge.network.member_prefixes import ranks_after
from terrarium_mcp.irc_bridge.network.sasl import Sasl
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig

Post = Callable[..., None]
"""Queues a line for the server: `post("JOIN", "#tea")`."""
End = Callable[[str], None]
"""Gives up the connection for the reason it is passed."""

_PYDLES_TOKENS = frozenset(("CHANMODES", "EXCEPTS", "INVEX", "NAMESX", "UHNAMES"))
"""The ISUPPORT tokens that pydle reads for itself."""


@dataclass(slots=True)
class PydleMessage:
    """A line in the shape that pydle's handlers read."""

    command: str
    params: list[str]
    source: str | None
    tags: dict[str, str]


class CaseMapped(MutableMapping[str, dict[str, Any]]):
    """Records by nick or channel, compared as the network does.

    Replaces pydle's own mapping, which gets `strict-rfc1459` and `ascii` wrong.
    """

    def __init__(self, folded: Callable[[str], str]) -> None:
        self._folded = folded
        self._records: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str | None) -> dict[str, Any]:
        return self._records[self._folded(name or "")]  # pydle looks up the None of no source

    def __setitem__(self, name: str, record: dict[str, Any]) -> None:
        self._records[self._folded(name)] = record

    def __delitem__(self, name: str) -> None:
        del self._records[self._folded(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


class PydleClient(pydle.Client):
    """pydle without its I/O: it negotiates, and keeps track of channels and their members.

    It reads nothing by itself, and whatever it sends goes to `post`.
    """

    def __init__(
        self,
        config: ServerConfig,
        sasl: Sasl,
        post: Post,
        end: End,
        isupport: Isupport,
        limit: LogLimit,
    ) -> None:
        self._configured_nick = config.nick
        self._login_by_sasl = sasl
        self._post = post
        self._end = end
        self._limit = limit
        self.isupport = isupport
        """What the server says of itself."""
        self._cap_lines: list[str] = []
        self._offered: set[str] = set()
        self._wants_history = config.wants_history
        super().__init__(config.nick, username=config.username, realname=config.realname)
        self.password = config.password

    @property
    def nick(self) -> str:
        """The nick we have, or are about to ask for."""
        return self.nickname if self.registered else self._configured_nick

    async def register(self) -> None:
        """Queue CAP LS, PASS, NICK and USER."""
        await self._register()

    async def complete_registration(self, line: IrcMessage) -> None:
        """Take the nick that the server greets us by, unless an earlier line told it."""
        await self._registration_completed(_for_pydle(line))

    async def handle(self, line: IrcMessage) -> None:
        """Let pydle's own handler, if it has one, have a line. It may raise anything."""
        # Not by `on_raw`, which logs a traceback for each line that its handlers do not expect.
        handler = getattr(type(self), f"on_raw_{line.command.lower()}", None)
        if handler is not None:
            await handler(self, _for_pydle(line))

    async def update_user(self, source: Source, **facts: str) -> None:
        """Add the user if new, and store what the mask and `facts` say."""
        await self._sync_user(source.nick, _mask(source) | facts)

    def add_channel(self, channel: str) -> None:
        """Start to keep track of a channel, with no members yet."""
        self._create_channel(channel)

    @property
    def is_behind_bouncer(self) -> bool:
        """Whether ZNC stands between us and the network: it names capabilities of its own."""
        return any(name.startswith("znc.in/") for name in self._offered)

    def has_capability(self, *names: str) -> bool:
        """Whether any of these IRCv3 capabilities is enabled."""
        return any(map(self._capabilities.get, names))

    @property
    def casemapping(self) -> str:
        """How nicks and channels compare: `rfc1459` until the server says otherwise."""
        return self.isupport.casemapping

    def fold(self, name: str) -> str:
        """The form in which this network compares nicks and channels."""
        return fold(name, self.casemapping)

    def is_same_nick(self, left: str, right: str) -> bool:
        """Compare two nicks."""
        return self.fold(left) == self.fold(right)

    def is_same_channel(self, left: str, right: str) -> bool:
        """Compare two channels."""
        return self.fold(left) == self.fold(right)

    def is_own(self, source: Source | None) -> bool:
        """Whether a line from `source` is our own."""
        return source is not None and self.is_same_nick(source.nick, self.nickname)

    def is_channel(self, chan: str) -> bool:
        """Whether a name is a channel's."""
        return self.isupport.is_channel(chan)

    async def rawmsg(self, command: str, *args: str) -> None:
        """Queue a line."""
        self._post(command, *args)

    async def disconnect(self, expected: bool = True) -> None:  # noqa: ARG002 - pydle's signature
        """End after a KILL or our own QUIT."""
        self._end("the server ended our session")

    async def on_data_error(self, exception: Exception) -> None:
        """End with the server's ERROR as the reason."""
        self._end(reason_on_record(str(exception)))

    async def _accept(self, value: str | None) -> bool:  # noqa: ARG002 - pydle's signature
        return True

    # pydle looks for one method per capability, by name.
    on_capability_batch_available = _accept
    on_capability_draft_message_redaction_available = _accept
    on_capability_labeled_response_available = _accept
    on_capability_message_redaction_available = _accept
    on_capability_server_time_available = _accept
    on_capability_setname_available = _accept
    on_capability_standard_replies_available = _accept

    async def _accept_history(self, value: str | None) -> bool:  # noqa: ARG002 - pydle's signature
        """Request history if we will ask for it: this silences what a server sends by itself.

        Without a batch around them and a time, old lines would pass for new ones.
        """
        offers_history = not self._offered.isdisjoint(CAPABILITIES)
        return self._wants_history and offers_history and {"batch", "server-time"} <= self._offered

    on_capability_chathistory_available = _accept_history
    on_capability_draft_chathistory_available = _accept_history
    on_capability_event_playback_available = _accept_history
    on_capability_draft_event_playback_available = _accept_history

    async def on_capability_echo_message_available(self, value: str | None) -> bool:  # noqa: ARG002 - pydle's signature
        """Request echoes of the network; those of a bouncer say nothing of what it did."""
        return not self.is_behind_bouncer

    async def on_capability_sasl_available(self, value: str | None) -> bool:
        """Request SASL if we have a password and may send it."""
        return self._login_by_sasl.accepts(value)

    async def on_capability_sasl_enabled(self) -> bool | None:
        """Begin; True keeps the negotiation open until 903, None goes on without."""
        return self._login_by_sasl.begin() or None

    async def on_raw_cap(self, message: PydleMessage) -> None:
        """Collect a list that comes in several lines (`CAP * LS * :...`) before pydle sees it."""
        if len(message.params) > 2 and message.params[1].upper() in ("LS", "LIST"):
            self._cap_lines.append(message.params[-1])
            if len(message.params) > 3 and message.params[2] == "*":
                return
            message.params[2:] = [" ".join(self._cap_lines)]
            self._cap_lines.clear()
            self._note_offered(message.params[2])
        await super().on_raw_cap(message)

    async def on_raw_cap_new(self, params: list[str]) -> None:
        """Forget an earlier answer to a capability that comes back, so that pydle asks again."""
        for name in self._note_offered(params[0]):
            self._capabilities.pop(name, None)
        await super().on_raw_cap_new(params)

    def _note_offered(self, listed: str) -> set[str]:
        """Note the capabilities of a list; returns their names."""
        names = {offered.partition("=")[0].lower() for offered in listed.split()}
        self._offered |= names
        return names

    async def on_raw_005(self, message: PydleMessage) -> None:
        """Read the tokens ourselves, and leave to pydle those that only it needs."""
        tokens = message.params[1:-1]
        self.isupport, unusable = self.isupport.after(tokens)
        for token in tokens:
            if token.partition("=")[0].upper() in _PYDLES_TOKENS:
                try:  # one at a time: one that pydle cannot read is lost alone
                    await super().on_raw_005(replace(message, params=["", token, ""]))
                except (AttributeError, LookupError, TypeError, ValueError):
                    unusable.append(token)
        for token in unusable:
            self._limit.warning(
                f"ISUPPORT {token[:12]}",
                "ignored a token of the server's ISUPPORT: %s",
                ascii(token[:60]),
            )
        self._nickname_prefixes = dict(self.isupport.prefix)
        self._remap()  # the CASEMAPPING may be another

    async def on_isupport_namesx(self, value: str | None) -> None:
        """Ask for every prefix of a member, unless multi-prefix already does."""
        if not self.has_capability("multi-prefix"):
            await super().on_isupport_namesx(value)

    async def on_isupport_uhnames(self, value: str | None) -> None:
        """Ask for hosts in NAMES, unless userhost-in-names already does."""
        if not self.has_capability("userhost-in-names"):
            await super().on_isupport_uhnames(value)

    def _reset_attributes(self) -> None:
        super()._reset_attributes()
        self._remap()

    def _remap(self) -> None:
        self.channels = self._case_mapped(self.channels, "name")
        self.users = self._case_mapped(self.users, "nickname")

    def _case_mapped(self, records: Mapping[str, dict[str, Any]], name: str) -> CaseMapped:
        mapped = CaseMapped(self.fold)
        mapped.update({record[name]: record for record in records.values()})
        return mapped

    def _parse_user(self, data: str | None) -> tuple[str | None, dict[str, str]]:
        if not data:
            return None, {}
        source = parse_source(data)
        return source.nick, _mask(source)

    def _create_channel(self, channel: str) -> None:
        super()._create_channel(channel)
        self.channels[channel]["name"] = channel

    def _destroy_channel(self, channel: str) -> None:
        with suppress(KeyError):  # a channel we were never in
            super()._destroy_channel(channel)

    async def _create_user(self, nickname: str | None) -> None:
        # pydle would send a WHOIS, and wait for it, here and in _rename_user.
        if nickname and "." not in nickname:  # a name with a dot is a server's
            self.users[nickname] = {"nickname": nickname}

    async def _rename_user(self, user: str, new: str) -> None:
        user = self.spelling(user)
        self.users[new] = {**self.users.pop(user, {}), "nickname": new}
        for channel in self.channels.values():
            if user in channel["users"]:
                channel["users"] = (channel["users"] - {user}) | {new}
            for letter, holders in channel["modes"].items():
                channel["modes"][letter] = [new if one == user else one for one in holders]

    def _destroy_user(
        self,
        nickname: str,
        channel: str | None = None,
        monitor_override: bool = False,
    ) -> None:
        with suppress(KeyError):  # a user whose JOIN we never saw
            super()._destroy_user(self.spelling(nickname), channel, monitor_override)

    def _parse_channel_modes(
        self, channel: str, modes: Sequence[str], current: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return ranks_after(
            self.channels[channel]["modes"] if current is None else current,
            [*modes[:1], *map(self.spelling, modes[1:])],
            ranking=set(self._nickname_prefixes.values()),
            kinds=self._channel_modes_behaviour,
        )

    def spelling(self, nick: str) -> str:
        """`nick` in the spelling of the user who has it."""
        return str(self.users[nick]["nickname"]) if nick in self.users else nick


def _mask(source: Source) -> dict[str, str]:
    """The known parts of a mask but the nick, by pydle's names for them.

    A nick stays spelled as in the member lists, which pydle does not compare as the network does.
    """
    parts = {"username": source.user, "hostname": source.host}
    return {name: value for name, value in parts.items() if value}


def _for_pydle(line: IrcMessage) -> PydleMessage:
    source = str(line.source) if line.source else None
    return PydleMessage(line.command, list(line.params), source, dict(line.tags))
