"""The query language, as people and models type it into a search.

    query    = *( clause / "-" term / [ "-" ] operator )
    clause   = term *( "OR" term )              ; a message must contain one of the terms
    term     = phrase / prefix / word
    phrase   = DQUOTE 1*char [ DQUOTE ]         ; consecutive words
    prefix   = 1*char letter "*"                ; a word with this beginning
    word     = any other run of non-spaces
    operator = "from:" nick                     ; the author; any of several
             / "in:" channel                    ; any of several
             / "mentions:" nick                 ; the text names them; all of several
             / "has:link"
             / "is:command"                    ; only commands to the bot; else they are left out
             / "type:" kind                     ; privmsg, notice, action, join ...; any of several
             / ( "after:" / "before:" / "on:" ) time
    time     = day [ [ "at" ] "14:00" ] / "2026-05" / "2026" / "2h" / "last week" ...
    day      = "2026-05-01" / "yesterday" / "5 may" ...

A message must satisfy every clause, with or without AND between two of them, and contain none of
the terms after a minus. The only operators that can follow a minus are from: and in:. Not every
minus excludes: `-9`, `-f` and `-O2` are text, as is each `-word` of a query that ends in a question
mark, and `"-rf"`. A phrase behind a minus, `-"rf"`, is always excluded. A value may be quoted; of
others several may be named at once: `from:ada,bo` is `from:ada from:bo`, and so is
`(from:ada OR from:bo)`. `after:` includes its time from the beginning, `before:` excludes it, and
`on:` is the whole of it. Everything else is text: there are no syntax errors. Text that looks like
an operator is mentioned in the notes.
Of a long query only the beginning is read (`MOST_CHARACTERS`, `MOST_PARTS`), and a note says so.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, tzinfo
from typing import NamedTuple

from terrarium_mcp.chat.irctext import harmless, plain
from terrarium_mcp.chat.operator_hints import operator_hint
from terrarium_mcp.chat.question_marks import ends_with_question_mark
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.relays import nick_meant
from terrarium_mcp.chat.terms import VOWEL_SIGN, Term, TermKind, begins_like_an_exclusion
from terrarium_mcp.chat.times.query_dates import (
    is_time,
    names_a_moment,
    parse_moment,
    parse_period,
)
from terrarium_mcp.chat.times.timestamps import local, to_iso

MOST_PARTS = 64
"""Words, phrases and names that are read; a question has a dozen."""

MOST_CHARACTERS = 2_000
"""Characters that are read: four times the longest IRC message (512 bytes, RFC 1459 2.3), so that
a line and its neighbours can be pasted. All work that follows on a query is bounded by this."""

MOST_TIMES = 8
"""Times that are read, or tried and found to be none: reading one may take 5 ms."""

_KEY = r"(?:from|in|mentions|has|is|type|after|before|on)"
IN_QUOTES = r'(?:[^"]|(?<=[\u0591-\u05ea])"(?=[\u05d0-\u05ea]))*'
"""What is in quotation marks, as a regular expression. A mark between two Hebrew letters, with or
without points, is that of an acronym (gershayim). Letters of other scripts may be directly behind a
phrase: Chinese and Japanese have no spaces."""
_PART = re.compile(
    rf"(?:\(+(?=-?{_KEY}:))?"  # a group of operators: what is in it decides what it means
    r"(?P<minus>-(?=[^\s-]))?(?:"
    rf'(?P<key>{_KEY}):(?P<value>"{IN_QUOTES}"?|\S+)'
    rf'|"(?P<phrase>{IN_QUOTES})"?'
    rf"|(?:\*+(?=\w))?(?P<prefix>\S*(?:[^\W_]|{VOWEL_SIGN}))\*+(?!\S)"
    r"|(?P<word>\S+))",
    re.IGNORECASE,
)
_WIDE_COLON = re.compile(rf"(?<!\w)({_KEY})\uff1a", re.IGNORECASE)
"""An operator with the colon of a Chinese or Japanese keyboard."""
_OPENING_BRACKETS = "\u300c\u300e\uff62"
_CLOSING_BRACKETS = "\u300d\u300f\uff63"
_QUOTATION_MARKS = str.maketrans(
    dict.fromkeys(
        f"\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02{_OPENING_BRACKETS}{_CLOSING_BRACKETS}", '"'
    )
)
"""Those of phones, word processors and other languages, as the one that marks a phrase."""
_BEFORE_A_QUOTATION = re.compile(rf"(?<=\w)(?=[{_OPENING_BRACKETS}])")
"""Where Chinese and Japanese, without a space, begin to quote."""
_COMMAS = ",;\u060c\u061b\u3001\uff0c\uff1b"
_STOPS = f"{_COMMAS}.:!?\u061f\u06d4\u0964\u0965\u3002\uff01\uff0e\uff1a\uff1f"
"""Punctuation behind a word; also of Arabic, Urdu, Hindi, Chinese and Japanese."""
_BEHIND_A_VALUE = f'{_COMMAS}"'
_BEHIND_A_WORD = f"{_STOPS})\uff09"
_ANY_OF = ("from", "in", "type")
"""Operators of which any one holds where there are several, as an OR between them says."""
_OPTION = re.compile(r"[a-z]?\d[\d.,:/%-]*|[a-z]", re.IGNORECASE)
"""What is the option of a command, or a number, behind a minus: `-f`, `-O2`, `-110`. Longer words
may be either."""
_LAST_WORD = re.compile(r"(?<!\S)[^\s:\"]+\s*$")
"""A word at the end of the query, which is no operator."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # SQLite ends text at NUL; UTF-8 has no surrogates
_PUNCTUATION = re.compile(rf"[{_STOPS}\u00a1\u00bf\u2026]+")
_COMPLETE_TIME = re.compile(r"\d+[a-z]$", re.IGNORECASE)
"""A value that is a time without the words after it: `2h`."""
_TIME_OF_DAY = r"\d{1,2}(?::\d\d){1,2}(?:[+-]\d\d:\d\d)?[^\s:\"]*"
_CLOCK_BEHIND = re.compile(rf"\s+({_TIME_OF_DAY})(?!\S)")
_BESIDE_A_DAY = "write a time of day behind its day, as after:2026-05-01 14:00"
_ZONE_BEHIND = re.compile(r"\s+([A-Z]{1,4}T|[+-]\d\d:?\d\d)(?!\S)")
_BESIDE_A_TIME = "write an offset directly behind its time, as after:2026-05-01 14:00+02:00"
_TIME_HINT = "write a time as 2026-05-01, 2026-05, yesterday or 2h"
_NEXT_WORDS = re.compile(rf"(?:\s+(?:{_TIME_OF_DAY}|\d{{4}}-\d\d-\d\d|[^\s:\"-]+)(?!\S)){{1,7}}")
"""Up to seven words after a value, which may continue its time: `after:3 days ago`, and
`on:the 5th of may 2026 at 8 pm`. An operator, a phrase or an excluded word (with `:`, `"` or `-`)
ends them; a time of day and a date do not."""
_TIME_OPERATOR = re.compile(r"(?<!\w)(?:after|before|on)[:\uff1a]", re.IGNORECASE)
# Not is:, which ends half a sentence: "the answer is: ...".
_NEEDS_VALUE = re.compile(r"-?(?:from|in|mentions|has|type|after|before|on):", re.IGNORECASE)
NO_TIME_LEFT = "no message can be both after and before these times"
"""The note of a query whose times exclude each other."""

