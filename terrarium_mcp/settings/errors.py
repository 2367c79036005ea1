"""What is raised where a setting cannot be used."""

from terrarium_mcp.errors import TerrariumError


class BadSetting(TerrariumError):
    """A setting cannot be used; the text names it, its source, and a valid value."""
