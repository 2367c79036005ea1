"""The settings of all sources together, the strongest first.

A value comes from a flag, else the environment, else `.env`, else `terrarium.toml`, else the
default. What a [[network]] table sets holds for its network before all of these.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from terrarium_mcp.settings.channel_ways import ChannelTable, unknown_channels
from terrarium_mcp.settings.declarations import Settings, setting_names
from terrarium_mcp.settings.errors import BadSetting
from terrarium_mcp.settings.exposure import exposure
from terrarium_mcp.settings.near_misses import near_misses
from terrarium_mcp.settings.networks import each_network
from terrarium_mcp.settings.sources import (
    ENVIRONMENT,
    Layer,
    NetworkTable,
    known_settings,
    layers,
)
from terrarium_mcp.settings.validation import validated


class LoadedSettings(NamedTuple):
    """The settings, and the source of each that is not a default, by its name."""

    settings: Settings
    sources: Mapping[str, str]
    other_names: Mapping[str, str]
    """Names in the environment and in `.env` that are no settings, each with its source."""
    tables: Sequence[NetworkTable] = ()
    """The [[network]] tables, one for each of the settings' networks if there are any."""
    remarks: Sequence[str] = ()
    """A sentence for each setting that a file has twice, and each file whose secrets lie open."""
    only_exported: Sequence[str] = ()
    """The settings that the environment has and no file: a process started elsewhere lacks them."""

    def slips(self) -> list[str]:
        """What may be a mistake, a sentence each: a remark, or a name that is nearly one."""
        return [*self.remarks] + [
            f"{name} in {self.other_names[name]} is not a setting. Did you mean {near}?"
            for name, near in near_misses(self.other_names, setting_names()).items()
            if near not in self.sources and not any(near in one.values for one in self.tables)
        ]


def read_settings(
    flags: Mapping[str, object] | None = None,
    *,
    env_file: Path | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> LoadedSettings:
    """The settings from every source, and the source of each.

    Args:
        flags: values from the command line, by environment name or field of `Settings`.
        env_file: a file to read instead of `.env`; it must exist.
        config: a file to read instead of `terrarium.toml`; it must exist.
        environ: the environment, os.environ by default.

    Raises:
        BadSetting: a value is invalid, a setting is unknown, or a file cannot be read.
    """
    found: dict[str, object] = {}
    sources: dict[str, str] = {}
    others: dict[str, str] = {}
    tables: list[NetworkTable] = []
    channels: list[ChannelTable] = []
    remarks: list[str] = []
    in_files: set[str] = set()
    for layer in layers(flags or {}, env_file, config, os.environ if environ is None else environ):
        for name, value in layer.values.items():
            if name not in found:
                found[name], sources[name] = value, layer.source
        others |= dict.fromkeys(layer.others, layer.source)
        in_files.update(layer.values if layer.file else ())
        remarks += _repetitions(layer)
        if layer.file and (open_to_all := exposure(layer.file, layer.tables())):
            remarks.append(open_to_all)
        tables += layer.networks
        channels += layer.channels
    networks = each_network(tables, found, sources)
    settings = validated(found, sources).with_networks(networks).with_channel_tables(channels)
    _check_channels(settings)
    exported = [
        name for name, source in sources.items() if source == ENVIRONMENT and name not in in_files
    ]
    return LoadedSettings(settings, sources, others, tables, remarks, sorted(exported))


def _repetitions(layer: Layer) -> Iterator[str]:
    """A sentence for each setting of ours that a source has twice, with different values."""
    for name in setting_names():
        if lines := layer.set_twice.get(name):
            places = " and in ".join(f"line {line}" for line in lines)
            yield (
                f"{name} is in {places} of {layer.source}, and only line {lines[-1]} counts."
                f" Remove {'one' if len(lines) == 2 else 'all but one'} of them."
            )


def _check_channels(settings: Settings) -> None:
    """Check that the bot joins the channels of all tables.

    Settings without any channel are those of a process that joins none, such as `serve`: it may
    read the tables of a bridge, which has its channels from elsewhere.

    Raises:
        BadSetting: a table is of another channel.
    """
    joined = {one.network_name: [c.name for c in one.irc_channels] for one in settings.networks}
    for sentence in (
        unknown_channels(settings.channel_tables, joined) if any(joined.values()) else ()
    ):
        raise BadSetting(sentence)


def settings_from(values: Mapping[str, str], source: str) -> Settings:
    """The settings of one source alone, by their names; `source` is what an error calls it.

    Raises:
        BadSetting: as `read_settings`.
    """
    found = known_settings(values, source)
    return validated(found, dict.fromkeys(found, source))
