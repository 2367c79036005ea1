"""Who is in which channel, with the account and absence that a single WHO per channel reveals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.chat.records import Member
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.send_queue import QueuedLine

_SHOW_ACCOUNTS = ("JOIN", "ACCOUNT")
"""What shows an account in its parameters: the one after the line, not before it."""

_WHOX_TOKEN = "542"  # noqa: S105 - marks the answers to our own WHO; up to three digits


class Membership:
    """Reads pydle's record of channels and users, and adds what pydle does not learn itself."""

    def __init__(self, client: PydleClient, post_who: Callable[[IrcMessage], QueuedLine]) -> None:
        self._client = client
        self._post_who = post_who

    def members(self, channel: str) -> list[Member]:
        """Every member of `channel`, including us; empty if we are not in it.

        User and host are there as far as lines and the answers to WHO showed them.
        """
        if channel not in self._client.channels:
            return []
        record = self._client.channels[channel]
        nicks = sorted(record["users"], key=self._client.fold)
        return [self._member(nick, record["modes"]) for nick in nicks]

    def nicks(self, channel: str) -> frozenset[str]:
        """The nicks of the members alone: to look up each of 1,000 takes 10 ms."""
        if channel not in self._client.channels:
            return frozenset()
        return frozenset(self._client.channels[channel]["users"])

    def channels_of(self, nick: str) -> list[str]:
        """The channels that we share with `nick`."""
        spelling = self._client.spelling(nick)
        channels = self._client.channels.values()
        return [channel["name"] for channel in channels if spelling in channel["users"]]

    def joined_channels(self) -> list[str]:
        """The channels that we are in."""
        return [channel["name"] for channel in self._client.channels.values()]

    def _member(self, nick: str, ranks: Mapping[str, Sequence[str]]) -> Member:
        known = self._client.users.get(nick, {})
        prefixes = self._client.isupport.prefix.items()
        held = (prefix for prefix, mode in prefixes if nick in ranks.get(mode, ()))
        return Member(
            nick,
            rank=next(held, ""),
            away=bool(known.get("away")),
            account=known.get("account") or "",
            user=known.get("username") or "",
            host=known.get("hostname") or "",
        )

    async def on_join(self, line: IrcMessage) -> None:
        """Add a member; the names in a channel that we join ourselves follow in 353."""
        if line.source is None:
            return
        facts = {}
        if len(line.params) > 2:  # IRCv3 extended-join: channel, account, real name
            facts["account"] = "" if line.params[1] == "*" else line.params[1]
        await self._client.update_user(line.source, **facts)
        for channel in filter(self._client.isupport.is_channel, line.targets):
            if self._client.is_own(line.source) and not self._client.in_channel(channel):
                self._client.add_channel(channel)
            if self._client.in_channel(channel):
                self._client.channels[channel]["users"].add(self._client.spelling(line.source.nick))

    def ask_who(self, channel: str) -> QueuedLine:
        """Ask for every member's account, host and absence in one request, which is returned."""
        fields = (f"%tcuhnfa,{_WHOX_TOKEN}",) if self._client.isupport.whox else ()
        return self._post_who(IrcMessage("WHO", (channel, *fields)))

    def on_who(self, line: IrcMessage) -> None:
        """Read an answer to WHO: `me channel user host server nick flags ...`."""
        if len(line.params) > 6:
            _, _, user, host, _, nick, flags = line.params[:7]
            self._update(nick, username=user, hostname=host, away=flags.startswith("G"))

    def on_whox(self, line: IrcMessage) -> None:
        """Read an answer to WHO with WHOX: `me token channel user host nick flags account`."""
        if len(line.params) == 8 and line.params[1] == _WHOX_TOKEN:
            _, _, _, user, host, nick, flags, account = line.params
            account = "" if account == "0" else account
            away = flags.startswith("G")
            self._update(nick, username=user, hostname=host, away=away, account=account)

    def learn_account(self, line: IrcMessage) -> None:
        """Note the account that a line's sender uses (IRCv3 account-tag)."""
        if line.source and "account" in line.tags:
            self._update(line.source.nick, account=line.tags["account"])

    def with_account(self, line: IrcMessage) -> IrcMessage:
        """A line with the account of its sender, where the server tells accounts but does not tag.

        Only of members, before the line changes anything: of others no logout is announced.
        """
        if line.source is None or line.replay or line.command in _SHOW_ACCOUNTS:
            return line
        has = self._client.has_capability
        if has("account-tag") or not (has("account-notify") and has("extended-join")):
            return line
        account = self._client.users.get(line.source.nick, {}).get("account")
        if not account or not self.channels_of(line.source.nick):
            return line
        return replace(line, tags={**line.tags, "account": account})

    def _update(self, nick: str, **facts: str | bool) -> None:
        if nick in self._client.users:
            self._client.users[nick].update(facts)