_ALL_NAMED = "a line must name everyone after mentions:; to find any of them, search for each"
_MOST_NAMED = 4
"""Excluded words that a note names."""

_CUT = f"only the first {MOST_PARTS} words, phrases and names were used"
_OR_AS_TEXT = Term("OR", TermKind.PHRASE)
_AND_AS_TEXT = Term("AND", TermKind.PHRASE)
_OTHER_SYNTAX = {
    "AND": "AND was read as text: it must be between two words or phrases",
    "NOT": "NOT was read as text: -word excludes messages with the word",
    "*": "* was read as text: an empty query lists every line",
}
_KINDS = {kind.lower(): kind for kind in MessageType}
_FLAGS = {"has": "link", "is": "command"}
"""The operators that have only one value, with that value."""


@dataclass(frozen=True, slots=True)
class PossibleOption:
    """An excluded word that may be the option of a command: `-rf` in `rm -rf`.

    Attributes:
        typed: the word with its minus.
        said: what somebody said who meant the option.
    """

    typed: str
    said: Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A parsed query.

    Attributes:
        clauses: a message must contain one term of every clause.
        excluded: it must contain none of these.
        people: its author is one of these nicks, if there are any.
        excluded_people: its author is none of these.
        channels: its channel is one of these, if there are any.
        excluded_channels: its channel is none of these.
        mentions: it names all these nicks.
        kinds: its type is one of these; speech if there are none.
        has_link: whether it must contain a link.
        only_commands: whether it must be a command to the bot.
        since: its earliest time; aware, in UTC.
        until: the end of its time (exclusive).
        sentence: its words as they were typed, repeated ones too; "" where the clauses say all.
        possible_options: excluded words that directly follow a word.
        notes: sentences about what is excluded, about text that looked like an operator, and about
            text that was ignored.
    """

    clauses: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    people: tuple[str, ...] = ()
    excluded_people: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    excluded_channels: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    kinds: tuple[MessageType, ...] = ()
    has_link: bool = False
    only_commands: bool = False
    since: datetime | None = None
    until: datetime | None = None
    sentence: str = field(default="", compare=False)
    possible_options: tuple[PossibleOption, ...] = field(default=(), compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def nicks(self) -> tuple[str, ...]:
        """The nicks that a line must be by, or name."""
        return (*self.people, *self.mentions)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of all clauses, in the order typed."""
        return tuple(term for clause in self.clauses for term in clause)

    @property
    def question(self) -> str:
        """The words as they were typed, without the operators."""
        return self.sentence or " ".join(term.text for term in self.terms)

    def with_clauses(self, *clauses: tuple[Term, ...]) -> "Query":
        """The query with these clauses for its own, and without the sentence that said those."""
        return replace(self, clauses=clauses, sentence="")

    def __str__(self) -> str:
        """The query as text, which parses to the same query by any clock and in any zone."""
        return self._printed(to_iso)

    def printed(self, zone: tzinfo) -> str:
        """The query as a reader in `zone` would type it: whole days have no time of day."""
        return self._printed(lambda moment: _day_or_moment(moment, zone))

    def _printed(self, format_moment: Callable[[datetime], str]) -> str:
        parts = [" OR ".join(map(str, clause)) for clause in self.clauses]
        parts += [f"-{term}" for term in self.excluded]
        for key, values in (
            ("from", self.people),
            ("-from", self.excluded_people),
            ("in", self.channels),
            ("-in", self.excluded_channels),
            ("mentions", self.mentions),
            ("type", [kind.lower() for kind in self.kinds]),
            ("has", ["link"] if self.has_link else []),
            ("is", ["command"] if self.only_commands else []),
            ("after", [format_moment(self.since)] if self.since else []),
            ("before", [format_moment(self.until)] if self.until else []),
        ):
            parts += [f"{key}:{_quoted(value)}" for value in values]
        return " ".join(parts)


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


