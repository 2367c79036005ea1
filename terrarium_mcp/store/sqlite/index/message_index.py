"""The full-text index: the words, room, speaker and type of each message that may be shown."""

from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.voices_sql import JOINED, JOINED_SPEAKER, JOINED_TEXT
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.full_text import READABLE, FullText
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts

MESSAGE = f"indexed_text(CAST({JOINED_TEXT} AS BLOB))"
"""The SQL expression for the text of a message, `JOINED` with its voice, as the index holds it."""

TOKENIZER = "unicode61 remove_diacritics 2"
_SPOKEN = f"CASE WHEN {IS_SPEECH} THEN {MESSAGE} || ' ' ELSE '' END"
_SCOPE = (
    f"scope_words(m.room, CAST({JOINED_SPEAKER} AS BLOB), CAST(m.message_type AS BLOB),"
    " CASE WHEN instr(m.message, '://') THEN CAST(m.message AS BLOB) END, v.aside)"
)
WORDS = f"{_SPOKEN} || {_SCOPE}"
"""The SQL expression for the first column of the index, of a message `JOINED` with its voice."""

_EVENT = f"CASE WHEN {IS_SPEECH} THEN NULL ELSE {MESSAGE} END"


class MessageIndex(FullText):
    """The index over all messages."""

    name = "index"
    table = "message_index"
    columns = "message, event"
    # Not from the view: to find an `-id` there SQLite would read every message.
    rows = f"-m.id, {WORDS}, {_EVENT} FROM {JOINED} WHERE {READABLE}"

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Index messages by texts that are at hand."""
        await self._add_rows(
            writer,
            zip(texts.rowids, reversed(texts.words), reversed(texts.events), strict=True),
        )
