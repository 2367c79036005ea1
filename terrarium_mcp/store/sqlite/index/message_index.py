"""The full-text index: the words, room, nick and type of each message that may be shown."""

from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.index.full_text import READABLE, FullText

MESSAGE = "indexed_text(CAST(message AS BLOB))"
"""The SQL expression for the text of a message as the index holds it."""

TOKENIZER = "unicode61 remove_diacritics 2"
_SPOKEN = f"CASE WHEN {IS_SPEECH} THEN {MESSAGE} || ' ' ELSE '' END"
_SCOPE = (
    "scope_words(room, CAST(nick AS BLOB), CAST(message_type AS BLOB),"
    " CASE WHEN instr(message, '://') THEN CAST(message AS BLOB) END)"
)
_WORDS = f"{_SPOKEN} || {_SCOPE}"
_EVENT = f"CASE WHEN {IS_SPEECH} THEN NULL ELSE {MESSAGE} END"


class MessageIndex(FullText):
    """The index over all messages."""

    name = "index"
    table = "message_index"
    columns = "message, event"
    # Not from the view: to find an `-id` there SQLite would read every message.
    rows = f"-m.id, {_WORDS}, {_EVENT} FROM messages m WHERE {READABLE}"
