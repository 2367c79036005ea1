"""Pages of hits: a ranked head of at most 200 lines, and after it all others by time."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from terrarium_mcp.chat.cursors import Cursor, fingerprint
from terrarium_mcp.chat.records import Message, Room
from terrarium_mcp.chat.when import EVERY_LINE, Position
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.rooms import within
from terrarium_mcp.store.rows import COLUMNS, as_messages
from terrarium_mcp.store.search.exact import Exact, Part
from terrarium_mcp.store.search.hits import Hits, Rung, Sort
from terrarium_mcp.store.search.ladder import ENOUGH, Step
from terrarium_mcp.store.search.lookups import Lookups, Total
from terrarium_mcp.store.search.order import NEWEST, OLDEST
from terrarium_mcp.store.search.relevance.relevance import Answering, Relevance

HEAD = 200
"""Lines that are ranked; the rest of the hits follow by time."""

_HEADS = 200
"""Heads that are remembered for their next pages: they stay as the first page showed them."""

_PLACE = attrgetter("position")


class RankedAnew(TerrariumError):
    """A ranking of which the first pages were shown can no longer be made."""

    def __init__(self) -> None:
        super().__init__(
            "The ranking that this cursor goes on in is forgotten: the server was started anew,"
            " and the history has changed. Leave the cursor out to begin at the first page, or"
            " page with sort=newest, which never changes."
        )


@dataclass(frozen=True, slots=True)
class _Head:
    """The ids of the ranked lines, best first, and how many hits there are, if that is known."""

    ids: Sequence[int]
    total: Total | None


_NO_HEAD = _Head([], None)


def _ids(answering: Answering | None) -> list[int]:
    return [one.line.id for one in answering.ranked] if answering else []


class Pages:
    """The pages of every rung."""

    def __init__(self, database: Database, relevance: Relevance) -> None:
        self._database = database
        self._exact = Exact(Lookups(database))
        self._relevance = relevance
        self._heads: dict[tuple[str, str], _Head] = {}

    async def page(self, step: Step, question: str) -> Hits:
        """The next lines of the ranked head, and after it those of the tail, by time."""
        asked, start = step.asked, step.asked.cursor
        begins = step.rung is Rung.ALL_WORDS and not start
        if begins and await self._exact.has_none(step.sought):
            return Hits([], step.rung, 0)
        head = await self._head(step, question) if step.ranks else _NO_HEAD
        skip = min(start.skip if start else 0, len(head.ids))
        ranked = head.ids[skip : skip + asked.limit]
        page = await self._messages(ranked, asked.rooms) if ranked else []
        skip = min(skip + asked.limit, len(head.ids))
        after = start.after if start else None
        room = asked.limit - len(page)
        in_head = skip < len(head.ids)
        if head.total and (in_head or head.total == Total(len(head.ids))):
            part = Part([], head.total)
        else:  # one line more than there is room for tells whether there is a next page
            part = await self._tail(step, head.ids, after, 0 if in_head else room + 1)
        tail = [] if in_head else as_messages(part.rows, asked.rooms)
        reached = None if in_head or len(tail) > room else part.reached
        if tail[:room]:
            page = [*page, *tail[:room]]
            after = page[-1].position
        goes_on = in_head or len(tail) > room or reached
        since, until = asked.bounds
        here = Cursor(
            question,
            step.sought.history.snapshot,
            step.rung,
            skip,
            reached or after,
            since,
            "" if until == EVERY_LINE.timestamp else until,
            fingerprint(*head.ids) if step.ranks else "",
        )
        return Hits(
            page,
            step.rung,
            part.total.count,
            here if goes_on else None,
            total_is_exact=part.total.exact,
            reached=reached.moment if reached else None,
        )

    async def _tail(
        self, step: Step, head: Collection[int], after: Position | None, most: int
    ) -> Part:
        """The hits by time from a place on, without those that the head has shown."""
        order = OLDEST if step.asked.sort is Sort.OLDEST else NEWEST
        part = await self._exact.first(step.sought, most + len(head), order, after)
        return replace(part, rows=[row for row in part.rows if row["id"] not in head][:most])

    async def _head(self, step: Step, question: str) -> _Head:
        """The ranked lines; the same ones for every page of a question."""
        begun = step.asked.cursor.head if step.asked.cursor else None
        if begun and (question, begun) in self._heads:
            return self._heads[question, begun]
        head = await self._ranked(step)
        name = fingerprint(*head.ids)
        if begun is not None and begun != name:
            raise RankedAnew
        self._heads[question, name] = head
        while len(self._heads) > _HEADS:
            self._heads.pop(next(iter(self._heads)))
        return head

    async def _ranked(self, step: Step) -> _Head:
        """The lines with all words, if there are hardly any, and those that answer best."""
        if step.rung is Rung.ALL_WORDS:
            newest = await self._exact.first(step.sought, HEAD, NEWEST)
            return _Head(_ids(await self._best_of(newest, step)), newest.total)
        first = await self._with_all_words(step) if step.is_looser else []
        ids = list(dict.fromkeys([*first, *_ids(await self.answering(step))]))[:HEAD]
        # An answer to a question names no total.
        return _Head(ids, Total(len(ids), exact=False) if step.rung is Rung.ANY_WORD else None)

    async def _with_all_words(self, step: Step) -> list[int]:
        """The few lines with all words, newest first; a later page does not have them at hand."""
        few, is_first_page = step.few, not step.asked.cursor
        if is_first_page and few.total == len(few.messages):
            return [line.id for line in sorted(few.messages, key=_PLACE, reverse=True)]
        exactly = replace(step.sought, query=step.asked.query)
        return [row["id"] for row in (await self._exact.first(exactly, ENOUGH, NEWEST)).rows]

    async def answering(self, step: Step) -> Answering | None:
        """The lines of a rung that answer best; of those with all words, the newest are ranked."""
        if step.rung is Rung.ANY_WORD:
            return await self._relevance.answering(step.question)
        if step.rung is Rung.SIMILAR:
            return None
        return await self._best_of(await self._exact.first(step.sought, HEAD, NEWEST), step)

    async def _best_of(self, part: Part, step: Step) -> Answering | None:
        ids = [row["id"] for row in part.rows]
        return await self._relevance.among(ids, step.question) if ids else None

    async def _messages(self, ids: Sequence[int], rooms: Sequence[Room]) -> list[Message]:
        """These messages, in this order; without those that are gone since they were ranked."""
        rows = await self._database.rows(
            # CROSS JOIN keeps the order: the ids lead, whatever an index could narrow.
            f"SELECT {COLUMNS} FROM json_each(:ids) shown CROSS JOIN messages m"  # noqa: S608 -- no words of strangers
            f" ON m.id = shown.value WHERE {within(rooms, 'm.room')} AND m.redacted_at IS NULL",
            {"ids": json.dumps(list(ids))},
        )
        by_id = {message.id: message for message in as_messages(rows, rooms)}
        return [by_id[number] for number in ids if number in by_id]
