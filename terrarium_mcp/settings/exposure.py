"""Secrets in files that every account of the machine can read."""

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from terrarium_mcp.settings.addresses import has_secrets, is_address_setting
from terrarium_mcp.settings.channels import ConfiguredChannel, channels_of
from terrarium_mcp.settings.declarations import secret_names
from terrarium_mcp.settings.mounts import Mount


def exposure(file: Path, tables: Iterable[Mapping[str, object]]) -> str:
    """A sentence if a file holds secrets and anybody can read it, else nothing.

    Args:
        file: the settings file.
        tables: the settings that it has, by name, outside of tables and in each of them.
    """
    held = sorted(
        {name for table in tables for name, value in table.items() if _is_secret(name, value)}
    )
    if not held or not _is_open(file):
        return ""
    return (
        f"Every account of this machine can read {file}, which has {', '.join(held)}. Run: chmod"
        f" o-rwx {file}"
    )


def _is_secret(name: str, value: object) -> bool:
    if name == "MCP_SERVERS" and isinstance(value, tuple):
        return any(isinstance(one, Mount) and _has_secrets(one) for one in value)
    if name == "IRC_CHANNELS":
        return _has_keys(value)
    if is_address_setting(name):
        return isinstance(value, str) and has_secrets(value)
    return name in secret_names()


def _has_keys(channels: object) -> bool:
    """Whether a channel is given with its key; a list that cannot be read is refused elsewhere."""
    with suppress(ValueError):
        read = channels_of(channels)
        return isinstance(read, tuple) and any(
            isinstance(one, ConfiguredChannel) and one.key for one in read
        )
    return False


def _has_secrets(mount: Mount) -> bool:
    return bool(mount.env or mount.headers) or has_secrets(mount.url)


def _is_open(file: Path) -> bool:
    """Whether others may read a file, and come through all of its folders."""
    if os.name == "nt":  # whose modes do not say so
        return False
    try:
        place = file.resolve()
        return bool(place.stat().st_mode & stat.S_IROTH) and all(
            folder.stat().st_mode & stat.S_IXOTH for folder in place.parents
        )
    except OSError:
        return False
