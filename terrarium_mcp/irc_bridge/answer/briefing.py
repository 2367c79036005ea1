"""What a question is answered from."""

from dataclasses import dataclass

from terrarium_mcp.irc_bridge.answer.gathering import GatheredLines
from terrarium_mcp.irc_bridge.answer.question import Question
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import StoredDialogue


@dataclass(frozen=True, slots=True)
class Briefing:
    """A question, and all that is known for it before the model is asked.

    Args:
        question: the question.
        dialogue: the turns before it.
        lines: what was read of the log.
        settings: the settings in use.
        nick: the bot's nick.
    """

    question: Question
    dialogue: StoredDialogue
    lines: GatheredLines
    settings: Settings
    nick: str