def may_name_times(text: str) -> bool:
    """Whether `text` may name dates: reading each of them takes milliseconds."""
    return _TIME_OPERATOR.search(text[:MOST_CHARACTERS]) is not None


class _Or:
    """The word OR, before its operands are known."""


class _Operator(NamedTuple):
    """An operator among the words, by its key with any minus."""

    key: str


class _QueryParser:
    """A query being parsed."""

    def __init__(self, text: str, now: datetime, zone: tzinfo, options: Collection[str]) -> None:
        quoting = _BEFORE_A_QUOTATION.sub(" ", plain(_beginning(text)))
        marked = quoting.translate(_QUOTATION_MARKS)
        self._text = _WIDE_COLON.sub(r"\1:", _UNSTORABLE.sub(" ", marked))
        self._is_cut = len(text) > MOST_CHARACTERS
        self._at = 0
        self._now = now
        self._zone = zone
        self._options = options
        self._is_question = _ends_as_a_question(self._text)
        self._count = 0  # of words, phrases and names, as in MOST_PARTS
        self._items: list[Term | _Or | _Operator | None] = []  # None: an excluded term
        self._excluded: list[Term] = []
        self._possible_options: list[PossibleOption] = []
        self._names: dict[str, list[str]] = {}
        self._kinds: list[MessageType] = []
        self._flags: set[str] = set()
        self._times: dict[str, list[datetime]] = {"after": [], "before": []}
        self._not_times = 0
        self._notes: list[str] = []

    def read(self) -> None:
        """Read the parts of the text in order."""
        while part := _PART.search(self._text, self._at):
            self._at = part.end()
            if self._count >= MOST_PARTS:
                self._note(_CUT)
                return
            if part["word"] == "OR" and not part["minus"]:
                self._items.append(_Or())
            elif part["word"] == "AND" and not part["minus"] and self._is_between:
                continue  # all words must occur anyway
            elif part["key"] is None:
                self._note_other_syntax(part["word"] or "")
                self._take_text(part)
            else:
                self._take_operator(part)
        if self._is_cut:
            self._note(f"only the first {MOST_CHARACTERS:,} characters of the query were read")

    def query(self) -> Query:
        """The query that was read."""
        since = max(self._times["after"], default=None)
        until = min(self._times["before"], default=None)
        if since and until and since >= until:
            self._note(NO_TIME_LEFT)
        if len(self._named("mentions")) > 1:
            self._note(_ALL_NAMED)
        if self._excluded:
            self._note(_without(self._excluded))
        return Query(
            clauses=tuple(dict.fromkeys(self._clauses())),
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

    def _note_other_syntax(self, word: str) -> None:
        if word in _OTHER_SYNTAX:
            self._note(_OTHER_SYNTAX[word])
        elif _NEEDS_VALUE.fullmatch(word):
            self._note(f"{word} was read as text: its value must follow the colon directly")
        elif hint := operator_hint(word):
            self._note(hint)

    def _take_text(self, part: re.Match[str]) -> None:
        """Read a word, a phrase or a prefix, and what its minus means."""
        term = _term(part)
        if not part["minus"]:
            self._take_term(term, excluded=False)
        elif part["word"] and self._is_no_exclusion(term, part[0]):
            if term.words:
                self._note(_read_as_option(term.text))
            self._take_term(Term(part[0]), excluded=False)
        else:
            before = self._items[-1] if self._items else None
            if part["word"] and isinstance(before, Term) and before.words and term.words:
                said = Term(f"{before.text} {part[0]}", TermKind.PHRASE)
                self._possible_options.append(PossibleOption(part[0], said))
            self._take_term(term, excluded=True)

    def _is_no_exclusion(self, word: Term, typed: str) -> bool:
        """Whether a word with a minus before it is text.

        That is so of an option or a number, of a sign such as `->`, and of any word of a question.
        """
        if '"' in typed:  # it could not be printed so that it is read again
            return False
        bare = typed[1:].rstrip(_BEHIND_A_WORD)
        is_option = typed in self._options or _OPTION.fullmatch(bare) is not None
        is_asked = self._is_question or ends_with_question_mark(typed)
        return is_option or is_asked or not word.words

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
        value = _value(part["value"])
        if not value:
            self._note(f"{minus}{key}: has no value and was ignored")
        elif hint := self._take_value(minus, key, part["value"]):
            self._note(_invalid(part[0], hint))
            self._take_term(_as_text(part, key, value), excluded=bool(minus))
            return
        self._items.append(_Operator(minus + key))

    def _take_value(self, minus: str, key: str, typed: str) -> str:
        """Read the value of an operator; of an invalid one, the hint how to write it, else ""."""
        if key in ("from", "in") or (key == "mentions" and not minus):
            self._take_names(minus + key, [_name(key, one) for one in _several(typed)])
            return ""
        if minus:
            return "only words, phrases, from: and in: can follow a minus"
        if key in _FLAGS:
            return self._take_flag(key, _value(typed))
        if key == "type":
            return self._take_kinds(_several(typed))
        return self._take_time(key, _value(typed), quoted=typed[0] == '"')

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
        taken = names[: MOST_PARTS - self._count]
        self._names.setdefault(key, []).extend(taken)
        self._count += len(taken)
        if taken != names:
            self._note(_CUT)

    def _take_time(self, key: str, value: str, *, quoted: bool) -> str:
        """Read a time, with the words after it that belong to it."""
        if sum(map(len, self._times.values())) + self._not_times >= MOST_TIMES:
            return _TIME_HINT
        for named, end in [(value, self._at)] if quoted else self._times_at(value):
            if key == "on" and (period := parse_period(named, self._now, self._zone)):
                self._times["after"].append(period[0])
                self._times["before"].append(period[1])
                if names_a_moment(named, self._now, self._zone):
                    self._note(f"on:{_shown(named)} is the whole of that day; after: begins then")
            elif key != "on" and (moment := parse_moment(named, self._now, self._zone)):
                self._times[key].append(moment)
            else:
                continue
            self._at = end
            if beside := _CLOCK_BEHIND.match(self._text, end):
                self._note(_invalid(beside[1], _BESIDE_A_DAY))
            zone = _ZONE_BEHIND.match(self._text, end)
            if zone and names_a_moment(named, self._now, self._zone):
                self._note(_invalid(zone[1], _BESIDE_A_TIME))
            return ""
        self._not_times += 1
        return _TIME_HINT

    def _times_at(self, value: str) -> Iterator[tuple[str, int]]:
        """The possible times that begin with `value`, and where each ends; the longest first."""
        following = None if _COMPLETE_TIME.match(value) else _NEXT_WORDS.match(self._text, self._at)
        while following:
            named = _value(value + following[0])
            if is_time(named, self._now, self._zone):
                yield named, following.end()
            shorter = following.end() - len(following[0].split()[-1])
            following = _NEXT_WORDS.fullmatch(self._text[:shorter].rstrip(), self._at)
        yield value, self._at

    def _clauses(self) -> Iterator[tuple[Term, ...]]:
        """The terms, grouped where an OR joins them."""
        words = [item for item in self._items if not _is_punctuation(item)]
        items = words if any(isinstance(item, Term | _Or) for item in words) else self._items
        clause: list[Term] = []
        joins = False
        for n, item in enumerate(items):
            if isinstance(item, _Or):
                before, following = items[n - 1] if n else None, items[n + 1 : n + 2]
                if _is_any_of(before) and following == [before]:
                    continue
                joins = bool(clause) and any(isinstance(term, Term) for term in following)
                if joins:
                    continue
                self._note("OR was read as text: it must be between two words or phrases")
            if clause and not joins:
                yield tuple(dict.fromkeys(clause))
                clause = []
            joins = False
            if isinstance(item, Term | _Or):
                clause.append(_OR_AS_TEXT if isinstance(item, _Or) else item)
        if clause:
            yield tuple(dict.fromkeys(clause))

    def _sentence(self) -> str:
        """The words in their order, where some are repeated: `what broke in #dev in May`."""
        typed = [item.text for item in self._items if isinstance(item, Term)]
        said = [text for text in typed if not _PUNCTUATION.fullmatch(text)]
        return " ".join(said) if len(set(said)) < len(said) else ""

    def _named(self, key: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._names.get(key, ())))

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.append(sentence)


