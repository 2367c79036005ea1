"""The clauses of a query: its terms, grouped where an OR joins them."""

from collections.abc import Sequence
from typing import NamedTuple

from terrarium_mcp.chat.query.syntax import OR_AS_TEXT, is_punctuation
from terrarium_mcp.chat.terms import Term

_ANY_OF = ("from", "in", "type")
"""Operators of which any one holds where there are several, as an OR between them says."""


class Or:
    """The word OR."""


class Operator(NamedTuple):
    """An operator among the words, by its key with any minus."""

    key: str


QueryItem = Term | Or | Operator | None
"""What a query is made of, in the order typed; None is an excluded term."""


def joined(items: Sequence[QueryItem]) -> list[QueryItem]:
    """The items with only those ORs that join two terms.

    Other ORs are text, but for one between two operators of which any holds anyway. Punctuation
    is dropped where there are words.
    """
    words = [item for item in items if not _is_punctuation(item)]
    items = words if any(isinstance(item, Term | Or) for item in words) else items
    found: list[QueryItem] = []
    for at, item in enumerate(items):
        before, after = items[at - 1] if at else None, (*items[at + 1 : at + 2], None)[0]
        if not isinstance(item, Or):
            found.append(item)
        elif isinstance(before, Operator) and before.key in _ANY_OF and before == after:
            continue
        elif found and isinstance(found[-1], Term) and isinstance(after, Term):
            found.append(item)
        else:
            found.append(OR_AS_TEXT)
    return found


def clauses_of(items: Sequence[QueryItem]) -> tuple[tuple[Term, ...], ...]:
    """The different clauses that joined items make, each of different terms."""
    clauses: list[list[Term]] = []
    goes_on = False
    for item in items:
        if isinstance(item, Term) and goes_on:
            clauses[-1].append(item)
        elif isinstance(item, Term):
            clauses.append([item])
        goes_on = isinstance(item, Or)
    return tuple(dict.fromkeys(tuple(dict.fromkeys(clause)) for clause in clauses))


def _is_punctuation(item: QueryItem) -> bool:
    return isinstance(item, Term) and is_punctuation(item.text)
