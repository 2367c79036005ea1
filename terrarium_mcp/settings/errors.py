"""What is raised where a setting cannot be used."""

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.errors import TerrariumError


class BadSetting(TerrariumError):
    """A setting cannot be used; the text names it, its source, and a valid value."""

    def __init__(self, text: str) -> None:
        """One line, whatever is in the name of a table or key that it quotes."""
        super().__init__(harmless(text))
