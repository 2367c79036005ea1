"""Unindexing: messages that are about to go are removed from every derived structure."""

from collections.abc import Sequence

from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.all_structures import DERIVED, MSGIDS, VOICES
from terrarium_mcp.store.sqlite.index.structure import Derived
from terrarium_mcp.store.sqlite.index.watermarks import watermarks


async def unindex_rows(writer: Writer, ids: Sequence[int]) -> None:
    """Remove messages that are about to be deleted from every structure."""
    await _remove_from(writer, DERIVED, ids)


async def unindex_text(writer: Writer, ids: Sequence[int]) -> None:
    """Remove messages that are about to be redacted from every structure but that of msgids.

    Of a redacted message the msgid is still known, or playback would bring back its text.
    """
    await _remove_from(writer, [one for one in DERIVED if one is not MSGIDS], ids)


async def _remove_from(writer: Writer, structures: Sequence[Derived], ids: Sequence[int]) -> None:
    """Remove messages from structures.

    One whose watermark is below them does not hold them, and will not add them later.
    """
    marks = await watermarks(writer)
    for structure in reversed(structures):
        if structure is not VOICES and (
            held := [one for one in ids if one <= marks[structure.name]]
        ):
            await structure.remove(writer, held)
    await VOICES.remove(writer, ids)  # last: the others went by them
