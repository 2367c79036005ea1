"""Where one network is, who we are there, and which channels we join."""

from dataclasses import dataclass, field

from terrarium_mcp.settings import ConfiguredChannel


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
    channels: tuple[ConfiguredChannel, ...] = ()
    """The channels to join, and no others."""
