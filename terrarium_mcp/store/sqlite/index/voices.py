"""Voices: the speakers of relayed lines, and the lines that are asides, in a table of their own.

`messages` keeps what was sent. A row here is made by the voice rules of the file, and may change
when these do: then the message is taken out of every structure that goes by it, and put back.
"""

from collections.abc import Iterator, Mapping, Sequence

from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.chat.voices import Voice, VoiceRules, rules_on
from terrarium_mcp.store.sqlite.engine.database import Row, Writer
from terrarium_mcp.store.sqlite.engine.rows import IS_SPEECH
from terrarium_mcp.store.sqlite.engine.voices_sql import RULES, parsed_rules
from terrarium_mcp.store.sqlite.index.followers import Follower, followed
from terrarium_mcp.store.sqlite.index.full_text import READABLE
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.structure import compare

# Rows that were imported, adopted or appended by another program may be the bot's: only the nick
# tells. What this program recorded says so itself.
_IS_OWN = """
CASE WHEN m.self THEN 1 WHEN m.self IS NULL OR m.origin IS 'import' THEN NULL ELSE 0 END"""
_IS_MESSAGE = "ifnull(upper(m.message_type), 'PRIVMSG') NOT IN ('NOTICE', 'ACTION')"
# Most lines are told from their first character, and that of their nick, without a call to Python:
# 0.5 us a message, not 6.3.
_MAY_HAVE_ONE = """(
  m.self OR instr(:nick_starts, substr(m.nick, 1, 1))
  OR instr(:line_starts, substr(m.message, 1, 1)) OR m.message < ' ')"""
_VOICE = f"""
CASE WHEN {_MAY_HAVE_ONE} AND {READABLE} AND {IS_SPEECH} THEN voice_of(
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


_PLAIN = Voice()

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


def _asking(stored: str) -> dict[str, str]:
    """The parameters of _VOICE for the rules of the file."""
    nick_starts, line_starts = _starts(parsed_rules(stored))
    return {
        "rules": stored,
        "line_starts": "".join(line_starts),
        "nick_starts": "".join(nick_starts),
    }


def _starts(known: Mapping[str, VoiceRules]) -> tuple[set[str], set[str]]:
    """The characters with which nicks begin whose lines may have a voice, and such lines."""
    every = [*known.values(), VoiceRules()]
    return (
        {start for rules in every for start in rules.nick_starts},
        {start for rules in every for start in rules.line_starts},
    )


def _voices_in(texts: IndexTexts, stored: str) -> Iterator[tuple[object, ...]]:
    """The rows of imported messages that have a voice, as `_VOICE` finds them."""
    known = parsed_rules(stored)
    nick_starts, line_starts = _starts(known)
    columns = (texts.ids, texts.networks, texts.nicks, texts.messages, texts.kinds, texts.own)
    for number, network, nick, message, kind, own in zip(*columns, strict=True):
        may_have_one = own or nick[:1] in nick_starts or message[:1] in line_starts or message < " "
        if may_have_one and kind in SPEECH:
            voice = rules_on(network, known).voice_of(
                nick,
                message,
                is_own=True if own else None,
                is_message=kind == MessageType.PRIVMSG,
            )
            if voice != _PLAIN:
                text_at = None if voice.text_at is None else voice.text_at + 1
                yield number, voice.aside, voice.speaker, text_at
