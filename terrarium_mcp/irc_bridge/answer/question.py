"""A question to the bot."""

from collections.abc import Callable
from dataclasses import dataclass, field

from terrarium_mcp.chat.defusing import NO_ONE_HERE, Unaddressed
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch
from terrarium_mcp.irc_bridge.toolbox import ViewMeta


def _never_off_record() -> bool:
    return False


def _stays_readable(_channel: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the view that its tool calls are restricted to.

    `typed` is its text as it came over IRC. `channel` is "" in a private chat. Of a question that
    `is_off_record` nothing is kept: the model gets no tool that writes; its asker may opt out while
    it is answered. `unaddressed` are the nicks that the answer must not highlight. `persona` says
    who answers, "" is the usual one. `watch` measures the way to the answer. `is_readable` says
    whether the asker of a private question is still in a channel of the view.
    """

    typed: str
    asker: str
    channel: str
    view: ViewMeta
    is_off_record: Callable[[], bool] = _never_off_record
    unaddressed: Unaddressed = NO_ONE_HERE
    persona: str = ""
    watch: Stopwatch = field(default_factory=Stopwatch)
    is_readable: Callable[[str], bool] = _stays_readable

    @property
    def text(self) -> str:
        """The text without control characters."""
        return harmless(self.typed)

    @property
    def view_now(self) -> ViewMeta:
        """The view of a call that is made now: it never has more channels than at first."""
        match self.view:
            case {"channels": [*channels]}:
                readable = [one for one in channels if self.is_readable(str(one))]
                return {**self.view, "channels": readable}
        return self.view
