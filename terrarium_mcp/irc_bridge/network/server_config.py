"""Where one network is, who we are there, and which channels we join."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """The settings of one network. Its repr shows no secret."""

    host: str
    port: int
    tls: bool = True
    tls_verify: bool = True
    tls_cafile: str = ""
    """Certificates to trust besides the system's, for a server with a self-signed one."""
    nick: str
    username: str = "terrarium"
    realname: str
    password: str = field(default="", repr=False)
    """The server's password (PASS)."""
    sasl_username: str = ""
    sasl_password: str = field(default="", repr=False)
    """If set, we log in by SASL PLAIN over TLS, or do not register at all."""
    channels: tuple[str, ...] = field(default=(), repr=False)
    """The channels to join, and no others; `#chan key` where one needs a key."""
    wants_history: bool = True
    """Whether to fetch what was said while we were away (IRCv3 chathistory), where that is offered.
    If not, a server that replays history by itself goes on doing so."""
