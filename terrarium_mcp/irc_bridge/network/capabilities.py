"""What we ask of a server beyond RFC 1459 (IRCv3 capability negotiation)."""

from terrarium_mcp.irc_bridge.network.base import Base, Heard
from terrarium_mcp.irc_bridge.network.listener import Listener
from terrarium_mcp.irc_bridge.network.login import Login
from terrarium_mcp.irc_bridge.network.timing import Timing


class Capabilities(Base):
    """pydle's own capabilities, and those that a record of the chat lives by."""

    def __init__(self, login: Login, listener: Listener, timing: Timing) -> None:
        self._listed: list[str] = []
        super().__init__(login, listener, timing)

    @property
    def has_echo(self) -> bool:
        """Whether the server sends our own lines back to us."""
        return bool(self._capabilities.get("echo-message"))

    @property
    def has_history(self) -> bool:
        """Whether the server answers CHATHISTORY."""
        return any(map(self._capabilities.get, ("chathistory", "draft/chathistory")))

    async def _yes(self, value: str | None) -> bool:  # noqa: ARG002 - pydle's signature
        return True

    # pydle looks for one method per capability, by name.
    on_capability_batch_available = _yes
    on_capability_chathistory_available = _yes
    on_capability_draft_chathistory_available = _yes
    on_capability_draft_message_redaction_available = _yes
    on_capability_message_redaction_available = _yes
    on_capability_server_time_available = _yes
    on_capability_setname_available = _yes
    on_capability_standard_replies_available = _yes

    async def on_raw_cap(self, message: Heard) -> None:
        """Collect a list that comes in several lines (`CAP * LS * :...`) before pydle sees it."""
        if len(message.params) > 2 and message.params[1].upper() in ("LS", "LIST"):
            self._listed.append(message.params[-1])
            if len(message.params) > 3 and message.params[2] == "*":
                return
            message.params[2:] = [" ".join(self._listed)]
            self._listed.clear()
        await super().on_raw_cap(message)

    async def on_raw_cap_new(self, params: list[str]) -> None:
        """Look again at a capability that was here before and comes back."""
        for offered in params[0].split():
            self._capabilities.pop(offered.partition("=")[0].lower(), None)
        await super().on_raw_cap_new(params)
