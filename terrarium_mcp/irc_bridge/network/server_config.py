"""Where one network is, who we are there, and which channels we join."""

from dataclasses import dataclass, field

from terrarium_mcp.settings import ConfiguredChannel


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """The settings of one network. Its repr shows no secret."""

    network: str = ""
    """The network's name in the settings, for messages to people."""
    host: str
    port: int
    tls: bool = True
    tls_verify: bool = True
    tls_cafile: str = ""
    """Certificates to trust besides the system's, for a server with a self-signed one."""
    tls_certfile: str = ""
    """Our own certificate: if set, we log in by SASL EXTERNAL, or do not register at all."""
    tls_keyfile: str = ""
    """Its key; empty if it is in the same file."""
    nick: str
    username: str = "terrarium"
    realname: str
    password: str = field(default="", repr=False)
    """The server's password (PASS)."""
    sasl_username: str = ""
    sasl_password: str = field(default="", repr=False)
    """If set, we log in by SASL over TLS (EXTERNAL is tried first), or do not register at all."""
    channels: tuple[ConfiguredChannel, ...] = ()
    """The channels to join, and no others."""
    wants_history: bool = True
    """Whether to fetch what was said while we were away (IRCv3 chathistory), where that is offered.
    If not, a server that replays history by itself goes on doing so."""

    def label(self, channel: str) -> str:
        """A channel with its network, for messages to people: `libera/#tea`."""
        return f"{self.network}/{channel}" if self.network else channel
