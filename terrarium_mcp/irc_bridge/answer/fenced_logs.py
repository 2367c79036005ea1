"""Fences log lines in a message to the model, in a tag that the channel cannot guess."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from terrarium_mcp.irc_bridge.model.chat_types import ChatMessage

_HEADING = "-- "  # starts a day heading; no log line starts so


@dataclass(frozen=True, slots=True)
class FencedLogs(ChatMessage):
    """A message that quotes `lines`; the text `before` and `after` them is ours, not quoted."""

    before: str
    lines: tuple[str, ...]
    after: str

    def shorter(self) -> "FencedLogs":
        """The same without its oldest line, and without the heading of an emptied day."""
        heading = self.lines[:1] if self.lines[0].startswith(_HEADING) else ()
        rest = self.lines[len(heading) + 1 :]
        goes_on = rest and not rest[0].startswith(_HEADING)
        return fenced_logs([*heading, *rest] if goes_on else rest, self.before, self.after)


def fenced_logs(lines: Sequence[str], before: str = "", after: str = "") -> FencedLogs:
    """A message that quotes log lines; without lines, only `before` and `after`."""
    tag = f"irc_logs-{secrets.token_hex(4)}"
    fenced = [f"<{tag}>", *lines, f"</{tag}>"] if lines else []
    text = "\n".join(part for part in (before, *fenced, after) if part)
    return FencedLogs("user", text, before, tuple(lines), after)
