"""Every knob, declared once: its name, type, meaning and default.

A value comes from a flag, else the environment, else `.env`, else `terrarium.toml`, else the
default. The names that terrarium-irc used all work; ours begin with TERRARIUM_.
"""

import ipaddress
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import tzlocal
from dotenv import dotenv_values
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.errors import TerrariumError, did_you_mean

OURS = "TERRARIUM_"
PATHS = ("DB_PATH", "TERRARIUM_TLS_CAFILE")
"""Settings that name a file; a relative one in a settings file counts from that file."""


MOST_DAYS = 100_000
"""Enough for the whole of history to be kept; more would be before the calendar begins."""


class RoomDays(NamedTuple):
    """For how many days the lines of a room are kept: `#tea`, or `libera/#tea`."""

    room: str
    days: int

    def __str__(self) -> str:
        """As people write it."""
        return f"{self.room}={self.days}"


class BadSetting(TerrariumError):
    """A setting that cannot be used: which one, where it stands, and what would do."""


def _channels(value: object) -> object:
    names = value.replace(",", " ").split() if isinstance(value, str) else value
    if isinstance(names, list | tuple):
        return tuple(name if is_channel(name) else f"#{name}" for name in map(str, names))
    return names


def _days(value: object) -> object:
    pairs = tuple(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, tuple):
        raise ValueError(  # noqa: TRY004 -- pydantic wants a ValueError
            'a table is wanted, such as [TERRARIUM_RETENTION_BY_CHANNEL] with "#tea" = 30 below it'
        )
    for room, days in pairs:
        if not isinstance(days, int) or isinstance(days, bool) or not 0 <= days <= MOST_DAYS:
            raise ValueError(f"{room} = {days}: a whole number of days is wanted; 0: for ever")
    return tuple(RoomDays(room, days) for room, days in pairs)


def _zone(name: str) -> str:
    try:
        ZoneInfo(name or "UTC")
    except (ValueError, OSError, ZoneInfoNotFoundError):
        near = did_you_mean(name, sorted(available_timezones()))
        raise ValueError(f"not the name of a time zone.{near}") from None
    return name


def _named(name: str, default: Any, meaning: str, **more: Any) -> Any:
    return Field(default, alias=name, description=meaning, **more)


def _secret(name: str, meaning: str) -> Any:
    return Field(
        "", alias=name, description=meaning, repr=False, json_schema_extra={"secret": True}
    )


_HALF_COMMENTED = re.compile(
    r"^\s*(?:export\s+)?IRC_CHANNELS\s*=\s*[^'\"\s][^'\"\n]*\s#\S", re.MULTILINE
)
"""A list of channels in a .env file that python-dotenv would take half of for a comment."""


def _url(address: str) -> str:
    if address and not re.fullmatch(r"https?://[^\s/]+(/\S*)?", address):
        raise ValueError("not an address such as http://localhost:8080")
    return address


Url = Annotated[str, AfterValidator(_url)]
Zone = Annotated[str, AfterValidator(_zone)]
Days = Annotated[tuple[RoomDays, ...], BeforeValidator(_days)]
Channels = Annotated[tuple[str, ...], BeforeValidator(_channels)]


