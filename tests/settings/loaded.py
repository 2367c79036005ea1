"""The settings alone, without where each comes from."""

from collections.abc import Mapping
from typing import Any

from terrarium_mcp.settings import Settings, read_settings


def load_settings(flags: Mapping[str, object] | None = None, **sources: Any) -> Settings:
    """The settings that a command would have; arguments and errors as of `read_settings`."""
    return read_settings(flags, **sources).settings
