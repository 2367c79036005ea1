"""Every setting of the program, and how it is found.

- declarations.py: each setting, once: name, type, meaning and default
- channels.py: the channels to join, and their keys
- channel_ways.py: how the bot behaves in each channel; channel_tables.py: the tables that say so
- personas.py: the files that say who the bot is; paths.py: what `~` in a path means
- values.py, hosts.py: what the text of a setting means
- addresses.py: addresses of the web as they are shown, without their secrets
- mounts.py: other MCP servers for the model
- sources.py: flags, the environment, `.env` and `terrarium.toml`
- dotenv_file.py: the values in `.env`
- validation.py: from the values that were found to `Settings`, or a sentence about each mistake
- networks.py: the settings of each network, where there are several
- kept_rooms.py: rooms whose lines are to be kept for a time, and which there are not
- tool_choice.py: the tools that a setting selects, and those of the core
- near_misses.py: names that are nearly those of settings
- exposure.py: secrets in files that anybody can read
- voice_rules.py: what they say about who speaks
- loading.py: all of it together; errors.py: the error of any of it
- changes.py: what a reload changes at once
"""

from terrarium_mcp.settings.addresses import (
    is_address_setting,
    passwords_in,
    presentable,
    public_address,
)
from terrarium_mcp.settings.changes import SettingsChange, changed
from terrarium_mcp.settings.channel_ways import ChannelTable, ChannelWays
from terrarium_mcp.settings.channels import ConfiguredChannel
from terrarium_mcp.settings.declarations import Settings, secret_names, setting_names
from terrarium_mcp.settings.dotenv_file import dotenv_in
from terrarium_mcp.settings.errors import BadSetting
from terrarium_mcp.settings.hosts import is_loopback
from terrarium_mcp.settings.kept_rooms import rooms_without_lines
from terrarium_mcp.settings.loading import LoadedSettings, read_settings, settings_from
from terrarium_mcp.settings.mounts import MOUNT_SEPARATOR, Mount, check_mounted_channels
from terrarium_mcp.settings.paths import home_expanded
from terrarium_mcp.settings.sources import NetworkTable
from terrarium_mcp.settings.values import NO_MODEL, RoomDays
from terrarium_mcp.settings.voice_rules import (
    changed_voice_rules,
    relays_with,
    voice_rules_of,
)

__all__ = [
    "MOUNT_SEPARATOR",
    "NO_MODEL",
    "BadSetting",
    "ChannelTable",
    "ChannelWays",
    "ConfiguredChannel",
    "LoadedSettings",
    "Mount",
    "NetworkTable",
    "RoomDays",
    "Settings",
    "SettingsChange",
    "changed",
    "changed_voice_rules",
    "check_mounted_channels",
    "dotenv_in",
    "home_expanded",
    "is_address_setting",
    "is_loopback",
    "passwords_in",
    "presentable",
    "public_address",
    "read_settings",
    "relays_with",
    "rooms_without_lines",
    "secret_names",
    "setting_names",
    "settings_from",
    "voice_rules_of",
]
