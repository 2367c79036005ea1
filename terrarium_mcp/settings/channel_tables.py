"""The `[channel."#tea"]` tables of terrarium.toml, and the persona files that they name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar, get_args

from terrarium_mcp.chat.identity import as_channel, fold, is_channel
from terrarium_mcp.settings.channel_ways import Askers, ChannelTable, Role
from terrarium_mcp.settings.errors import BadSetting
from terrarium_mcp.settings.paths import home_expanded
from terrarium_mcp.settings.personas import Persona, read_persona
from terrarium_mcp.wording import did_you_mean

_KEYS = ("role", "askers", "persona")

Word = TypeVar("Word", bound=str)


def channel_tables(written: object, file: Path) -> tuple[ChannelTable, ...]:
    """What is below `channel` in a settings file, as tables in its order.

    Raises:
        BadSetting: a key or value is none of those known, a channel has two tables, or a persona
            cannot be used.
    """
    if not isinstance(written, Mapping):
        raise BadSetting(_no_tables(file))
    known = dict[tuple[str, str], ChannelTable]()
    for name, values in written.items():
        if not isinstance(values, Mapping):
            raise BadSetting(_no_tables(file))
        table = _channel_table(name, values, file)
        first = known.setdefault((table.network.lower(), fold(table.channel, "ascii")), table)
        if first is not table:
            raise BadSetting(
                f"{first.title} and {table.title} in {file} are the same channel: keep one of them."
            )
    return tuple(known.values())


def _no_tables(file: Path) -> str:
    return f'channel in {file} must be tables: begin each with its channel, [channel."#tea"].'


def _channel_table(name: str, values: Mapping[str, object], file: Path) -> ChannelTable:
    title = f'[channel."{name}"] in {file}'
    network, channel = _place(name, title)
    given = {key.lower(): value for key, value in values.items()}
    for key in given:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f" Choose from {', '.join(_KEYS)}."
            raise BadSetting(f"{key} in {title} is not a setting of a channel.{hint}")
    return ChannelTable(
        network,
        channel,
        _one_of(get_args(Role), given.get("role"), f"role in {title}"),
        _one_of(get_args(Askers), given.get("askers"), f"askers in {title}"),
        _persona(given.get("persona"), file, f"persona in {title}"),
        str(file),
    )


def _place(name: str, title: str) -> tuple[str, str]:
    """The network, if it is named, and the channel of a table."""
    if is_channel(name) or "/" not in name:  # a channel may have a / in its name
        network, channel = "", name
    else:
        network, _, channel = name.partition("/")
    if not channel or name.startswith("/"):
        raise BadSetting(f"{title} names no channel: write #tea, or libera/#tea.")
    return network, as_channel(channel)


def _one_of(words: Sequence[Word], value: object, what: str) -> Word | None:
    if value is None:
        return None
    for word in words:
        if value == word:
            return word
    raise BadSetting(f"{what} is {value!r}. Choose one of {', '.join(words)}.")


def _persona(value: object, settings_file: Path, what: str) -> Persona | None:
    """The persona in a file, whose path is relative to that of the settings, or to `~`."""
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise BadSetting(f"{what} is {value!r}. Name a text file, such as librarian.txt.")
    try:
        return read_persona(settings_file.parent / home_expanded(value, what))
    except ValueError as error:
        raise BadSetting(f"{what}: {error}.") from None
