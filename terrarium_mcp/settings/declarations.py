"""Every setting, declared once: its name, type, meaning and default.

All names that terrarium-irc used work; new names begin with TERRARIUM_.
"""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field

from terrarium_mcp.chat.identity import DEFAULT_CASEMAPPING, fold
from terrarium_mcp.chat.server_address import network_name_of
from terrarium_mcp.settings.channel_ways import Askers, ChannelTable, ChannelWays, Role, table_for
from terrarium_mcp.settings.hosts import is_loopback
from terrarium_mcp.settings.values import (
    MOST_DAYS,
    NO_MODEL,
    AdminNames,
    BotNick,
    Channels,
    CommandPrefix,
    Masks,
    ModelKey,
    ModelUrl,
    Mounts,
    Names,
    NetworkName,
    OneLine,
    PersonaFile,
    Relays,
    RetentionDays,
    Switch,
    Url,
    ViewerUrl,
    Zone,
)


def _setting(name: str, default: Any, meaning: str, **more: Any) -> Any:
    return Field(default, alias=name, description=meaning, **more)


def _secret(name: str, meaning: str) -> Any:
    return Field(
        "", alias=name, description=meaning, repr=False, json_schema_extra={"secret": True}
    )


class Settings(BaseModel):
    """All settings. A program may build one with keywords; commands use `read_settings`."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,  # the input may be a password
    )

    db_path: Path = _setting(
        "DB_PATH", Path("data/irc_logs.db"), "SQLite file with the history of all channels"
    )

    irc_server: str = _setting(
        "IRC_SERVER", "", "IRC server: a host, host:port, or ircs://host:port/channel"
    )
    irc_port: int = _setting(
        "IRC_PORT", 0, "port of the IRC server; 0: 6697 with TLS, 6667 without", ge=0, le=65535
    )
    irc_use_ssl: bool | None = _setting(
        "IRC_USE_SSL", None, "whether to use TLS; unset: yes, unless the port is 6667"
    )
    irc_nick: BotNick = _setting("IRC_NICK", "Terra", "nick of the bot")
    irc_channels: Channels = _setting(
        "IRC_CHANNELS",
        (),
        "channels to join and record, such as tea,mate or #tea KEY,mate; the bot joins no others",
    )
    tls_cafile: Path | None = _setting(
        "TERRARIUM_TLS_CAFILE", None, "PEM file of a private server's certificate authority"
    )
    server_password: OneLine = _secret(
        "TERRARIUM_SERVER_PASSWORD", "password of the IRC server (PASS)"
    )
    sasl_username: str = _setting(
        "TERRARIUM_SASL_USERNAME", "", "services account for the login (SASL)"
    )
    sasl_password: str = _secret(
        "TERRARIUM_SASL_PASSWORD", "password of that account; sent over TLS only"
    )
    tls_cert: Path | None = _setting(
        "TERRARIUM_TLS_CERT",
        None,
        "PEM file of the bot's certificate for the login (SASL EXTERNAL)",
    )
    tls_key: Path | None = _setting(
        "TERRARIUM_TLS_KEY", None, "PEM file of its key; unset: in the file of the certificate"
    )
    network: NetworkName = _setting(
        "TERRARIUM_NETWORK",
        "",
        "name of the network; unset: derived from the server's name (libera)",
    )
    contact: OneLine = _setting(
        "TERRARIUM_CONTACT",
        "",
        "contact of the bot's owner; required unless the server is on this machine",
    )
    history_hours: int = _setting(
        "TERRARIUM_HISTORY_HOURS",
        24,
        "how many hours back to fetch what was said while the bot was away, where the server keeps"
        " history; 0: never",
        ge=0,
        le=8760,
    )
    admins: AdminNames = _setting(
        "TERRARIUM_ADMINS",
        (),
        "bot admins: services accounts, or masks such as *!*@staff.example",
    )
    guardians: Names = _setting(
        "TERRARIUM_GUARDIANS",
        (),
        "people (accounts, nicks or masks) without whom no model answers in a channel",
    )
    introduction: Switch = _setting(
        "TERRARIUM_INTRODUCTION",
        "off",
        "on: say on entering a channel, once a day at most, that it is recorded",
    )
    command_prefix: CommandPrefix = _setting(
        "COMMAND_PREFIX", "!", "prefix of the bot's commands", min_length=1, max_length=20
    )
    max_context_messages: int = _setting(
        "MAX_CONTEXT_MESSAGES",
        20,
        "newest channel lines sent along with each question",
        ge=0,
        le=200,
    )
    stale_hours: float = _setting(
        "TERRARIUM_STALE_HOURS",
        2.0,
        "hours of silence after which the bot's talk in a place starts over; the record stays",
        gt=0,
        le=8760,
        allow_inf_nan=False,
    )
    say_trouble: Switch = _setting(
        "TERRARIUM_SAY_TROUBLE",
        "off",
        "on: say in the channels when nothing can be recorded, and when that is over",
    )
    llm_mark: str = _setting("TERRARIUM_LLM_MARK", "[LLM]", "prefix of text that a model wrote")
    viewer_url: ViewerUrl = _setting(
        "TERRARIUM_VIEWER_URL",
        "",
        "URL of a log viewer, such as https://logs.example/: lines that the bot quotes end with"
        " their permalink there, https://logs.example/message/184213",
    )
    relays: Relays = _setting(
        "TERRARIUM_RELAYS",
        (),
        "bots that carry talk from other networks, such as relaybot, libera/telebot=[t] NAME:",
    )

    ignore: Masks = _setting(
        "TERRARIUM_IGNORE",
        (),
        "people never answered: nicks or masks such as spam*, *!*@host; services never are",
    )
    private: Literal["members", "anyone", "off"] = _setting(
        "TERRARIUM_PRIVATE",
        "members",
        "who is answered in private: members of one of its channels, anyone, or nobody (off)",
    )
    role: Role = _setting(
        "TERRARIUM_ROLE",
        "both",
        "what the bot does in its channels: both, record (and not answer), or answer (and not"
        " record)",
    )
    askers: Askers = _setting(
        "TERRARIUM_ASKERS",
        "anyone",
        "who may ask the model: anyone, voiced (any rank in the channel), or account (logged in)",
    )
    persona: PersonaFile = _setting(
        "TERRARIUM_PERSONA", None, "text file that says who the bot is, and its manner"
    )
    ask_burst: int = _setting(
        "TERRARIUM_ASK_BURST", 5, "questions that one person may ask in a row", ge=1, le=1000
    )
    ask_every: float = _setting(
        "TERRARIUM_ASK_EVERY",
        15.0,
        "seconds until that person may ask one more",
        ge=0,
        le=86_400,
        allow_inf_nan=False,
    )
    channel_questions: int = _setting(
        "TERRARIUM_CHANNEL_QUESTIONS",
        40,
        "questions that one channel may ask in a quarter of an hour",
        ge=1,
        le=10_000,
    )

    agent_api_url: ModelUrl = _setting(
        "AGENT_API_URL",
        "http://localhost:8080",
        "URL of the OpenAI-compatible endpoint; none: questions are answered with search results",
        repr=False,  # it may have a password
    )
    agent_api_key: ModelKey = _secret(
        "AGENT_API_KEY", "API key of the endpoint, if it requires one"
    )
    agent_model: str = _setting("AGENT_MODEL", "", "model to use; unset: the endpoint's first")
    agent_temperature: float = _setting(
        "AGENT_TEMPERATURE", 0.8, "sampling temperature", ge=0, le=2, allow_inf_nan=False
    )
    agent_max_tokens: int = _setting(
        "AGENT_MAX_TOKENS", 512, "maximum length of an answer in tokens", ge=1
    )
    agent_timeout: float = _setting(
        "AGENT_TIMEOUT",
        130.0,
        "seconds to wait for an answer; terrarium-agent itself gives up after 120",
        gt=0,
        allow_inf_nan=False,
    )
    bridge_tools: str = _setting(
        "TERRARIUM_BRIDGE_TOOLS", "core", "tools offered to the bot's model: all, core, or names"
    )
    mcp_servers: Mounts = _setting(
        "MCP_SERVERS",
        (),
        "other MCP servers for the bot's model: tables [mcp_servers.NAME], in terrarium.toml only",
        repr=False,
        json_schema_extra={"secret": True},
    )

    talk_log: Path | None = _setting(
        "TERRARIUM_TALK_LOG",
        None,
        "file for the timings of each question, one JSON line each, without any text; unset: none",
    )

    search_api_url: Url = _setting(
        "SEARCH_API_URL",
        "",
        "URL of a web search service that answers GET ?q=&num= with JSON results",
        repr=False,  # it may have a key
    )
    search_api_key: str = _secret(
        "SEARCH_API_KEY", "API key of the search service, sent as a Bearer token"
    )
    search_max_results: int = _setting(
        "SEARCH_MAX_RESULTS", 5, "number of results of a web search", ge=1, le=10
    )

    retention_days: int = _setting(
        "TERRARIUM_RETENTION_DAYS", 0, "days to keep lines; 0: for ever", ge=0, le=MOST_DAYS
    )
    retention_by_channel: RetentionDays = _setting(
        "TERRARIUM_RETENTION_BY_CHANNEL",
        (),
        "days to keep the lines of single channels: a table, in terrarium.toml only",
    )

    timezone: Zone = _setting("TERRARIUM_TIMEZONE", "UTC", "time zone of transcripts")
    source_timezone: Zone = _setting(
        "TERRARIUM_SOURCE_TIMEZONE",
        "",
        "time zone in which terrarium-irc ran; unset: this machine's",
    )
    tools: str = _setting("TERRARIUM_TOOLS", "all", "tools to publish: all, core, or names")
    write_tools: Switch = _setting(
        "TERRARIUM_WRITE_TOOLS", "on", "off: do not publish tools that write"
    )

    _networks: tuple["Settings", ...] = ()
    """Those of the [[network]] tables."""

    _channel_tables: tuple[ChannelTable, ...] = ()

    @property
    def channel_tables(self) -> tuple[ChannelTable, ...]:
        """The [channel] tables of all networks."""
        return self._channel_tables

    def with_channel_tables(self, tables: Sequence[ChannelTable]) -> Self:
        """These settings, and those of their networks, with these [channel] tables instead."""
        others = self.model_copy()
        others._channel_tables = tuple(tables)  # noqa: SLF001 -- of its own class
        others._networks = tuple(  # noqa: SLF001 -- as above
            one.with_channel_tables(tables) for one in self._networks
        )
        return others

    def channel_ways(self, channel: str, casemapping: str = DEFAULT_CASEMAPPING) -> ChannelWays:
        """How the bot behaves in a channel of the network of these settings.

        With "", in its private chats. These have no role: they are always answered, from the record
        of channels.
        """
        role = self.role if channel else "both"
        usual = ChannelWays(role, self.askers, self.persona.text if self.persona else "")
        table = table_for(self._channel_tables, self.network_name, channel, casemapping)
        return table.over(usual) if table else usual

    @property
    def networks(self) -> tuple["Settings", ...]:
        """The settings of each network: of the [[network]] tables, else these themselves."""
        return self._networks or (self,)

    def with_networks(self, networks: Sequence["Settings"]) -> Self:
        """These settings, which then hold for all of `networks` and name no server themselves."""
        several = self.model_copy()
        several._networks = tuple(networks)  # noqa: SLF001 -- of its own class
        return several

    @property
    def named_networks(self) -> list[str]:
        """The names of all networks that are named, or have a server that tells one."""
        return [one.network_name for one in self.networks if one.network or one.irc_server]

    @property
    def named_channels(self) -> list[tuple[str, str]]:
        """The channels of all networks, each after the name of its network."""
        return [
            (one.network_name, channel.name)
            for one in self.networks
            for channel in one.irc_channels
        ]

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of transcripts."""
        return ZoneInfo(self.timezone or "UTC")

    @property
    def source_zone(self) -> ZoneInfo:
        """The time zone of the local times that terrarium-irc wrote."""
        return ZoneInfo(self.source_timezone) if self.source_timezone else _host_zone()

    @property
    def uses_tls(self) -> bool:
        """Whether the connection to the IRC server is encrypted."""
        return self.irc_port != 6667 if self.irc_use_ssl is None else self.irc_use_ssl

    @property
    def server_port(self) -> int:
        """The port to connect to (RFC 7194: 6697 with TLS)."""
        return self.irc_port or (6697 if self.uses_tls else 6667)

    @property
    def network_name(self) -> str:
        """The network's name in the store: as set, else derived from the server, else `irc`.

        Of several networks it is the first: it gets the rows that were stored without a network.
        """
        first = self.networks[0]
        return first.network or network_name_of(first.irc_server) or "irc"

    @property
    def stale_after(self) -> timedelta:
        """The silence after which a dialogue starts over."""
        return timedelta(hours=self.stale_hours)

    def days_kept(self, network: str, channel: str, casemapping: str = DEFAULT_CASEMAPPING) -> int:
        """The number of days for which lines of a channel are kept; 0 is for ever."""
        by_channel = {fold(one.room, casemapping): one.days for one in self.retention_by_channel}
        for name in (f"{network}/{channel}", channel):
            if (days := by_channel.get(fold(name, casemapping))) is not None:
                return days
        return self.retention_days

    @property
    def has_model(self) -> bool:
        """Whether a model is to answer questions."""
        return self.agent_api_url != NO_MODEL

    @property
    def asks_model_here(self) -> bool:
        """Whether the model's endpoint, if there is to be one, is on this machine."""
        return is_loopback(urlsplit(self.agent_api_url).hostname or "")


def setting_names() -> list[str]:
    """The names of all settings, as in the environment."""
    return [str(field.alias) for field in Settings.model_fields.values()]


def secret_names() -> list[str]:
    """The names of those that hold a password or a key."""
    fields = Settings.model_fields.values()
    return [str(field.alias) for field in fields if field.json_schema_extra]


def _host_zone() -> ZoneInfo:
    import tzlocal  # noqa: PLC0415 -- only an adoption asks

    try:
        return ZoneInfo(tzlocal.get_localzone_name() or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