def _beginning(text: str) -> str:
    """The part of a query that is read, cut between two words where there are two."""
    if len(text) <= MOST_CHARACTERS:
        return text
    *words, _ = text[:MOST_CHARACTERS].rsplit(maxsplit=1) or [""]
    return words[0] if words else text[:MOST_CHARACTERS]


def _ends_as_a_question(text: str) -> bool:
    return ends_with_question_mark(text) and _LAST_WORD.search(text) is not None


def _term(part: re.Match[str]) -> Term:
    if part["phrase"] is not None:
        phrase = " ".join(part["phrase"].split())
        is_word = begins_like_an_exclusion(phrase) and " " not in phrase and not part["minus"]
        return Term(phrase, TermKind.WORD if is_word else TermKind.PHRASE)
    if part["prefix"] is not None:
        return Term(part["prefix"], TermKind.PREFIX)
    return _AND_AS_TEXT if part["word"] == "AND" else Term(part["word"])


def _as_text(part: re.Match[str], key: str, value: str) -> Term:
    """An invalid operator as a search term."""
    typed = part[0].removeprefix(part["minus"] or "")
    if '"' in typed:
        return Term(" ".join(f"{key}:{value}".replace('"', " ").split()), TermKind.PHRASE)
    return Term(typed)


def _value(typed: str) -> str:
    """A value without its quotation marks, or what a sentence puts behind it: `(in:#tea), `."""
    if typed[0] == '"':
        return " ".join(typed.strip('"').split())
    bare = typed.strip('"').rstrip(_BEHIND_A_VALUE)
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1].rstrip(_BEHIND_A_VALUE)
    return bare


