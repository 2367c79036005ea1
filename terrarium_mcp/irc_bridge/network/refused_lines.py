"""Our own lines that the network refused: nobody heard them, whatever a bouncer plays back."""

from datetime import UTC, datetime, timedelta

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.chat.irc_message import IrcMessage

_MOST = 200
"""Lines remembered: a refusal is rare, and a channel that refuses one is mostly left alone."""

_SLACK = timedelta(minutes=1)
"""How far the time of a playback may be from that of the refusal: they are of two clocks."""


class RefusedLines:
    """The refused lines of one network, of all its connections."""

    def __init__(self) -> None:
        self._refused = BoundedDict[tuple[str, str], datetime](_MOST)

    def add(self, target: str, text: str) -> None:
        """Remember a line to `target` (folded) that was refused just now."""
        self._refused[target, text] = datetime.now(UTC)

    def has(self, target: str, line: IrcMessage) -> bool:
        """Whether a line of ours to `target` (folded) that is played back was refused then."""
        at, sent_at = self._refused.get((target, line.params[-1])), line.sent_at
        return at is not None and sent_at is not None and abs(sent_at - at) <= _SLACK
