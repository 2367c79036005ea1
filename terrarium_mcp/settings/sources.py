"""Where settings come from: flags, the environment, `.env` and `terrarium.toml`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from terrarium_mcp.settings.channel_tables import channel_tables
from terrarium_mcp.settings.channel_ways import ChannelTable
from terrarium_mcp.settings.declarations import Settings, setting_names
from terrarium_mcp.settings.dotenv_file import read_dotenv
from terrarium_mcp.settings.errors import BadSetting
from terrarium_mcp.settings.mounts import mounts_in
from terrarium_mcp.settings.near_misses import OF_IRC_CLIENTS
from terrarium_mcp.settings.paths import home_expanded
from terrarium_mcp.wording import did_you_mean, shown

OWN_PREFIX = "TERRARIUM_"
"""Of names that are always settings of this program: an unknown one is an error."""

ENVIRONMENT = "the environment"
"""The source of what is set for this process alone."""

PATHS = (
    *("DB_PATH", "TERRARIUM_TALK_LOG", "TERRARIUM_PERSONA"),
    *("TERRARIUM_TLS_CAFILE", "TERRARIUM_TLS_CERT", "TERRARIUM_TLS_KEY"),
)
"""Settings that are paths; in a settings file they are relative to that file."""

_TABLES = ("network", "channel")
"""The tables of terrarium.toml that describe a network each, or a channel."""

_IN_QUOTES = re.compile(r"""(['"]).+\1""", re.DOTALL)

_MOUNTS = "MCP_SERVERS"
"""The setting that only terrarium.toml has; a variable of this name is another program's."""

_NAMES_IN_A_TABLE = (
    " The keys of a table are settings by their full names, such as"
    ' TERRARIUM_NETWORK = "libera" and IRC_SERVER = "irc.libera.chat".'
)


class NetworkTable(NamedTuple):
    """A [[network]] table: what an error calls it, and the settings in it."""

    source: str
    values: Mapping[str, object]


class Layer(NamedTuple):
    """One source: the settings in it, and all names in it that could be meant for settings.

    `set_twice` has the lines of the names that it has several times, with different values; `file`
    is None unless it is one.
    """

    source: str
    values: Mapping[str, object]
    others: Sequence[str] = ()
    networks: Sequence[NetworkTable] = ()
    channels: Sequence[ChannelTable] = ()
    set_twice: Mapping[str, Sequence[int]] = MappingProxyType({})
    file: Path | None = None

    def tables(self) -> list[Mapping[str, object]]:
        """The settings outside of tables, and those of each network's."""
        return [self.values, *(one.values for one in self.networks)]


def layers(
    flags: Mapping[str, object],
    env_file: Path | None,
    config: Path | None,
    environ: Mapping[str, str],
) -> Iterator[Layer]:
    """Every source with its values, the strongest first.

    Raises:
        BadSetting: a source has an unknown name, or its file is missing or cannot be read.
    """
    aliases = {name: str(field.alias) for name, field in Settings.model_fields.items()}
    set_flags = {
        aliases.get(name, name): value for name, value in flags.items() if value is not None
    }
    yield Layer("the command line", _with_paths(set_flags, "the command line"))
    others = [name for name in environ if name.upper() not in OF_IRC_CLIENTS]
    ours = {name: value for name, value in environ.items() if name.upper() != _MOUNTS}
    yield Layer(ENVIRONMENT, _of_environment(ours), others)
    if dotenv := _existing(env_file, Path(".env")):
        file = read_dotenv(dotenv)
        _refuse_lost_variables(file.unset, dotenv)
        known = _with_paths(known_settings(file.values, str(dotenv)), str(dotenv), dotenv.parent)
        others = list(file.values)
        yield Layer(str(dotenv), known, others, set_twice=file.set_twice, file=dotenv)
    if toml := _existing(config, Path("terrarium.toml")):
        written = _read_toml(toml)
        tables = {name.lower(): value for name, value in written.items()}
        networks = list(_network_tables(tables.get("network", []), toml))
        channels = channel_tables(tables.get("channel", {}), toml)
        top = {name: value for name, value in written.items() if name.lower() not in _TABLES}
        known = known_settings(top, str(toml), only_settings=True, tables=_TABLES)
        if _MOUNTS in known:
            known[_MOUNTS] = mounts_in(known[_MOUNTS], toml)
        known = _with_paths(known, str(toml), toml.parent)
        yield Layer(str(toml), known, networks=networks, channels=channels, file=toml)


def _refuse_lost_variables(unset: Mapping[str, str], dotenv: Path) -> None:
    """Refuse a setting of which a part would be lost; of other programs' names nothing is said.

    Raises:
        BadSetting: a setting refers to a variable that is not set.
    """
    ours = set(setting_names())
    for name, variable in unset.items():
        if name.upper() in ours:
            raise BadSetting(
                f"{name} in {dotenv}: ${{{variable}}} would be replaced by nothing, since no"
                f" variable {variable} is set. Set it; or if ${{ is meant as it is, give {name} in"
                " the environment or in terrarium.toml."
            )


def known_settings(
    values: Mapping[str, Any],
    source: str,
    *,
    only_settings: bool = False,
    tables: Sequence[str] = (),
    hint: str = "",
) -> dict[str, object]:
    """The values that are set, by the setting's own spelling. An empty value counts as not set.

    With `only_settings`, every unknown name is an error, not only those with our prefix; it may be
    meant for one of the `tables` too. `hint` is said of a name that resembles none.

    Raises:
        BadSetting: a name is unknown.
    """
    proper = {name.upper(): name for name in setting_names()}
    for name in values:
        if name.upper() not in proper and (only_settings or name.upper().startswith(OWN_PREFIX)):
            near = did_you_mean(name.upper(), [*setting_names(), *tables]) or hint
            raise BadSetting(f"{name} in {source} is not a setting.{near}")
    if only_settings:
        _check_spelt_once(values, source)
    return {
        proper[name.upper()]: value
        for name, value in values.items()
        if name.upper() in proper and value not in ("", None)
    }


def _check_spelt_once(names: Iterable[str], source: str) -> None:
    spelt = dict[str, str]()
    for name in names:
        if name.upper() in spelt:
            raise BadSetting(
                f"{spelt[name.upper()]} and {name} in {source} are one setting: remove one of them."
            )
        spelt[name.upper()] = name


def _network_tables(tables: object, toml: Path) -> Iterator[NetworkTable]:
    """The [[network]] tables of a file, in its order."""
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise BadSetting(f"network in {toml} must be tables: begin each with [[network]].")
    for number, table in enumerate(tables, 1):
        named = {name.upper(): value for name, value in table.items()}
        name = named.get("TERRARIUM_NETWORK")
        source = f"[[network]] {name or number} of {toml}"
        if "CHANNEL" in named:
            named_so = f'[channel."{name or "libera"}/#tea"]'
            raise BadSetting(f"channel in {source} must stand outside of it: {named_so}.")
        known = known_settings(table, source, only_settings=True, hint=_NAMES_IN_A_TABLE)
        yield NetworkTable(source, _with_paths(known, source, toml.parent))


def _of_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """The settings in the environment, without the blanks around them.

    Raises:
        BadSetting: a value has quotes around it, which a shell or systemd would have removed.
    """
    stripped = {name: value.strip() for name, value in environ.items()}
    known = known_settings(stripped, ENVIRONMENT)
    for name, value in known.items():
        if _IN_QUOTES.fullmatch(str(value)):
            raise BadSetting(
                f"{name} in the environment has quotes around its value, which would become a part"
                " of it: docker run --env-file, for one, does not remove them. Remove them there;"
                " if they are meant, set it in .env or terrarium.toml."
            )
    return _with_paths(known, ENVIRONMENT)


def _with_paths(
    values: Mapping[str, object], source: str, folder: Path | None = None
) -> dict[str, object]:
    """The values, with `~` as the home folder in paths, and relative ones below `folder`."""
    paths = {
        name: (folder or Path()) / home_expanded(str(values[name]), f"{name} in {source}")
        for name in PATHS
        if name in values
    }
    return {**values, **paths}


def _existing(chosen: Path | None, usual: Path) -> Path | None:
    if chosen is None:
        with suppress(PermissionError):  # in a folder of another account, which is not meant
            if usual.name != ".env" and usual.is_dir():  # a folder .env is a virtual environment
                raise BadSetting(f"{usual} is a folder. Remove it, or put a file there.")
            return usual if usual.is_file() else None
        return None
    try:
        is_there = chosen.is_file()
    except PermissionError:  # of a folder on the way
        raise BadSetting(
            f"This account may not look for the settings file {chosen}. Let it enter the"
            " folders of that path, or name another file."
        ) from None
    except OSError as error:  # as of a name that is too long
        raise BadSetting(
            f"The settings file {shown(str(chosen))} cannot be opened: {error.strerror}. Name"
            " another."
        ) from None
    if not is_there:
        raise BadSetting(f"There is no settings file {chosen}. Name one that exists.")
    return chosen


def _read_toml(file: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 -- many processes have no such file

    try:
        return tomllib.loads(file.read_text("utf-8-sig"))  # Notepad adds a BOM
    except (ValueError, RecursionError, OSError) as error:
        raise BadSetting(
            f"{file} cannot be read as TOML: {error}. Fix it, or use another with --config."
        ) from None
