"""One page of a search, as text within the budget; free of the MCP SDK, for the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from terrarium_mcp.chat.cursors import BadCursor, Cursor, fingerprint_of, read_cursor
from terrarium_mcp.chat.fence import line_cost
from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.query.syntax import MOST_CHARACTERS
from terrarium_mcp.chat.questions.events import asks_for_events
from terrarium_mcp.chat.records import SPEECH, Message
from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.chat.transcript import Keep, Transcript, fenced
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.request import Request
from terrarium_mcp.store import Hits, Rung, Search
from terrarium_mcp.tools.asides import left_out_note
from terrarium_mcp.tools.changed_nicks import changed_nick_note
from terrarium_mcp.tools.exact_hits import EXACT
from terrarium_mcp.tools.facts import head_facts, json_form
from terrarium_mcp.tools.known_nicks import unknown_nick_notes
from terrarium_mcp.tools.nicks_among_words import queries_by_nick
from terrarium_mcp.tools.parameters import clamping_notes
from terrarium_mcp.tools.search_arguments import SearchArguments, requested_search
from terrarium_mcp.tools.search_text import (
    NOT_NEVER,
    all_lines_note,
    exact_total_note,
    headline,
    hits_summary,
    next_steps,
    over_budget,
    remaining_tokens,
    scan_note,
    search_facts,
    weak_note,
    wordless_note,
)
from terrarium_mcp.tools.silence import silence_notes
from terrarium_mcp.wording import note


class SearchPage(NamedTuple):
    """A page of hits as text, the transcript in it, and all other facts of it for a program."""

    hits: Hits
    text: str
    transcript: Transcript
    facts: Mapping[str, object]

    def fits(self, budget: int) -> bool:
        """Whether the text shows every hit and stays within `budget` (estimated tokens)."""
        return self.hits_shown == len(self.hits.messages) and estimated_tokens(self.text) <= budget

    @property
    def hits_shown(self) -> int:
        """How many of the hits the text shows."""
        ids = {line.id for line in self.transcript.shown}
        return sum(hit.id in ids for hit in self.hits.messages)


async def search_page(arguments: SearchArguments, request: Request) -> SearchPage:
    """A page of the search that the arguments ask for, or of the one that their cursor continues.

    Raises:
        TerrariumError: the query, channel or cursor cannot be used.
    """
    search = await requested_search(arguments, request)
    # Without a channel, one that is joined between two pages does not change the question.
    ids = sorted(room.id for room in search.rooms) if arguments.channel else []
    words = arguments.query[:MOST_CHARACTERS].split()
    fingerprint = fingerprint_of(words, ids, arguments.hours, arguments.sort)
    if arguments.cursor:
        search = replace(search, cursor=_cursor(arguments.cursor, fingerprint))
    notes = [
        *map(note, search.query.notes),
        *map(note, await unknown_nick_notes(request, search.query.nicks, search.rooms)),
        *clamping_notes(hours=arguments.hours, limit=arguments.limit, context=arguments.context),
    ]
    writer = _PageWriter(request, arguments, await _covered(request, search), notes)
    return await _page_within_budget(writer, search, fingerprint)


def _is_for_events(query: Query, request: Request) -> bool:
    """Whether a query, or the question that it is, is for what happened and not only was said."""
    if query.kinds:
        return not set(query.kinds).issubset(SPEECH)
    return asks_for_events(query.question, request.now, request.settings.zone)


async def _covered(request: Request, search: Search) -> str:
    """What the record covers; for a search of events, also of which times it has none."""
    query = search.query
    if not _is_for_events(query, request):
        return await request.coverage_line(search.rooms)
    return await request.coverage_line(
        search.rooms,
        lambda coverage: coverage.events_sentence(search.zone, search.earliest, query.until),
    )


def _cursor(text: str, fingerprint: str) -> Cursor:
    try:
        return read_cursor(text, fingerprint, tuple(Rung))
    except BadCursor as error:
        raise TerrariumError(str(error)) from error


class _PageWriter(NamedTuple):
    """Writes the pages of one search.

    Args:
        request: who asks.
        arguments: what was asked for.
        covered: what the record covers.
        notes: what to know about the query and the parameters.
    """

    request: Request
    arguments: SearchArguments
    covered: str
    notes: Sequence[str]

    async def page(self, search: Search, hits: Hits) -> SearchPage:
        """A page of hits, below what it covers and all notes."""
        request = self.request
        notes = await self._notes(search, hits)
        next_tokens = remaining_tokens(request, search, hits)
        summary = hits_summary(request, search, hits)
        facts = head_facts(summary, self.covered, notes) | search_facts(hits, next_tokens)
        head = [headline(self.arguments.query, summary), self.covered, *notes]
        if not hits.messages:
            rest = [f"next: cursor={hits.next}"] if hits.next else []
            text = "\n".join([*head, *rest])
            return SearchPage(hits, text, Transcript("", (), left_out=0), facts)
        alone = hits.messages[0].id if len(hits.messages) == 1 else 0
        ids = [str(message.id) for message in hits.messages]
        which = [f"hits: {', '.join(ids)}"] if self.arguments.context else []
        onward = next_steps(hits, next_tokens)
        lines = await self._with_context(hits.messages)
        transcript = fenced(
            lines,
            request.render_options(search.rooms),
            head=head,
            keep=Keep.NEAREST if alone else Keep.FIRST,
            nearest_to=alone,
            foot_tokens=sum(map(line_cost, [over_budget(alone), *which, onward])),
            json_form=json_form(self.arguments.form, lines, facts, request.budget),
        )
        foot = [*which, onward] if transcript.shown else [over_budget(alone), onward]
        return SearchPage(hits, "\n".join([transcript.text, *foot]), transcript, facts)

    async def _notes(self, search: Search, hits: Hits) -> list[str]:
        """What to know about these hits, and about the query."""
        request = self.request
        notes = [
            *weak_note(hits),
            *left_out_note(request, search.query, hits.left_out, is_bounded=True),
            *wordless_note(hits),
            *self.notes,
        ]
        if hits.reached:
            notes.append(scan_note(request, search, hits.reached))
        notes += all_lines_note(request, search, hits)
        notes += exact_total_note(request, search, hits)
        found = hits.total if hits.rung in EXACT else hits.with_all_words
        notes += map(note, await changed_nick_note(request, search, found))
        if not (hits.messages or search.cursor):
            notes += map(note, await queries_by_nick(request, search))
            notes += await silence_notes(request, search) or [NOT_NEVER]
        return notes

    async def _with_context(self, hits: Sequence[Message]) -> list[Message]:
        """The hits, each among the nearest lines that add something to it; no line twice."""
        if not self.arguments.context:
            return list(hits)
        conversations = self.request.store.conversations
        near = await conversations.nearest(hits, self.arguments.context, until=self.request.until)
        return list({line.id: line for lines in near for line in lines}.values())


async def _page_within_budget(writer: _PageWriter, search: Search, fingerprint: str) -> SearchPage:
    """A page whose whole text keeps to the budget, as does its JSON.

    A page that does not is searched again with fewer hits, so that its cursor follows the last hit
    shown. A single hit that exceeds the budget alone is named and skipped.
    """
    while True:
        hits = await writer.request.store.search(search, fingerprint)
        page = await writer.page(search, hits)
        count = len(hits.messages)
        if count <= 1 or page.fits(writer.request.budget):
            return page
        search = replace(search, limit=max(1, min(page.hits_shown, count - 1)))
