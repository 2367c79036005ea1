"""A question to the bot."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from terrarium_mcp.chat.defusing import Unaddressed
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.irc_bridge.talk_log.stopwatch import Stopwatch
from terrarium_mcp.irc_bridge.toolbox import ViewMeta


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the view that its tool calls are restricted to.

    `typed` is its text as it came over IRC. `channel` is "" in a private chat. Of a question that
    `is_off_record` nothing is kept: the model gets no tool that writes; its asker may opt out while
    it is answered. `unaddressed` are the nicks that the answer must not highlight. `persona` says
    who answers, "" is the usual one. `watch` measures the way to the answer. `is_readable` says
    whether the asker of a private question is still in a channel of the view. `recorded` returns
    those of some numbers that may be the ids of recorded messages.
    """

    typed: str
    asker: str
    channel: str
    view: ViewMeta
    is_off_record: Callable[[], bool]
    unaddressed: Unaddressed
    persona: str
    watch: Stopwatch
    is_readable: Callable[[str], bool]
    recorded: Callable[[Collection[int]], Awaitable[Collection[int]]]

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
