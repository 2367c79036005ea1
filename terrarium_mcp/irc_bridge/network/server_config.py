"""Where one network is, who we are there, and which channels we join."""

from dataclasses import dataclass, field

from terrarium_mcp.settings import BadSetting, ConfiguredChannel, Settings, is_loopback


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """The settings of one network. Its repr shows no secret."""

    network: str = ""
    """The network's name in the settings, for messages to people."""
    host: str
    port: int
    tls: bool = True
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

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no log may show: the passwords, and the keys of channels."""
        keys = (channel.key for channel in self.channels)
        return tuple(filter(None, (self.password, self.sasl_password, *keys)))

    @property
    def display_name(self) -> str:
        """The network and its server, for people to read: `libera (irc.libera.chat)`."""
        return f"{self.network} ({self.host})" if self.network else self.host

    def label(self, target: str) -> str:
        """A channel or nick with its network, for messages to people: `libera/#tea`."""
        return f"{self.network}/{target}" if self.network else target


def server_config(settings: Settings) -> ServerConfig:
    """The connection parameters of the network that the settings name.

    Raises:
        BadSetting: no server or channel is set, or no contact for a public network, or a login
            without TLS, password or certificate.
    """
    _require_complete(settings)
    return ServerConfig(
        network=settings.network_name,
        host=settings.irc_server,
        port=settings.server_port,
        tls=settings.uses_tls,
        tls_cafile=str(settings.tls_cafile or ""),
        nick=settings.irc_nick,
        realname=realname(settings.contact),
        password=settings.server_password,
        tls_certfile=str(settings.tls_cert or ""),
        tls_keyfile=str(settings.tls_key or ""),
        sasl_username=settings.sasl_username,
        sasl_password=settings.sasl_password,
        channels=settings.irc_channels,
        wants_history=settings.history_hours > 0,
    )


def _require_complete(settings: Settings) -> None:
    """Raise BadSetting for what no connection can do without, and for half a login."""
    if not settings.irc_server:
        raise BadSetting(
            "IRC_SERVER is not set. Set it to the IRC server to record, e.g. irc.libera.chat,"
            " or run terrarium-mcp init."
        )
    if not settings.irc_channels:
        raise BadSetting("IRC_CHANNELS is not set. Set it to the channels to join, e.g. tea,mate.")
    if not settings.contact and not is_loopback(settings.irc_server):
        raise BadSetting(
            "TERRARIUM_CONTACT is not set. Public networks require a contact for a bot. Name its"
            " owner, e.g. TERRARIUM_CONTACT='ada on this network'."
        )
    if settings.tls_key and not settings.tls_cert:
        raise BadSetting(
            "TERRARIUM_TLS_KEY is set and TERRARIUM_TLS_CERT is not. Set it to the PEM file of the"
            " certificate that the key belongs to."
        )
    if settings.tls_cert and not settings.uses_tls:
        raise BadSetting(
            "TERRARIUM_TLS_CERT needs TLS, which is off. Set IRC_USE_SSL=on and IRC_PORT to the"
            " server's TLS port, usually 6697, or remove TERRARIUM_TLS_CERT."
        )
    if settings.sasl_username and not (settings.sasl_password or settings.tls_cert):
        raise BadSetting(
            "TERRARIUM_SASL_USERNAME is set and TERRARIUM_SASL_PASSWORD is not. Set it, or remove"
            " TERRARIUM_SASL_USERNAME."
        )
    if settings.sasl_password and not settings.uses_tls:
        raise BadSetting(
            "TERRARIUM_SASL_PASSWORD is sent over TLS only, which is off. Set IRC_USE_SSL=on and"
            " IRC_PORT to the server's TLS port, usually 6697, or remove TERRARIUM_SASL_PASSWORD."
        )


def plain_text_warning(settings: Settings) -> str:
    """Why anybody on the way can read the connection; "" if nobody can, or it is loopback."""
    if settings.uses_tls or is_loopback(settings.irc_server):
        return ""
    is_set = settings.irc_use_ssl is not None
    why = "IRC_USE_SSL is off" if is_set else "IRC_PORT is 6667, and IRC_USE_SSL is not set"
    return f"the connection to {settings.irc_server} is not encrypted ({why})"


def realname(contact: str) -> str:
    """What WHOIS shows of the bot. Some servers cut it at 50 bytes, so the contact leads."""
    about = "records, LLM bot"
    return f"contact: {contact}; {about}" if contact else f"terrarium-mcp: {about}"
