"""Look-ups in FTS5's language."""

from terrarium_mcp.chat.terms import BEGINNING
from terrarium_mcp.store.search.relevance.lookup import AnyOf, Condition, ConditionKind, Lookup
from terrarium_mcp.store.sqlite.engine.index_words import nick_words
from terrarium_mcp.store.sqlite.index.fts_syntax import all_speech, one_of, ordered_and, quoted
from terrarium_mcp.store.sqlite.search.fts_query import FtsQuery


def lookup_expression(lookup: Lookup, query: FtsQuery) -> str:
    """The FTS5 expression of a look-up, its rarest part first.

    `query` has the restrictions of the question, and the asides that it leaves out.
    """
    rarest_first = sorted(lookup.all_of, key=lambda part: part.lines)
    whole = ordered_and([_any(part, query.restriction) for part in rarest_first])
    return f"({whole}) NOT {query.without.expression}" if query.without else whole


def _any(part: AnyOf, restriction: str) -> str:
    alternatives = sorted(_expression(condition, restriction) for condition in part.conditions)
    return f"({' OR '.join(alternatives)})"


def _expression(condition: Condition, restriction: str) -> str:
    match condition:
        case (ConditionKind.WORD, word):
            return f"message : {quoted(word)}{' *' if word.endswith(BEGINNING) else ''}"
        case (ConditionKind.SPEAKER, nick):
            return one_of(nick_words(nick))
        case (ConditionKind.SPEECH, _):
            return all_speech()
    return restriction
