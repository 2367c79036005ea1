"""Removing turns of dialogues, with everything that hangs on them."""

import json
from collections.abc import Collection, Iterable

from terrarium_mcp.store.sqlite.engine.id_lists import ids_params
from terrarium_mcp.store.sqlite.engine.writes import Writer


async def remove_turns(writer: Writer, turns: Collection[int]) -> int:
    """Delete turns by their row ids, and the summaries that rest on them; returns how many existed.

    The other turns of such a summary are thereby part of the talk again.
    """
    if not turns:
        return 0
    ids = ids_params(turns)
    await writer.run(_DELETE_SUMMARIES, ids)
    await writer.run(
        "DELETE FROM dialogue_sources WHERE turn IN (SELECT value FROM json_each(:ids))", ids
    )
    gone = await writer.rows(
        "DELETE FROM dialogue_turns WHERE id IN (SELECT value FROM json_each(:ids)) RETURNING id",
        ids,
    )
    return len(gone)


async def remove_turns_with(writer: Writer, messages: Iterable[int]) -> int:
    """Delete the turns whose question is one of these messages, or that rest on any of them."""
    rows = await writer.rows(_TURNS_WITH, {"messages": json.dumps(list(messages))})
    return await remove_turns(writer, [row[0] for row in rows])


_DELETE_SUMMARIES = """
DELETE FROM dialogue_summaries WHERE dialogue IN (
  SELECT s.dialogue FROM dialogue_turns t JOIN dialogue_summaries s ON s.dialogue = t.dialogue
  WHERE t.id IN (SELECT value FROM json_each(:ids))
    AND t.number BETWEEN s.first AND s.last
    AND t.number NOT IN (SELECT value FROM json_each(s.omitted))
)"""

_TURNS_WITH = """
SELECT t.id FROM json_each(:messages) m CROSS JOIN dialogue_turns t ON t.message = m.value
UNION SELECT s.turn FROM json_each(:messages) m CROSS JOIN dialogue_sources s ON s.message = m.value
"""