class Settings(BaseModel):
    """What somebody set. A program may build one with keywords; people use `load_settings`."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,  # the input may be a password
    )

    db_path: Path = _named("DB_PATH", Path("data/irc_logs.db"), "the database of all channels")

    irc_server: str = _named("IRC_SERVER", "", "the IRC server to connect to")
    irc_port: int = _named(
        "IRC_PORT", 0, "its port; 0: 6697 with TLS, 6667 without", ge=0, le=65535
    )
    irc_use_ssl: bool | None = _named(
        "IRC_USE_SSL", None, "TLS or plain text; unset: TLS, unless the port is 6667"
    )
    irc_nick: str = _named("IRC_NICK", "Terra", "the bot's nick", min_length=1)
    irc_channels: Channels = _named(
        "IRC_CHANNELS",
        (),
        "channels to join and record, separated by commas; no other is ever joined",
    )
    tls_cafile: Path | None = _named(
        "TERRARIUM_TLS_CAFILE", None, "certificate authority of a private server"
    )
    server_password: str = _secret("TERRARIUM_SERVER_PASSWORD", "password of the IRC server (PASS)")
    sasl_username: str = _named("TERRARIUM_SASL_USERNAME", "", "services account to log in to")
    sasl_password: str = _secret("TERRARIUM_SASL_PASSWORD", "its password; sent over TLS only")
    network: str = _named(
        "TERRARIUM_NETWORK", "", "name of the network; unset: from the server's name (libera)"
    )
    contact: str = _named(
        "TERRARIUM_CONTACT", "", "whom to ask about the bot; needed to connect off this machine"
    )
    command_prefix: str = _named(
        "COMMAND_PREFIX", "!", "what commands begin with", min_length=1, max_length=5
    )
    max_context_messages: int = _named(
        "MAX_CONTEXT_MESSAGES", 20, "newest lines that go with each question", ge=0, le=200
    )
    llm_mark: str = _named("TERRARIUM_LLM_MARK", "[LLM]", "stands before what a model wrote")

    agent_api_url: Url = _named(
        "AGENT_API_URL", "http://localhost:8080", "the OpenAI-compatible endpoint"
    )
    agent_api_key: str = _secret("AGENT_API_KEY", "its key, if it wants one")
    agent_model: str = _named("AGENT_MODEL", "", "model to ask; unset: the endpoint's first")
    agent_temperature: float = _named("AGENT_TEMPERATURE", 0.8, "how freely it writes", ge=0, le=2)
    agent_max_tokens: int = _named("AGENT_MAX_TOKENS", 512, "longest answer in tokens", ge=1)
    agent_timeout: float = _named(
        "AGENT_TIMEOUT",
        130.0,
        "seconds to wait for it; terrarium-agent gives up after 120",
        gt=0,
        allow_inf_nan=False,
    )
    bridge_tools: str = _named(
        "TERRARIUM_BRIDGE_TOOLS", "core", "tools the bot offers its model: all, core, or names"
    )

    search_api_url: Url = _named(
        "SEARCH_API_URL", "", "web search: answers GET ?q=&num= with results"
    )
    search_api_key: str = _secret("SEARCH_API_KEY", "its key, sent as a Bearer token")
    search_max_results: int = _named(
        "SEARCH_MAX_RESULTS", 5, "results of a web search", ge=1, le=10
    )

    retention_days: int = _named(
        "TERRARIUM_RETENTION_DAYS", 0, "days that lines are kept; 0: for ever", ge=0, le=MOST_DAYS
    )
    retention_by_channel: Days = _named(
        "TERRARIUM_RETENTION_BY_CHANNEL",
        (),
        "other numbers of days for some channels: a table, in terrarium.toml only",
    )

    timezone: Zone = _named("TERRARIUM_TIMEZONE", "UTC", "zone that transcripts show")
    source_timezone: Zone = _named(
        "TERRARIUM_SOURCE_TIMEZONE", "", "zone terrarium-irc ran in; unset: this machine's"
    )
    tools: str = _named("TERRARIUM_TOOLS", "all", "published tools: all, core, or names")
    write_tools: Literal["on", "off"] = _named(
        "TERRARIUM_WRITE_TOOLS", "on", "off: tools that write are not published"
    )

    @property
    def zone(self) -> ZoneInfo:
        """The zone that transcripts show."""
        return ZoneInfo(self.timezone or "UTC")

    @property
    def source_zone(self) -> ZoneInfo:
        """The zone in which terrarium-irc wrote its local times."""
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
        """The network's name in the store: as set, else after the server, else `irc`."""
        return self.network or _network_of(self.irc_server) or "irc"


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine and nothing else."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def load_settings(
    flags: Mapping[str, object] | None = None,
    *,
    env_file: Path | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Gather the settings from every place they may stand in.

    Args:
        flags: what the command line said, by the names of the environment or of `Settings`.
        env_file: a file in place of `.env`; it must exist.
        config: a file in place of `terrarium.toml`; it must exist.
        environ: the environment, os.environ by default.

    Raises:
        BadSetting: a value cannot be used, a name of ours is unknown, a file cannot be read.
    """
    return settings_and_sources(flags, env_file=env_file, config=config, environ=environ)[0]


def settings_and_sources(
    flags: Mapping[str, object] | None = None,
    *,
    env_file: Path | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[Settings, Mapping[str, str]]:
    """As `load_settings`; and where each setting that is no default was found, by its name."""
    found: dict[str, object] = {}
    sources: dict[str, str] = {}
    for source, values in _layers(
        flags or {}, env_file, config, os.environ if environ is None else environ
    ):
        for name, value in values.items():
            if name not in found:
                found[name], sources[name] = value, source
    try:
        return Settings.model_validate(found), sources
    except ValidationError as wrong:
        raise BadSetting(_complaint(wrong, sources)) from None


def names() -> list[str]:
    """The settings' names as they stand in the environment."""
    return [str(field.alias) for field in Settings.model_fields.values()]


