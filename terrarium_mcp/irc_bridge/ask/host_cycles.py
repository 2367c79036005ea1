"""People who quit and are back at once, with another host: their commands are taken up again.

Where a login or a cloak changes a host, a server without CHGHOST has the person quit ("Registered",
"Changing host") and join again in the same breath.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import anyio

from terrarium_mcp.chat.irc_message import IrcMessage
from terrarium_mcp.irc_bridge.ask.command_queue import PendingCommand
from terrarium_mcp.irc_bridge.ask.commands import Command

BACK_WITHIN = 2.0
"""Seconds from a QUIT to the JOIN: the server sends them together."""


class HostCycles:
    """The commands of people who quit just now. `fold` folds nicks and channels."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._dropped: list[tuple[float, PendingCommand]] = []

    def quit(self, dropped: Iterable[PendingCommand]) -> None:
        """A person quit, and these commands of theirs were dropped.

        One of whose answer a part was said is not begun again, nor is a removal that is being done.
        """
        now = anyio.current_time()
        self._dropped = [one for one in self._dropped if now - one[0] <= BACK_WITHIN]
        self._dropped += [
            (now, one) for one in dropped if not (one.watch.has_spoken or one.is_binding)
        ]

    def joined(self, line: IrcMessage) -> list[PendingCommand]:
        """The commands of whoever joins with this line, as if just given, if they are back."""
        since = anyio.current_time() - BACK_WITHIN
        back = [
            one for at, one in self._dropped if at >= since and self._is_back(one.command, line)
        ]
        self._dropped = [(at, one) for at, one in self._dropped if one not in back]
        return [self._again(one, line) for one in back]

    def _is_back(self, command: Command, line: IrcMessage) -> bool:
        """Whether a JOIN is that of the asker, into the channel in which they asked.

        They have the same account, or the same user where that is not known. In private, where
        another could read the answer, only the account shows it.
        """
        if line.source is None or self._fold(line.source.nick) != self._fold(command.asker):
            return False
        account = _account_in(line)
        if command.account and account:
            is_same = command.account.lower() == account.lower()
        else:
            is_same = command.channel != "" and command.source.user == line.source.user
        channels = map(self._fold, line.targets)
        return is_same and (not command.channel or self._fold(command.channel) in channels)

    def _again(self, dropped: PendingCommand, line: IrcMessage) -> PendingCommand:
        command = replace(dropped.command, source=line.source or dropped.command.source)
        return PendingCommand(command, dropped.message, dropped.flow)


def _account_in(join: IrcMessage) -> str:
    """The account that a JOIN shows (IRCv3 extended-join, or account-tag)."""
    account = join.params[1] if len(join.params) > 2 else join.tags.get("account", "")
    return "" if account == "*" else account
