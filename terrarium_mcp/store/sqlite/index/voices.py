"""Voices: the speakers of relayed lines, and the lines that are asides, in a table of their own.

`messages` keeps what was sent. A row here is made by the voice rules of the file, and may change
when these do: then the message is taken out of every structure that goes by it, and put back.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.store.sqlite.engine.reads import Row
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.voices_sql import RULES, VoiceRow, parsed_rules, voice_row
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.followers import Follower, followed
from terrarium_mcp.store.sqlite.index.full_text import READABLE
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.structure import compare

# Rows that were imported, adopted or appended by another program may be the bot's: only the nick
# tells. What this program recorded says so itself.
_IS_OWN = """
CASE WHEN m.self THEN 1 WHEN m.self IS NULL OR m.origin IS 'import' THEN NULL ELSE 0 END"""
_IS_MESSAGE = "ifnull(upper(m.message_type), 'PRIVMSG') NOT IN ('NOTICE', 'ACTION')"
# `_FirstCharacters.allow_voice` says nearly the same of a message in memory.
_MAY_HAVE_VOICE = """(
  m.self OR instr(:nick_starts, substr(m.nick, 1, 1))
  OR instr(:line_starts, substr(m.message, 1, 1)) OR m.message < ' ')"""
_VOICE = f"""
CASE WHEN {_MAY_HAVE_VOICE} AND {READABLE} AND {IS_SPEECH} THEN voice_of(
  m.network, CAST(m.nick AS BLOB), CAST(m.message AS BLOB), {_IS_OWN}, {_IS_MESSAGE}, :rules
) END"""

_COLUMNS = "found ->> 0 AS aside, found ->> 1 AS speaker, found ->> 2 AS text_at"

_CHANGED = f"""
SELECT m.id, m.aside, m.speaker, m.text_at
FROM (
  SELECT id, {_COLUMNS} FROM (
    SELECT m.id, {_VOICE} AS found FROM messages m WHERE m.id BETWEEN :first AND :last LIMIT -1)
) m LEFT JOIN voices v ON v.id = m.id
WHERE (m.aside, m.speaker, m.text_at) IS NOT (v.aside, v.speaker, v.text_at)
UNION ALL
SELECT v.id, NULL, NULL, NULL FROM voices v
WHERE v.id BETWEEN :first AND :last AND NOT EXISTS (SELECT 1 FROM messages WHERE id = v.id)
UNION ALL SELECT NULL, NULL, {RULES}, NULL
"""  # noqa: S608 -- made of constants
"""Messages whose voice is not the one stored, and in a last row the rules of the file. (The LIMIT
keeps SQLite from asking for a voice thrice.)"""

_RECOUNTED = f"""
SELECT * FROM (SELECT id, {_COLUMNS} FROM (SELECT m.id, {_VOICE} AS found FROM messages m LIMIT -1))
WHERE aside NOT NULL OR speaker NOT NULL"""  # noqa: S608 -- made of constants


_INSERT = "INSERT INTO voices (id, aside, speaker, text_at) VALUES (?, ?, ?, ?)"

_NO_RULES = "[]"


class Voices:
    """The voices of all messages. `followers` are the structures that go by them.

    Where its watermark is set back to 0, every message is looked at again, and what differs is
    changed: readers see the old voice of a message or the new one, with all that goes by it.
    """

    name = "voices"
    tables = ("voices",)

    def __init__(self, followers: Sequence[Follower]) -> None:
        self._followers = followers
        self._rules = _NO_RULES

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Determine the voices of a range of messages, also of such as have one."""
        span, known = {"first": first, "last": last}, self._rules
        *changed, rules = await writer.rows(_CHANGED, span | _asking(known))
        if rules["speaker"] != known:  # another process may have changed them
            self._rules = rules["speaker"]
            *changed, _ = await writer.rows(_CHANGED, span | _asking(rules["speaker"]))
        if changed:
            await self._change(writer, changed)

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Determine the voices of messages whose texts are at hand, and that have none."""
        self._rules = await writer.value(f"SELECT {RULES}")
        await writer.many(_INSERT, _voices_in(texts, self._rules))

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Delete the voices of these messages."""
        await writer.many("DELETE FROM voices WHERE id = ?", [(number,) for number in ids])

    async def clear(self, writer: Writer) -> None:
        """Delete every voice."""
        await writer.run("DELETE FROM voices")

    async def differences(self, writer: Writer) -> list[str]:
        """Compare the voices with what the rules say of each message."""
        kept = "SELECT id, aside, speaker, text_at FROM voices"
        asking = _asking(await writer.value(f"SELECT {RULES}"))
        return await compare(writer, self.name, kept, _RECOUNTED, asking)

    async def _change(self, writer: Writer, changed: Sequence[Row]) -> None:
        ids = [row["id"] for row in changed]
        async with followed(writer, self._followers, ids):
            await self.remove(writer, ids)
            await writer.many(
                _INSERT,
                [
                    (row["id"], row["aside"], row["speaker"], row["text_at"])
                    for row in changed
                    if row["aside"] or row["speaker"]
                ],
            )


class _FirstCharacters(NamedTuple):
    """The characters with which nicks begin whose lines may have a voice, and one or two of lines.

    Most messages are ruled out by them without a look at the rules: 0.5 us a message, not 6.3.
    """

    of_nicks: frozenset[str]
    of_lines: frozenset[str]

    def allow_voice(self, nick: str, message: str) -> bool:
        """Whether a message may have a voice that is not known to be the bot's own."""
        return (
            nick[:1] in self.of_nicks
            or message[:1] in self.of_lines
            or message[:2] in self.of_lines
            or not message[:2].isprintable()  # as formatting codes, which may stand anywhere
        )


def _first_characters(known: Mapping[str, VoiceRules]) -> _FirstCharacters:
    every = [*known.values(), VoiceRules()]
    return _FirstCharacters(
        frozenset().union(*(rules.nick_starts for rules in every)),
        frozenset().union(*(rules.line_starts for rules in every)),
    )


def _asking(stored: str) -> dict[str, str]:
    """The parameters of _VOICE for the rules of the file."""
    first = _first_characters(parsed_rules(stored))
    return {
        "rules": stored,
        "line_starts": "".join({start[0] for start in first.of_lines}),
        "nick_starts": "".join(first.of_nicks),
    }


def _voices_in(texts: IndexTexts, stored: str) -> Iterator[tuple[int, *VoiceRow]]:
    """The rows of imported messages that have a voice, as `_VOICE` finds them."""
    known = parsed_rules(stored)
    first = _first_characters(known)
    columns = (texts.ids, texts.networks, texts.nicks, texts.messages, texts.kinds, texts.own)
    for number, network, nick, message, kind, own in zip(*columns, strict=True):
        if kind in SPEECH and (own or first.allow_voice(nick, message)):
            is_message = kind == MessageType.PRIVMSG
            is_own = True if own else None
            row = voice_row(known, network, nick, message, is_own=is_own, is_message=is_message)
            if row:
                yield number, *row
