"""Who is in our channels: pydle's record of it, without its questions and its gaps."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from terrarium_mcp.irc_bridge.network.base import Heard
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from terrarium_mcp.irc_bridge.network.line import parse_source
from terrarium_mcp.irc_bridge.network.ranks import ranks_after

_WHOX_TOKEN = "542"  # noqa: S105 - tells our question's answers from others, up to three digits
_NOBODY = {"account": None, "identified": False, "away": False, "away_message": None}


@dataclass(frozen=True)
class Member:
    """Somebody in a channel."""

    nick: str
    rank: str
    """The highest of `~&@%+`, or empty."""
    away: bool
    account: str


class Membership(Isupport):
    """No hidden WHOIS: one WHO per channel tells accounts and absence, the rest is overheard."""

    def members(self, channel: str) -> list[Member]:
        """Everybody in `channel`, ourselves too; nobody if we are not there."""
        if channel not in self.channels:
            return []
        room = self.channels[channel]
        return [self._member(nick, room["modes"]) for nick in sorted(room["users"], key=self.fold)]

    def channels_of(self, nick: str) -> list[str]:
        """Where we share a channel with `nick`."""
        spelled = self._spelled(nick)
        return [room["name"] for room in self.channels.values() if spelled in room["users"]]

    def joined_channels(self) -> list[str]:
        """Where we are."""
        return [room["name"] for room in self.channels.values()]

    def _member(self, nick: str, ranks: Mapping[str, Sequence[str]]) -> Member:
        person = self.users.get(nick, {})
        held = (
            sign for sign, mode in self._nickname_prefixes.items() if nick in ranks.get(mode, ())
        )
        return Member(nick, next(held, ""), bool(person.get("away")), person.get("account") or "")

    def _spelled(self, nick: str) -> str:
        """`nick` as its owner spells it."""
        return str(self.users[nick]["nickname"]) if nick in self.users else nick

    def _parse_user(self, data: str | None) -> tuple[str | None, dict[str, str]]:
        if not data:
            return None, {}
        source = parse_source(data)
        found = {"nickname": source.nick, "username": source.user, "hostname": source.host}
        return source.nick, {name: value for name, value in found.items() if value}

    def _create_channel(self, channel: str) -> None:
        super()._create_channel(channel)
        self.channels[channel]["name"] = channel

    async def _create_user(self, nickname: str | None) -> None:
        if nickname and "." not in nickname:  # a name with a dot is a server
            self.users[nickname] = {"nickname": nickname, **_NOBODY}

    async def _rename_user(self, user: str, new: str) -> None:
        person: dict[str, Any] = self.users.pop(user, dict(_NOBODY))
        self.users[new] = {**person, "nickname": new}
        for room in self.channels.values():
            if user in room["users"]:
                room["users"] = (room["users"] - {user}) | {new}
            for letter, holders in room["modes"].items():
                room["modes"][letter] = [new if holder == user else holder for holder in holders]

    def _destroy_user(
        self,
        nickname: str,
        channel: str | None = None,
        monitor_override: bool = False,
    ) -> None:
        with suppress(KeyError):  # somebody we never saw arrive
            super()._destroy_user(nickname, channel, monitor_override)

    def _destroy_channel(self, channel: str) -> None:
        with suppress(KeyError):  # a channel we were never in
            super()._destroy_channel(channel)

    def _parse_channel_modes(
        self, channel: str, modes: Sequence[str], current: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        spelled = [*modes[:1], *map(self._spelled, modes[1:])]
        return ranks_after(
            self.channels[channel]["modes"] if current is None else current,
            spelled,
            ranking=set(self._nickname_prefixes.values()),
            kinds=self._channel_modes_behaviour,
        )

    async def on_raw_join(self, message: Heard) -> None:
        """Note who came; the names of a channel that we join ourselves follow in 353."""
        nick, person = self._parse_user(message.source)
        if nick is None:
            return
        if len(message.params) > 2:  # extended-join
            person["account"] = "" if message.params[1] == "*" else message.params[1]
        await self._sync_user(nick, person)
        for channel in message.params[0].split(","):
            if self.is_same_nick(nick, self.nickname) and not self.in_channel(channel):
                self._create_channel(channel)
            if self.in_channel(channel):
                self.channels[channel]["users"].add(nick)
            await self.on_join(channel, nick)

    async def on_raw_invite(self, message: Heard) -> None:
        """Stay where we are: we only sit in the channels that the settings name."""

    async def ask_who(self, channel: str) -> None:
        """Ask for everybody's account, host and absence, in one question."""
        fields = (f"%tcuhnfa,{_WHOX_TOKEN}",) if "WHOX" in self._isupport else ()
        await self.rawmsg("WHO", channel, *fields)

    async def on_raw_352(self, message: Heard) -> None:
        """Read an answer to WHO: `me channel user host server nick flags`."""
        if len(message.params) > 6:
            _, _, user, host, _, nick, flags = message.params[:7]
            self._met(nick, username=user, hostname=host, away=flags.startswith("G"))

    async def on_raw_354(self, message: Heard) -> None:
        """Read an answer to WHO with WHOX: `me token channel user host nick flags account`."""
        if len(message.params) == 8 and message.params[1] == _WHOX_TOKEN:
            _, _, _, user, host, nick, flags, account = message.params
            known = "" if account == "0" else account
            self._met(nick, username=user, hostname=host, away=flags.startswith("G"), account=known)

    def _met(self, nick: str, **person: str | bool) -> None:
        if nick in self.users:
            self.users[nick].update(person)
