"""The dialogue of one place, for the commands that are given there."""

from dataclasses import dataclass

from terrarium_mcp.irc_bridge.dialogue.memory import DialogueMemory
from terrarium_mcp.irc_bridge.dialogue.summaries import Summarizer
from terrarium_mcp.store import DialoguePlace, DialogueSummary, StoredDialogue


@dataclass(frozen=True, slots=True)
class DialogueHere:
    """The dialogue that a command belongs to.

    `breakdown` says what the last request to the model was made of, a line for each part; empty if
    there was none.
    """

    place: DialoguePlace
    memory: DialogueMemory
    summarizer: Summarizer
    breakdown: tuple[str, ...]

    async def current(self) -> StoredDialogue:
        """What is part of the talk now."""
        return await self.memory.current(self.place)

    def history_changed(self) -> None:
        """Lines were removed: nothing that waits to be written may bring them back."""
        self.memory.history_changed()

    async def clear(self) -> int:
        """Begin a new window; returns how many turns are no longer part of the talk."""
        return await self.memory.clear(self.place)

    async def compact(self) -> DialogueSummary | None:
        """Summarise the older turns now; None if that failed."""
        return await self.summarizer.compact(self.place)
