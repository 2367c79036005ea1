"""Every setting, declared once: its name, type, meaning and default.

A value comes from a flag, else the environment, else `.env`, else `terrarium.toml`, else the
default. All names that terrarium-irc used work; new names begin with TERRARIUM_.
"""

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from terrarium_mcp.chat.identity import as_channel
from terrarium_mcp.chat.relays import Relay, parse_relay
from terrarium_mcp.chat.server_address import ServerAddress, parse_server
from terrarium_mcp.chat.voices import VoiceRules, rules_on
from terrarium_mcp.errors import TerrariumError, did_you_mean, shown
from terrarium_mcp.near_misses import OF_IRC_CLIENTS, near_misses

OWN_PREFIX = "TERRARIUM_"
"""Of names that are always settings of this program: an unknown one is an error."""

PATHS = ("DB_PATH", "TERRARIUM_TLS_CAFILE")
"""Settings that are paths; in a settings file they are relative to that file."""

MOST_DAYS = 100_000
"""274 years. Python's calendar begins in the year 1, so a much larger number would overflow."""


class RoomDays(NamedTuple):
    """The days to keep the lines of `room`: `#tea`, or `libera/#tea`; 0: for ever."""

    room: str
    days: int

    def __str__(self) -> str:
        """As `doctor` shows it: `#tea=30`."""
        return f"{self.room}={self.days}"


class BadSetting(TerrariumError):
    """A setting cannot be used; the text names it, its source, and a valid value."""


def _channels(value: object) -> object:
    if isinstance(value, str) and ";" in value:  # legal in a name, but seldom meant
        listed = ",".join(value.replace(";", ",").replace(",", " ").split())
        raise ValueError(f"channels are separated by commas: {listed}")
    channels = value.replace(",", " ").split() if isinstance(value, str) else value
    if isinstance(channels, list | tuple):
        return tuple(map(as_channel, map(str, channels)))
    return channels


def _days(value: object) -> object:
    pairs = tuple(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, tuple):
        raise ValueError(  # noqa: TRY004 -- pydantic requires a ValueError
            'must be a table: [TERRARIUM_RETENTION_BY_CHANNEL] with lines such as "#tea" = 30'
        )
    for room, days in pairs:
        if not isinstance(days, int) or isinstance(days, bool) or not 0 <= days <= MOST_DAYS:
            raise ValueError(f"{room} = {days}: must be a whole number of days; 0: for ever")
    return tuple(RoomDays(room, days) for room, days in pairs)


def _relays(value: object) -> object:
    named = list(filter(str.strip, value.split(","))) if isinstance(value, str) else value
    if not isinstance(named, list | tuple):
        raise ValueError("must be a list of nicks such as relaybot, libera/relaybot")  # noqa: TRY004 -- as above
    return tuple(one if isinstance(one, Relay) else parse_relay(str(one)) for one in named)


def _zone(name: str) -> str:
    try:
        ZoneInfo(name or "UTC")
    except (ValueError, OSError, ZoneInfoNotFoundError):
        near = did_you_mean(name, sorted(available_timezones()))
        raise ValueError(f"not a time zone.{near}") from None
    return name


def _setting(name: str, default: Any, meaning: str, **more: Any) -> Any:
    return Field(default, alias=name, description=meaning, **more)


def _secret(name: str, meaning: str) -> Any:
    return Field(
        "", alias=name, description=meaning, repr=False, json_schema_extra={"secret": True}
    )


_HALF_COMMENTED = re.compile(
    r"^\s*(?:export\s+)?IRC_CHANNELS\s*=(?!\s*['\"])[^'\"\n]*[^\S\n]#\S", re.MULTILINE
)
"""A list of channels of which python-dotenv would treat a part, or all, as a comment."""


def _url(address: str) -> str:
    if address and not re.fullmatch(r"https?://[^\s/]+(/\S*)?", address):
        raise ValueError("not an address such as http://localhost:8080")
    return address


Url = Annotated[str, AfterValidator(_url)]
Zone = Annotated[str, AfterValidator(_zone)]
RetentionDays = Annotated[tuple[RoomDays, ...], BeforeValidator(_days)]
Channels = Annotated[tuple[str, ...], BeforeValidator(_channels)]
Relays = Annotated[tuple[Relay, ...], BeforeValidator(_relays)]