def _layers(
    flags: Mapping[str, object],
    env_file: Path | None,
    config: Path | None,
    environ: Mapping[str, str],
) -> Iterator[tuple[str, dict[str, object]]]:
    """The places settings come from, the strongest first; each checked for names we do not know."""
    aliases = {name: str(field.alias) for name, field in Settings.model_fields.items()}
    said = {aliases.get(name, name): value for name, value in flags.items() if value is not None}
    yield "the command line", said
    yield "the environment", _known(environ, "the environment")
    dotenv = _present(env_file, Path(".env"))
    if dotenv:
        yield str(dotenv), _beside(dotenv, _known(_dotenv(dotenv), str(dotenv)))
    toml = _present(config, Path("terrarium.toml"))
    if toml:
        yield str(toml), _beside(toml, _known(_toml(toml), str(toml), all_ours=True))


def _known(values: Mapping[str, Any], source: str, *, all_ours: bool = False) -> dict[str, object]:
    """The values that are set, under their proper names. An empty one counts as not set."""
    proper = {name.upper(): name for name in names()}
    for name in values:
        if name.upper() not in proper and (all_ours or name.upper().startswith(OURS)):
            near = did_you_mean(name.upper(), names())
            raise BadSetting(f"{name} in {source} is not a setting of ours.{near}")
    return {
        proper[name.upper()]: value
        for name, value in values.items()
        if name.upper() in proper and value not in ("", None)
    }


def _beside(file: Path, values: dict[str, object]) -> dict[str, object]:
    """Let relative paths count from the file they stand in."""
    return values | {name: file.parent / str(values[name]) for name in PATHS if name in values}


def _present(chosen: Path | None, usual: Path) -> Path | None:
    if chosen is None:
        return usual if usual.is_file() else None
    if not chosen.is_file():
        raise BadSetting(f"There is no settings file {chosen}. Name one that exists.")
    return chosen


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as why:
        raise BadSetting(
            f"{file} cannot be read as TOML: {why}. Mend it, or name another with --config."
        ) from None


def _dotenv(file: Path) -> dict[str, str | None]:
    try:
        if _HALF_COMMENTED.search(file.read_text("utf-8")):
            raise BadSetting(
                f"IRC_CHANNELS in {file}: what follows a blank and # is a comment there, so"
                " channels would be lost. Leave the # out, or put the value in quotes."
            )
        return dotenv_values(file)
    except (UnicodeDecodeError, OSError) as why:
        raise BadSetting(f"{file} cannot be read: {why}. Mend it, or name another file.") from None


def _complaint(wrong: ValidationError, sources: Mapping[str, str]) -> str:
    """One sentence for each setting that is wrong; secrets are not repeated."""
    fields = {field.alias: field for field in Settings.model_fields.values()}
    told = []
    for error in wrong.errors(include_url=False):
        name = str(error["loc"][0])
        field = fields.get(name)
        if field is None:
            told.append(f"{name} is not a setting of ours.{did_you_mean(name.upper(), names())}")
            continue
        value = "" if field.json_schema_extra else f"={error['input']!r}"
        reason = error["msg"].removeprefix("Value error, ").rstrip(".")
        reason += "" if reason.endswith("?") else "."
        told.append(
            f"{name}{value} (from {sources.get(name, 'the program')}): {reason}"
            f" Its meaning: {field.description}."
        )
    return " ".join(told)


def _network_of(server: str) -> str:
    """`irc.libera.chat`: libera; an address or this machine: local."""
    if not server:
        return ""
    try:
        ipaddress.ip_address(server.strip("[]"))
    except ValueError:
        labels = server.lower().strip(".").split(".")
    else:
        return "local"
    if len(labels) == 1:
        return "local" if labels == ["localhost"] else labels[0]
    public = {"co", "com", "net", "org", "ac"}  # second-level registries such as example.co.uk
    return labels[-3] if len(labels) > 2 and labels[-2] in public else labels[-2]


def _host_zone() -> ZoneInfo:
    try:
        return ZoneInfo(tzlocal.get_localzone_name() or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
