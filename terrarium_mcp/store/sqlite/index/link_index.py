"""The links of all messages: the distinct URLs, and the messages that contain each."""

# ruff: noqa: S608 -- every statement is made of constants

from collections.abc import Mapping, Sequence

from terrarium_mcp.store.sqlite.engine.id_lists import AMONG_IDS, ids_params
from terrarium_mcp.store.sqlite.engine.writes import Writer
from terrarium_mcp.store.sqlite.index.counter_sql import SAID
from terrarium_mcp.store.sqlite.index.index_texts import IndexTexts
from terrarium_mcp.store.sqlite.index.structure import compare
from terrarium_mcp.wording import quantity

_MENTIONS = "messages m, json_each(urls_of(CAST(m.message AS BLOB))) said"
_MENTIONED = f"instr(m.message, '://') AND {SAID}"
_MAKE_FOUND = "CREATE TEMP TABLE IF NOT EXISTS found (room, said, message, url)"


class LinkIndex:
    """The URLs of all messages, and where they were said."""

    name = "links"
    tables = ("links", "urls")

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Add the URLs of a range of messages."""
        span = {"first": first, "last": last}
        await _add(writer, "m.id BETWEEN :first AND :last", span)

    async def add_texts(self, writer: Writer, texts: IndexTexts) -> None:
        """Add the URLs of messages, if they have any."""
        ids = [n for n, text in zip(texts.ids, texts.messages, strict=True) if "://" in text]
        if ids:
            await _add(writer, AMONG_IDS, ids_params(ids))

    async def restore(self, writer: Writer, ids: Sequence[int]) -> None:
        """Add the URLs of messages again that were removed a moment ago."""
        await _add(writer, AMONG_IDS, ids_params(ids))

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Remove these messages, and the URLs that no other message has."""
        gone = ids_params(ids)
        rows = await writer.rows(
            # The plus keeps SQLite from comparing texts as numbers, for which it uses no index.
            "SELECT DISTINCT l.url FROM messages m CROSS JOIN links l"
            f" ON l.room = m.room AND l.said = +m.timestamp AND l.message = m.id WHERE {AMONG_IDS}",
            gone,
        )
        places = f"SELECT m.room, m.timestamp, m.id FROM messages m WHERE {AMONG_IDS}"
        await writer.many(
            "DELETE FROM links WHERE room = ? AND said = ? AND message = ?",
            [tuple(row) for row in await writer.rows(f"{places} AND {_MENTIONED}", gone)],
        )
        await writer.many(
            "DELETE FROM urls WHERE id = :url"
            " AND NOT EXISTS (SELECT 1 FROM links WHERE url = :url)",
            [{"url": row[0]} for row in rows],
        )

    async def clear(self, writer: Writer) -> None:
        """Delete every URL."""
        await writer.run("DELETE FROM links")
        await writer.run("DELETE FROM urls")

    async def differences(self, writer: Writer) -> list[str]:
        """Compare the links with the messages, and look for URLs that no message has."""
        found = await compare(
            writer,
            "links",
            "SELECT l.room, l.said, l.message, u.url FROM links l LEFT JOIN urls u ON u.id = l.url",
            f"SELECT m.room, m.timestamp, m.id, said.value FROM {_MENTIONS} WHERE {_MENTIONED}",
        )
        unused = "SELECT count(*) FROM urls WHERE id NOT IN (SELECT url FROM links)"
        if count := await writer.value(unused):
            found.append(f"links: {quantity(count, 'URL')} of no message.")
        return found


async def _add(writer: Writer, which: str, params: Mapping[str, object]) -> None:
    """Add the URLs of the messages that meet a condition."""
    await writer.run(_MAKE_FOUND)
    await writer.run(
        "INSERT INTO temp.found SELECT m.room, m.timestamp, m.id, said.value"
        f" FROM {_MENTIONS} WHERE {which} AND {_MENTIONED}",
        params,
    )
    await writer.run(
        "INSERT INTO urls (url) SELECT url FROM temp.found WHERE true ON CONFLICT DO NOTHING"
    )
    await writer.run(
        "INSERT INTO links (room, said, message, url)"
        " SELECT f.room, f.said, f.message, u.id FROM temp.found f JOIN urls u ON u.url = f.url"
    )
    await writer.run("DELETE FROM temp.found")
