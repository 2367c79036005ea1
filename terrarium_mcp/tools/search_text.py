"""The text around the hits of a search: headline, notes, and how to go on."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from terrarium_mcp.chat.fence import line_cost
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.terms import as_written
from terrarium_mcp.chat.times.timestamps import minute
from terrarium_mcp.chat.transcript import line_of
from terrarium_mcp.request import Request
from terrarium_mcp.store import COUNTED, Hits, Rung, Search, Sort
from terrarium_mcp.tools.exact_hits import EXACT
from terrarium_mcp.tools.repeated_query import query_argument
from terrarium_mcp.tools.search_arguments import LARGEST_PAGE, USUAL_PAGE
from terrarium_mcp.wording import and_more, note, quantity, shown

_MOST_TYPED = 200
"""Characters of a query that the title repeats."""

_MOST_WORDLESS = 10
"""Hits without a word of the query that a note names."""

_OF_ALL_WORDS = (Rung.ALL_WORDS, Rung.SCAN)
"""Rungs whose hits all hold all words of the query."""

_MOST_WORDS, _LONGEST_WORD = 4, 40
"""Words of the query, or similar ones, that a headline names, and the characters of each."""


def total_text(hits: Hits) -> str:
    """How many hits there are; empty for a question, where any word matches and no total helps."""
    return "" if hits.rung is Rung.ANY_WORD else hits.total_text


NOT_NEVER = "That does not mean it was never said. Try other words, without in:, from: and hours."
"""How an answer without hits ends: it must not read as "never said"."""


def headline(typed: str, summary: str) -> str:
    """`search "deploy script": 3 of 14 hits in #terrarium (all words, by relevance)`."""
    return f"{_title(typed)}: {summary}"


def hits_summary(request: Request, search: Search, hits: Hits) -> str:
    """`3 of 14 hits in #terrarium (all words, by relevance)`."""
    if not hits.messages:
        return _nothing_found(request, search, hits)
    visible, total = len(hits.messages), total_text(hits)
    count = f"{visible} of {total}" if total else f"{visible}"
    noun = "hit" if (total or count) == "1" else "hits"
    return f"{count} {noun} in {request.room_names(search.rooms)} ({_method(search, hits)})"


def _nothing_found(request: Request, search: Search, hits: Hits) -> str:
    if search.cursor:
        return "no more hits"
    tried = _joined([rung.value for rung in hits.tried], "and")
    return f"nothing found in {request.room_names(search.rooms)} (tried: {tried})"


def _method(search: Search, hits: Hits) -> str:
    ranked = search.sort is Sort.RELEVANCE and hits.rung is not Rung.EVERYTHING
    first = Sort.NEWEST if search.sort is Sort.RELEVANCE else search.sort
    order = "by relevance" if ranked else f"{first.value} first"
    if hits.rung is Rung.CONVERSATIONS and (hits.next or search.cursor):
        order = f"the largest on the first page, {order} on each"
    method = f"{hits.rung.value}, {order}"
    if hits.with_all_words:
        shown_here = len(hits.messages)
        part = f"{shown_here} of " if hits.with_all_words > shown_here else ""
        return f"{part}{hits.with_all_words} with all words, then {method}"
    # Only the first page looks for lines with all words.
    parts = [method] if search.cursor else [method, *_missing_words(hits)]
    return "; ".join([*parts, "weak"] if hits.is_weak else parts)


def _missing_words(hits: Hits) -> list[str]:
    """Which words of the query no line holds, and those that these hits hold in their place.

    Of `grub in 2016` it says nothing that no line holds `in 2016` too.
    """
    is_looser = hits.rung in (Rung.ANY_WORD, Rung.SIMILAR)
    if not is_looser or (hits.names_a_time and not hits.unsaid):
        return []
    # Similar words are searched for if none of the lines searched holds the query's, whichever do.
    line = "no line searched" if hits.rung is Rung.SIMILAR else "no line"
    missing = _named(hits.unsaid, "or") if hits.unsaid else "all of them"
    instead = [f"instead: {_named(hits.stand_ins, 'and')}"] if hits.stand_ins else []
    return [f"{line} holds {missing}", *instead]


def _named(words: Sequence[str], last: str) -> str:
    """`covid or vaccine`: the first few words, in one line."""
    named = [harmless(shown(as_written(word), _LONGEST_WORD)) for word in words[:_MOST_WORDS]]
    return _joined(named if len(words) <= _MOST_WORDS else [*named, "others"], last)


def _joined(words: Sequence[str], last: str) -> str:
    """`a, b or c`: the words, with a `last` conjunction where there are several."""
    *others, final = words
    return f"{', '.join(others)} {last} {final}" if others else final


def wordless_note(hits: Hits) -> list[str]:
    """Which hits hold no word of the query: read alone, they look out of place.

    Where all hits are weak, that says enough.
    """
    if hits.is_weak or not hits.wordless:
        return []
    ids = and_more([str(hit) for hit in hits.wordless], _MOST_WORDLESS)
    return [note(f"without any word of the query, found by the lines around them: {ids}")]


def weak_note(hits: Hits) -> list[str]:
    """That even the best hit is a weak match, and what to try."""
    if not hits.is_weak:
        return []
    weak = (
        "even the best hit is a weak match, so this may not have been said here."
        " Try two or three words that the answer would use, or a name"
    )
    return [note(weak)]


def _title(typed: str) -> str:
    return f"search {shown(typed, _MOST_TYPED)}" if typed else "search"


def scan_note(request: Request, search: Search, reached: datetime) -> str:
    """That one page could not search every line, and how far this one got."""
    direction = "up to" if search.sort is Sort.OLDEST else "back to"
    time = minute(reached, request.settings.zone)
    return f"searched only {direction} {time}: the next page continues from there"


def all_lines_note(request: Request, search: Search, hits: Hits) -> list[str]:
    """How many lines the conversations of a first page stand for, and the call that shows them.

    Without, the lines that open them read as all that happened.
    """
    if search.cursor or not hits.lines:
        return []
    argument = _all_lines_argument(request, search)
    limit = min(hits.lines, LARGEST_PAGE)
    page = f", limit={limit}" if limit > USUAL_PAGE else ""
    pages = f", {limit} a page" if hits.lines > limit else ""
    call = f'search_irc_history({argument}, sort="oldest"{page}) shows every line{pages}'
    lines = quantity(hits.lines, "line")
    if hits.is_sample:
        told = f"more than {lines}, so these are only of the beginning of each sixth of the time"
    else:
        told = f"{lines} in all, {hits.apart:,} of them in no conversation"
    return [note(f"{told}: {call}" if argument else told)]


def _all_lines_argument(request: Request, search: Search) -> str:
    """The query that selects the lines of a search, with the hours that it asks for."""
    query = replace(search.query, since=search.earliest)
    return query_argument(request, search.rooms, query)


def exact_total_note(request: Request, search: Search, hits: Hits) -> list[str]:
    """The call that counts what a search only says to be more than `COUNTED`; nothing if none does.

    `get_channel_stats` counts lines with all words, of the rooms and the time that its query names.
    """
    if hits.rung not in EXACT or hits.total <= COUNTED or search.cursor:
        return []
    argument = _all_lines_argument(request, search)
    return [note(f"get_channel_stats counts all of them: {argument}")] if argument else []


def over_budget(hit: int) -> str:
    """What replaces a hit that alone exceeds the budget."""
    return f"message {hit} alone is longer than that"


def next_steps(hits: Hits, next_tokens: int) -> str:
    """How to go on: to the next page, and to the lines around a hit."""
    left = hits.total - len(hits.messages)
    remaining = f" ({left} more, about {next_tokens} tokens)" if next_tokens else ""
    following = f"next: cursor={hits.next}{remaining} | " if hits.next else ""
    return f"{following}around a line: get_message_context({hits.messages[0].id})"


def search_facts(hits: Hits, next_tokens: int) -> dict[str, object]:
    """What the text says besides the lines, its head and how to go on, for a program."""
    return {
        "hits": [str(message.id) for message in hits.messages],
        "rung": hits.rung.value,
        "weak": hits.is_weak,
        "with_all_words": hits.total if hits.rung in _OF_ALL_WORDS else hits.with_all_words,
        "without_words": [str(hit) for hit in hits.wordless],
        "total": total_text(hits) or None,
        "asides_left_out": hits.left_out,
        "next_cursor": str(hits.next or ""),
        "next_tokens": next_tokens,
    }


def remaining_tokens(request: Request, search: Search, hits: Hits) -> int:
    """About how many tokens the hits of all further pages take; 0 where that is not known.

    It is known on the first page, if there are not too many.
    """
    if search.cursor or not (hits.next and total_text(hits)) or hits.total > COUNTED:
        return 0
    options = request.render_options(search.rooms)
    cost = sum(line_cost(line_of(hit, options)) for hit in hits.messages)
    tokens = (hits.total - len(hits.messages)) * cost // max(1, len(hits.messages))
    return round(tokens, 1 - len(str(tokens)))