def _several(typed: str) -> list[str]:
    """The names in a value: neither nicks nor channels have a comma, unless it is quoted."""
    value = _value(typed)
    if typed[0] == '"':
        return [value]
    return [name for part in value.split(",") if (name := part.strip('"'))]


def _name(key: str, value: str) -> str:
    """A channel as it was typed, or the nick that is meant."""
    return value if key == "in" else nick_meant(value)


def _is_any_of(item: object) -> bool:
    return isinstance(item, _Operator) and item.key in _ANY_OF


def _is_punctuation(item: object) -> bool:
    return isinstance(item, Term) and _PUNCTUATION.fullmatch(item.text) is not None


def _read_as_option(word: str) -> str:
    bare = _shown(word.rstrip(_BEHIND_A_WORD))
    return f'-{bare} was read as text: -"{bare}" excludes the lines that hold {bare}'


def _without(excluded: Sequence[Term]) -> str:
    """Which lines are left out, and how a word is written that was not meant so."""
    named = [_shown(str(term)) for term in excluded[:_MOST_NAMED]]
    *others, last = named if len(excluded) <= _MOST_NAMED else [*named, "others"]
    held = f"{', '.join(others)} or {last}" if others else last
    words = [term.text for term in excluded if term.kind is TermKind.WORD]
    as_text = f'; "-{_shown(words[0])}" in quotes is text' if words else ""
    return f"without lines that hold {held}{as_text}"


def _invalid(typed: str, hint: str) -> str:
    return f"{_shown(typed)} was read as text: {hint}"


def _shown(typed: str) -> str:
    clean = harmless(typed)
    return clean if len(clean) <= 40 else clean[:40] + "..."


def _quoted(value: str) -> str:
    """A value as it must be typed after its operator: quoted if it would be read otherwise."""
    return f'"{value}"' if " " in value or _several(value) != [value] else value


def _day_or_moment(moment: datetime, zone: tzinfo) -> str:
    """The shortest form of a moment: `2026-05-01` if a day begins then, else with its offset."""
    here = local(moment, zone)
    if here.time() == time():
        return f"{here:%Y-%m-%d}"
    if not here.utcoffset():
        return to_iso(moment)
    is_whole = not (here.second or here.microsecond)
    return here.isoformat(timespec="minutes" if is_whole else "milliseconds")
