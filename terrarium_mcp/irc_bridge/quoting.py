"""Log lines inside a message to the model, between tags that nobody in the channel could guess."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from terrarium_mcp.irc_bridge.turns import Said

_HEADING = "-- "  # what a day's heading begins with, and no line of the log


@dataclass(frozen=True, slots=True)
class Quoting(Said):
    """A message that quotes `lines`; what stands `before` and `after` them is ours."""

    before: str
    lines: tuple[str, ...]
    after: str

    def shorter(self) -> "Quoting":
        """The same without its first line, which matters least; an empty day goes with it."""
        heading = self.lines[:1] if self.lines[0].startswith(_HEADING) else ()
        rest = self.lines[len(heading) + 1 :]
        goes_on = rest and not rest[0].startswith(_HEADING)
        return quoting([*heading, *rest] if goes_on else rest, self.before, self.after)


def quoting(lines: Sequence[str], before: str = "", after: str = "") -> Quoting:
    """A message that quotes log lines; without any it says only the rest."""
    tag = f"irc_logs-{secrets.token_hex(4)}"
    fenced = [f"<{tag}>", *lines, f"</{tag}>"] if lines else []
    text = "\n".join(part for part in (before, *fenced, after) if part)
    return Quoting("user", text, before, tuple(lines), after)