class Settings(BaseModel):
    """All settings. A program may build one with keywords; commands use `load_settings`."""

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
    irc_nick: str = _setting("IRC_NICK", "Terra", "nick of the bot", min_length=1)
    irc_channels: Channels = _setting(
        "IRC_CHANNELS",
        (),
        "channels to join and record, such as tea,mate; the bot joins no others",
    )
    tls_cafile: Path | None = _setting(
        "TERRARIUM_TLS_CAFILE", None, "PEM file of a private server's certificate authority"
    )
    server_password: str = _secret("TERRARIUM_SERVER_PASSWORD", "password of the IRC server (PASS)")
    sasl_username: str = _setting(
        "TERRARIUM_SASL_USERNAME", "", "services account for the login (SASL)"
    )
    sasl_password: str = _secret(
        "TERRARIUM_SASL_PASSWORD", "password of that account; sent over TLS only"
    )
    network: str = _setting(
        "TERRARIUM_NETWORK",
        "",
        "name of the network; unset: derived from the server's name (libera)",
    )
    contact: str = _setting(
        "TERRARIUM_CONTACT",
        "",
        "contact of the bot's operator; required unless the server is on this machine",
    )
    command_prefix: str = _setting(
        "COMMAND_PREFIX", "!", "prefix of the bot's commands", min_length=1, max_length=5
    )
    max_context_messages: int = _setting(
        "MAX_CONTEXT_MESSAGES",
        20,
        "newest channel lines sent along with each question",
        ge=0,
        le=200,
    )
    llm_mark: str = _setting("TERRARIUM_LLM_MARK", "[LLM]", "prefix of text that a model wrote")
    relays: Relays = _setting(
        "TERRARIUM_RELAYS",
        (),
        "bots that carry talk from other networks, such as relaybot, libera/telebot=[t] NAME:",
    )

    agent_api_url: Url = _setting(
        "AGENT_API_URL", "http://localhost:8080", "URL of the OpenAI-compatible endpoint"
    )
    agent_api_key: str = _secret("AGENT_API_KEY", "API key of the endpoint, if it requires one")
    agent_model: str = _setting("AGENT_MODEL", "", "model to use; unset: the endpoint's first")
    agent_temperature: float = _setting(
        "AGENT_TEMPERATURE", 0.8, "sampling temperature", ge=0, le=2
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

    search_api_url: Url = _setting(
        "SEARCH_API_URL",
        "",
        "URL of a web search service that answers GET ?q=&num= with JSON results",
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
    write_tools: Literal["on", "off"] = _setting(
        "TERRARIUM_WRITE_TOOLS", "on", "off: do not publish tools that write"
    )

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
        """The network's name in the store: as set, else derived from the server, else `irc`."""
        return self.network or _network_of(self.irc_server) or "irc"

    @property
    def voice_rules(self) -> VoiceRules:
        """How lines of the network of these settings are told apart."""
        return VoiceRules(
            self.irc_nick, self.command_prefix, self._relays_on(self.network_name, home=True)
        )

    def voice_rules_told(self, known: Mapping[str, VoiceRules]) -> dict[str, VoiceRules]:
        """The voice rules by network that these settings change, given those that are `known`.

        Settings that name an IRC server describe the bot, so all of theirs count. Others, such as
        those of a server that a chat client starts, change only what they name themselves; without
        a network this holds for all ("").
        """
        told = {}
        for network in (self._home, *(one.network for one in self.relays if one.network)):
            is_home = network == self._home
            rules = before = rules_on(network, known)
            if is_home and self._describes_bot("irc_nick"):
                rules = replace(rules, nick=self.irc_nick)
            if is_home and self._describes_bot("command_prefix"):
                rules = replace(rules, prefix=self.command_prefix)
            if self._describes_bot("relays"):
                rules = replace(rules, relays=self._relays_on(network, home=is_home))
            if rules != before:
                told[network] = rules
        return told

    def relays_with(self, nick: str, network: str) -> str:
        """TERRARIUM_RELAYS with one relay more."""
        is_home = self._home in ("", network)
        return ",".join(map(str, [*self.relays, Relay(nick, "" if is_home else network)]))

    @property
    def _home(self) -> str:
        """The network of what is named without one; "" means all, where none is described."""
        return self.network_name if self.network or self.irc_server else ""

    def _describes_bot(self, field: str) -> bool:
        return bool(self.irc_server) or field in self.model_fields_set

    def _relays_on(self, network: str, *, home: bool) -> tuple[Relay, ...]:
        """The relays of a network; those named without one are on the home network."""
        named = (network, "") if home else (network,)
        return tuple(replace(one, network=network) for one in self.relays if one.network in named)


@dataclass(frozen=True)
class LoadedSettings:
    """The settings, and the source of each that is not a default, by its name."""

    settings: Settings
    sources: Mapping[str, str]
    other_names: Mapping[str, str]
    """Names in the environment and in `.env` that are no settings, each with its source."""

    def slips(self) -> list[str]:
        """Names that resemble a setting which is not set: a sentence each."""
        return [
            f"{name} in {self.other_names[name]} is not a setting. Did you mean {near}?"
            for name, near in near_misses(self.other_names, setting_names()).items()
            if near not in self.sources
        ]


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
    """Load the settings from every source.

    Args:
        flags: values from the command line, by environment name or field of `Settings`.
        env_file: a file to read instead of `.env`; it must exist.
        config: a file to read instead of `terrarium.toml`; it must exist.
        environ: the environment, os.environ by default.

    Raises:
        BadSetting: a value is invalid, a setting is unknown, or a file cannot be read.
    """
    return read_settings(flags, env_file=env_file, config=config, environ=environ).settings


def read_settings(
    flags: Mapping[str, object] | None = None,
    *,
    env_file: Path | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> LoadedSettings:
    """As `load_settings`, with the sources."""
    found: dict[str, object] = {}
    sources: dict[str, str] = {}
    others: dict[str, str] = {}
    for layer in _layers(flags or {}, env_file, config, os.environ if environ is None else environ):
        for name, value in layer.values.items():
            if name not in found:
                found[name], sources[name] = value, layer.source
        others |= dict.fromkeys(layer.others, layer.source)
    return LoadedSettings(_validated(found, sources), sources, others)


def settings_from(values: Mapping[str, str], source: str) -> Settings:
    """The settings of one source alone, by their names; `source` is what an error calls it.

    Raises:
        BadSetting: as `load_settings`.
    """
    found = _known(values, source)
    return _validated(found, dict.fromkeys(found, source))


def setting_names() -> list[str]:
    """The names of all settings, as in the environment."""
    return [str(field.alias) for field in Settings.model_fields.values()]


class _Layer(NamedTuple):
    """One source: the settings in it, and its other names."""

    source: str
    values: Mapping[str, object]
    others: Sequence[str] = ()


def _layers(
    flags: Mapping[str, object],
    env_file: Path | None,
    config: Path | None,
    environ: Mapping[str, str],
) -> Iterator[_Layer]:
    """Every source with its values, the strongest first; each is checked for unknown names."""
    aliases = {name: str(field.alias) for name, field in Settings.model_fields.items()}
    set_flags = {
        aliases.get(name, name): value for name, value in flags.items() if value is not None
    }
    yield _Layer("the command line", set_flags)
    others = [name for name in environ if name.upper() not in OF_IRC_CLIENTS]
    yield _Layer("the environment", _known(environ, "the environment"), others)
    if dotenv := _existing(env_file, Path(".env")):
        written = _read_dotenv(dotenv)
        known = _relative_to(dotenv, _known(written, str(dotenv)))
        yield _Layer(str(dotenv), known, list(written))
    if toml := _existing(config, Path("terrarium.toml")):
        known = _known(_read_toml(toml), str(toml), only_settings=True)
        yield _Layer(str(toml), _relative_to(toml, known))


def _known(
    values: Mapping[str, Any], source: str, *, only_settings: bool = False
) -> dict[str, object]:
    """The values that are set, by the setting's own spelling. An empty value counts as not set.

    With `only_settings`, every unknown name is an error, not only those with our prefix.
    """
    proper = {name.upper(): name for name in setting_names()}
    for name in values:
        if name.upper() not in proper and (only_settings or name.upper().startswith(OWN_PREFIX)):
            near = did_you_mean(name.upper(), setting_names())
            raise BadSetting(f"{name} in {source} is not a setting.{near}")
    return {
        proper[name.upper()]: value
        for name, value in values.items()
        if name.upper() in proper and value not in ("", None)
    }


def _relative_to(file: Path, values: dict[str, object]) -> dict[str, object]:
    """Make relative paths relative to the file that contains them."""
    return values | {name: file.parent / str(values[name]) for name in PATHS if name in values}


def _existing(chosen: Path | None, usual: Path) -> Path | None:
    if chosen is None:
        return usual if usual.is_file() else None
    if not chosen.is_file():
        raise BadSetting(f"There is no settings file {chosen}. Name one that exists.")
    return chosen


def _read_toml(file: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 -- many processes have no such file

    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadSetting(
            f"{file} cannot be read as TOML: {error}. Fix it, or use another with --config."
        ) from None


def _read_dotenv(file: Path) -> dict[str, str | None]:
    from dotenv import dotenv_values  # noqa: PLC0415 -- many processes have no such file

    try:
        if _HALF_COMMENTED.search(file.read_text("utf-8")):
            raise BadSetting(
                f"IRC_CHANNELS in {file}: a # after a space starts a comment there, so channels"
                " would be lost. Leave the # out, or put the value in quotes."
            )
        return dotenv_values(file)
    except (UnicodeDecodeError, OSError) as error:
        raise BadSetting(
            f"{file} cannot be read: {error}. Fix it, or use another with --env-file."
        ) from None


def _validated(found: dict[str, object], sources: dict[str, str]) -> Settings:
    """The settings with these values; of what IRC_SERVER implies, the source is added."""
    _apply_server_address(found, sources)
    try:
        return Settings.model_validate(found)
    except ValidationError as invalid:
        raise BadSetting(_invalid_settings(invalid, sources)) from None


def _apply_server_address(found: MutableMapping[str, object], sources: dict[str, str]) -> None:
    """Take port, TLS and channel out of an IRC_SERVER that names them.

    Raises:
        BadSetting: it is no address, or another setting contradicts it.
    """
    if not isinstance(text := found.get("IRC_SERVER"), str):
        return
    written = f"IRC_SERVER={_without_password(text)!r} (from {sources['IRC_SERVER']})"
    try:
        address = parse_server(text)
    except ValueError as error:
        raise BadSetting(f"{written}: {error}.") from None
    found["IRC_SERVER"] = address.host
    for name, value in _implied_by(address).items():
        typed = found.get(name)
        if typed is None or (name == "IRC_PORT" and str(typed).strip() == "0"):
            found[name], sources[name] = value, sources["IRC_SERVER"]
        elif _contradicts(name, typed, value):
            raise BadSetting(
                f"{written} and {name}={typed!r} (from {sources[name]}) contradict each other."
                " Remove one of them."
            )


def _implied_by(address: ServerAddress) -> dict[str, object]:
    """The settings that an address names besides the host."""
    implied = {
        "IRC_PORT": address.port,
        "IRC_USE_SSL": address.tls,
        "IRC_CHANNELS": address.channels,
    }
    return {name: value for name, value in implied.items() if value}


def _contradicts(name: str, typed: object, implied: Any) -> bool:
    """Whether a setting as typed is another than the one that IRC_SERVER implies."""
    match name:
        case "IRC_PORT":
            return str(typed).strip() != str(implied)
        case "IRC_USE_SSL":
            return str(typed).strip().lower() in {"0", "off", "f", "false", "n", "no"}
        case _:
            with suppress(ValueError):  # which the validation reports
                listed = _channels(typed)
                return not isinstance(listed, tuple) or not {*implied} <= {*listed}
            return False


def _without_password(address: str) -> str:
    return shown(re.sub(r"//.*@", "//...@", address))


def _invalid_settings(invalid: ValidationError, sources: Mapping[str, str]) -> str:
    """One sentence for each invalid setting; the value of a secret is not repeated."""
    fields = {field.alias: field for field in Settings.model_fields.values()}
    sentences = []
    for error in invalid.errors(include_url=False):
        name = str(error["loc"][0])
        field = fields.get(name)
        if field is None:
            sentences.append(
                f"{name} is not a setting.{did_you_mean(name.upper(), setting_names())}"
            )
            continue
        value = "" if field.json_schema_extra else f"={error['input']!r}"
        reason = error["msg"].removeprefix("Value error, ").rstrip(".")
        reason += "" if reason.endswith("?") else "."
        sentences.append(
            f"{name}{value} (from {sources.get(name, 'the program')}): {reason}"
            f" Its meaning: {field.description}."
        )
    return " ".join(sentences)


def _network_of(server: str) -> str:
    """`libera` for `irc.libera.chat`; `local` for an IP address or localhost."""
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
    import tzlocal  # noqa: PLC0415 -- only an adoption asks

    try:
        return ZoneInfo(tzlocal.get_localzone_name() or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
