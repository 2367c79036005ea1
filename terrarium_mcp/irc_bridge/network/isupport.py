"""What the server says it can do (RPL_ISUPPORT), and how names compare there."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold
from terrarium_mcp.irc_bridge.network.base import Base, Heard
from terrarium_mcp.irc_bridge.network.folded import Folded

log = logging.getLogger(__name__)


class Isupport(Base):
    """Reads 005 token by token and compares names as the server does."""

    casemapping = DEFAULT_CASEMAPPING

    @property
    def isupport(self) -> Mapping[str, str]:
        """Tokens and their values; a token without a value is empty."""
        return {
            token: value if isinstance(value, str) else ""
            for token, value in self._isupport.items()
            if value is not False
        }

    def fold(self, name: str) -> str:
        """The form under which this network compares nicks and channels."""
        return fold(name, self.casemapping)

    def is_same_nick(self, left: str, right: str) -> bool:
        """Compare two nicks."""
        return self.fold(left) == self.fold(right)

    def is_same_channel(self, left: str, right: str) -> bool:
        """Compare two channels."""
        return self.fold(left) == self.fold(right)

    def split_status(self, target: str) -> tuple[str, str]:
        """`@#tea` is `("@", "#tea")`: only the operators of #tea are spoken to (STATUSMSG)."""
        channel = target.lstrip("".join(self._status_message_prefixes))
        if channel != target and self.is_channel(channel):
            return target.removesuffix(channel), channel
        return "", target

    def _reset_attributes(self) -> None:
        super()._reset_attributes()
        self._refold()

    def _refold(self) -> None:
        self.channels = self._folded(self.channels, "name")
        self.users = self._folded(self.users, "nickname")

    def _folded(self, records: Mapping[str, dict[str, Any]], name: str) -> Folded:
        folded = Folded(self.fold)
        folded.update({record[name]: record for record in records.values()})
        return folded

    async def on_raw_005(self, message: Heard) -> None:
        """Take one token at a time: one that pydle cannot read costs only itself."""
        for token in message.params[1:-1]:
            if token.startswith("-"):
                self._isupport.pop(token[1:].upper(), None)
                continue
            try:
                await super().on_raw_005(replace(message, params=["", token, ""]))
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                log.info("ISUPPORT %s is beyond pydle: %r", token, error)

    async def on_isupport_casemapping(self, value: str) -> None:
        """Compare as the server says from now on."""
        self.casemapping = value or DEFAULT_CASEMAPPING
        self._refold()

    async def on_isupport_namesx(self, value: str | None) -> None:
        """Ask for all ranks of a member, unless the capability of the same meaning is on."""
        if not self._capabilities.get("multi-prefix"):
            await super().on_isupport_namesx(value)

    async def on_isupport_uhnames(self, value: str | None) -> None:
        """Ask for hosts in NAMES, unless the capability of the same meaning is on."""
        if not self._capabilities.get("userhost-in-names"):
            await super().on_isupport_uhnames(value)
