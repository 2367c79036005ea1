"""Lines as answers quote them beside others: the beginning, made safe."""

from terrarium_mcp.chat.records import Message
from terrarium_mcp.wording import shown

LONGEST_LINE = 200
"""Characters of a line that is quoted; its id leads to the rest."""


def shortened(line: Message) -> Message:
    """The line with as much of its text as is quoted."""
    return line._replace(text=shown(line.text, LONGEST_LINE))
