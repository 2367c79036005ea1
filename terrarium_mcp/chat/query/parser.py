"""From the text of a query to what it asks."""

import re
from collections.abc import Collection
from datetime import UTC, datetime, tzinfo

from terrarium_mcp.chat.query import notes
from terrarium_mcp.chat.query.clauses import Operator, Or, QueryItem, clauses_of, joined
from terrarium_mcp.chat.query.parsed_query import PossibleOption, Query
from terrarium_mcp.chat.query.syntax import (
    MOST_CHARACTERS,
    OR_AS_TEXT,
    PART,
    ends_as_a_question,
    is_option,
    is_punctuation,
    names_in,
    operator_as_text,
    readable,
    term_in,
    value_in,
)
from terrarium_mcp.chat.query.typed_times import TIME_HINT, TypedTimes
from terrarium_mcp.chat.question_marks import ends_with_question_mark
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.relays import nick_meant
from terrarium_mcp.chat.terms import Term, TermKind

_KINDS = {kind.lower(): kind for kind in MessageType}
_FLAGS = {"has": "link", "is": "command"}
"""The operators that have only one value, with that value."""


def parse_query(
    text: str,
    *,
    now: datetime | None = None,
    zone: tzinfo = UTC,
    options: Collection[str] = (),
) -> Query:
    """Parse `text`. Every input is a query; the empty one has no terms.

    Args:
        text: the query as typed.
        now: the aware moment to which `yesterday` is relative; the present by default.
        zone: the reader's zone, in which days begin.
        options: words with a minus, as typed, that exclude nothing here: they are text.
    """
    parser = _QueryParser(text, now or datetime.now(UTC), zone, options)
    parser.read()
    return parser.query()


