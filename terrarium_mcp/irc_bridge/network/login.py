"""How to reach one network, and who we are there."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Login:
    """One network's door and our name behind it. Its repr holds no secret."""

    host: str
    port: int
    tls: bool = True
    tls_verify: bool = True
    tls_cafile: str = ""
    """Certificates to believe besides the system's, for a server that signs its own."""
    nick: str
    username: str = "terrarium"
    realname: str
    password: str = field(default="", repr=False)
    """The server's password (PASS)."""
    sasl_username: str = ""
    sasl_password: str = field(default="", repr=False)
    """With it we log in by SASL PLAIN, over TLS, or do not come in at all."""
    channels: tuple[str, ...] = field(default=(), repr=False)
    """The channels we sit in, and no others; `#chan key` where one needs a key."""
