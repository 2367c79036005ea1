"""Notes that a version is also written otherwise: figures count `4.0.0`, and not `v4.0.0`."""

import re
from collections.abc import Iterator
from dataclasses import replace

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.question import version_spellings
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.request import Request
from terrarium_mcp.store import Search, TookTooLong
from terrarium_mcp.tools.repeated_query import query_argument
from terrarium_mcp.wording import note, quantity

_VERSION = re.compile(r"v?\d+(?:\.\w+)+")

_MORE = "more with the other spelling of a version"


async def version_notes(request: Request, lines: Search, counted: int) -> list[str]:
    """How many lines more there are with the versions of a query in any spelling; none if none.

    Args:
        request: who asks.
        lines: the search whose lines were counted.
        counted: how many these are.
    """
    query = with_version_spellings(lines.query)
    argument = "" if query == lines.query else query_argument(request, lines.rooms, query)
    if not argument:
        return []
    try:
        more = (await request.store.scope_stats(replace(lines, query=query))).lines - counted
    except TookTooLong:  # the figures themselves were counted: they are not lost for a note
        return [note(f"not counted: lines {_MORE}: {argument}")]
    return [note(f"{quantity(more, 'line')} {_MORE}: {argument}")] if more else []


def with_version_spellings(query: Query) -> Query:
    """The query with each version that is a word of it in either spelling; as it is without any."""
    clauses = tuple(tuple(dict.fromkeys(_spelt(clause))) for clause in query.clauses)
    return query if clauses == query.clauses else query.with_clauses(*clauses)


def _spelt(clause: tuple[Term, ...]) -> Iterator[Term]:
    for term in clause:
        yield term
        written = term.text.lower().rstrip(".,;:!?")
        if term.kind is TermKind.WORD and _VERSION.fullmatch(written):
            yield from (Term(one) for one in version_spellings(written) if one != written)