class _QueryParser:
    """A query being parsed."""

    def __init__(self, text: str, now: datetime, zone: tzinfo, options: Collection[str]) -> None:
        self._text = readable(text)
        self._is_cut = len(text) > MOST_CHARACTERS
        self._at = 0
        self._options = options
        self._is_question = ends_as_a_question(self._text)
        self._count = 0  # of words, phrases and names, as in MOST_PARTS
        self._items: list[QueryItem] = []
        self._excluded: list[Term] = []
        self._possible_options: list[PossibleOption] = []
        self._names: dict[str, list[str]] = {}
        self._kinds: list[MessageType] = []
        self._flags: set[str] = set()
        self._times = TypedTimes(self._text, now, zone)
        self._notes: list[str] = []

    def read(self) -> None:
        """Read the parts of the text in order."""
        while part := PART.search(self._text, self._at):
            self._at = part.end()
            if self._count >= notes.MOST_PARTS:
                self._note(notes.CUT)
                return
            if part["word"] == "OR" and not part["minus"]:
                self._items.append(Or())
            elif part["word"] == "AND" and not part["minus"] and self._is_between:
                continue  # all words must occur anyway
            elif part["key"] is None:
                word = part["word"] or ""
                if hint := notes.syntax_hint(word, is_in_question=self._is_question):
                    self._note(hint)
                self._take_text(part)
            else:
                self._take_operator(part)
        if self._is_cut:
            self._note(notes.CUT_SHORT)

    def query(self) -> Query:
        """The query that was read."""
        since, until = self._times.since, self._times.until
        if since and until and since >= until:
            self._note(notes.NO_TIME_LEFT)
        if len(self._named("mentions")) > 1:
            self._note(notes.ALL_NAMED)
        if self._excluded:
            self._note(notes.left_out(self._excluded))
        items = joined(self._items)
        if items.count(OR_AS_TEXT) > self._items.count(OR_AS_TEXT):
            self._note(notes.OR_READ_AS_TEXT)
        return Query(
            clauses=clauses_of(items),
            excluded=tuple(dict.fromkeys(self._excluded)),
            people=self._named("from"),
            excluded_people=self._named("-from"),
            channels=self._named("in"),
            excluded_channels=self._named("-in"),
            mentions=self._named("mentions"),
            kinds=tuple(dict.fromkeys(self._kinds)),
            has_link="has" in self._flags,
            only_commands="is" in self._flags,
            since=since,
            until=until,
            sentence=self._sentence(),
            possible_options=tuple(self._possible_options),
            notes=tuple(self._notes),
        )

    @property
    def _is_between(self) -> bool:
        """Whether something was read already and something is left."""
        return bool(self._items) and self._text[self._at :].strip() != ""

    def _take_text(self, part: re.Match[str]) -> None:
        """Read a word, a phrase or a prefix, and what its minus means."""
        term = term_in(part)
        if not part["minus"]:
            self._take_term(term, excluded=False)
        elif part["word"] and self._is_text(term, part[0]):
            if term.words:
                self._note(notes.read_as_option(term.text))
            self._take_term(Term(part[0]), excluded=False)
        else:
            before = self._items[-1] if self._items else None
            if part["word"] and isinstance(before, Term) and before.words and term.words:
                said = Term(f"{before.text} {part[0]}", TermKind.PHRASE)
                self._possible_options.append(PossibleOption(part[0], said))
            self._take_term(term, excluded=True)

    def _is_text(self, word: Term, typed: str) -> bool:
        """Whether a word with a minus before it is text: any of a question is."""
        if '"' in typed:  # it could not be printed so that it is read again
            return False
        is_asked = self._is_question or ends_with_question_mark(typed)
        return is_asked or typed in self._options or is_option(typed) or not word.words

    def _take_term(self, term: Term, *, excluded: bool) -> None:
        if not term.text:
            return
        self._count += 1
        if excluded:
            self._excluded.append(term)
        self._items.append(None if excluded else term)

    def _take_operator(self, part: re.Match[str]) -> None:
        """Read an operator; one with an invalid value is text."""
        minus, key = part["minus"] or "", part["key"].lower()
        if not value_in(part["value"]):
            self._note(f"{minus}{key}: has no value and was ignored")
        elif hint := self._take_value(minus, key, part["value"]):
            self._note(notes.read_as_text(part[0], hint))
            self._take_term(operator_as_text(part), excluded=bool(minus))
            return
        self._items.append(Operator(minus + key))

    def _take_value(self, minus: str, key: str, typed: str) -> str:
        """Read the value of an operator; of an invalid one, the hint how to write it, else ""."""
        if key in ("from", "in") or (key == "mentions" and not minus):
            self._take_names(minus + key, [_name(key, one) for one in names_in(typed)])
            return ""
        if minus:
            return "only words, phrases, from: and in: can follow a minus"
        if key in _FLAGS:
            return self._take_flag(key, value_in(typed))
        if key == "type":
            return self._take_kinds(names_in(typed))
        return self._take_time(key, typed)

    def _take_flag(self, key: str, value: str) -> str:
        if value.lower() != _FLAGS[key]:
            return f"the value of {key}: is {_FLAGS[key]}"
        self._flags.add(key)
        return ""

    def _take_kinds(self, names: list[str]) -> str:
        kinds = [_KINDS.get(name.lower()) for name in names]
        self._kinds += [kind for kind in kinds if kind]
        return "" if all(kinds) else f"the values of type: are {', '.join(_KINDS)}"

    def _take_names(self, key: str, names: list[str]) -> None:
        """Read nicks or channels, as many as may be."""
        taken = names[: notes.MOST_PARTS - self._count]
        self._names.setdefault(key, []).extend(taken)
        self._count += len(taken)
        if taken != names:
            self._note(notes.CUT)

    def _take_time(self, key: str, typed: str) -> str:
        time = self._times.take(key, typed, self._at)
        if time is None:
            return TIME_HINT
        self._at = time.end
        for note in time.notes:
            self._note(note)
        return ""

    def _sentence(self) -> str:
        """The words in their order, where some are repeated: `what broke in #dev in May`."""
        typed = [item.text for item in self._items if isinstance(item, Term)]
        said = [text for text in typed if not is_punctuation(text)]
        return " ".join(said) if len(set(said)) < len(said) else ""

    def _named(self, key: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._names.get(key, ())))

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.append(sentence)


def _name(key: str, value: str) -> str:
    """A channel as it was typed, or the nick that is meant."""
    return value if key == "in" else nick_meant(value)
