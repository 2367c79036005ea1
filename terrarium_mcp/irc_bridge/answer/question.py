"""A question to the bot."""

from collections.abc import Callable
from dataclasses import dataclass, field

from terrarium_mcp.chat.defusing import NOBODY, Unaddressed
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch
from terrarium_mcp.irc_bridge.toolbox import ViewMeta


def _stays_on_record() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the view that its tool calls are restricted to.

    `typed` is its text as it came over IRC. `channel` is "" in a private chat. Of a question that
    `is_off_record` nothing is kept: the model gets no tool that writes; its asker may opt out while
    it is answered. `unaddressed` are the nicks
    that the answer must not highlight. `persona` says who answers, "" is the usual one. `watch`
    measures the way to the answer.
    """

    typed: str
    asker: str
    channel: str
    view: ViewMeta
    is_off_record: Callable[[], bool] = _stays_on_record
    unaddressed: Unaddressed = NOBODY
    persona: str = ""
    watch: Stopwatch = field(default_factory=Stopwatch)

    @property
    def text(self) -> str:
        """The text without control characters."""
        return harmless(self.typed)
