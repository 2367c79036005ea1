"""The query language: what somebody types into a search, understood.

    query    = *( clause / "-" term / [ "-" ] operator )
    clause   = term *( "OR" term )              ; a line has to hold one of the terms
    term     = phrase / prefix / word
    phrase   = DQUOTE 1*char [ DQUOTE ]         ; words in a row
    prefix   = 1*char letter "*"                ; a word that begins so
    word     = any other run of non-spaces
    operator = "from:" nick                     ; who said it; of several any
             / "in:" channel                    ; of several any
             / "mentions:" nick                 ; the line speaks of them; of several all
             / "has:link"
             / "type:" kind                     ; privmsg, notice, action, join ...; of several any
             / ( "after:" / "before:" / "on:" ) time
    time     = "2026-05-01" / "2026-05" / "2026" / "yesterday" / "2h" / "last week" / "5 may" ...

A line has to hold every clause and none of the terms behind a minus; only from: and in: go behind
one as well. A value may stand in quotes. `after:` goes from the beginning of its time on, `before:`
up to the beginning; `on:` is the whole of it. Anything else is text: no input is ever a syntax
error, and what was read as text although it looked like an operator stands in the notes.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, tzinfo

from terrarium_mcp.chat.dates import moment_of, stretch_of
from terrarium_mcp.chat.irctext import harmless, plain
from terrarium_mcp.chat.records import Kind
from terrarium_mcp.chat.terms import Term, TermKind
from terrarium_mcp.chat.when import local, to_iso

MOST_PARTS = 64
"""Words, phrases and names that are looked at; a question has a dozen."""

MOST_TIMES = 8

_PART = re.compile(
    r"(?P<minus>-(?=[^\s-]))?(?:"
    r'(?P<key>from|in|mentions|has|type|after|before|on):(?P<value>"[^"]*"?|\S+)'
    r'|"(?P<phrase>[^"]*)"?'
    r"|(?P<prefix>\S*[^\W_])\*+(?!\S)"
    r"|(?P<word>\S+))",
    re.IGNORECASE,
)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # SQLite ends text at NUL; UTF-8 has no surrogates
_SENTENCE = re.compile(r"[.,;:!?\u2026]+")
_WHOLE_TIME = re.compile(r"\d{4}-|\d+[a-z]$", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:\s+[^\s:\"-]+(?!\S)){1,3}")
_ENDS_A_TIME = re.compile(r".*(?:\d\S*|am|pm|\w{3,})", re.IGNORECASE)
_NEEDS_VALUE = re.compile(r"-?(?:from|in|mentions|has|type|after|before|on):", re.IGNORECASE)
_SAID_OR = Term("OR", TermKind.PHRASE)
_ELSEWHERE = {
    "AND": "AND was read as text: all words have to occur anyway",
    "NOT": "NOT was read as text: -word leaves out lines with the word",
}
_KINDS = {kind.lower(): kind for kind in Kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A parsed query.

    Attributes:
        clauses: a line has to hold one term of every clause.
        excluded: it must hold none of these.
        people: it was said by one of these nicks, if there are any,
        excluded_people: and by none of these.
        channels: it was said in one of these, if there are any,
        excluded_channels: and in none of these.
        mentions: it speaks of all these nicks.
        kinds: what it is, if there are any; else something that was said.
        has_link: whether it has to hold a link.
        since: the first moment; aware, in UTC.
        until: the first moment that is too late.
        notes: what looked like an operator and was read as text, or not at all, as sentences.
    """

    clauses: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    people: tuple[str, ...] = ()
    excluded_people: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    excluded_channels: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    has_link: bool = False
    since: datetime | None = None
    until: datetime | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of all clauses, in the order typed."""
        return tuple(term for clause in self.clauses for term in clause)

    @property
    def question(self) -> str:
        """The words as they were typed, without the operators."""
        return " ".join(term.text for term in self.terms)

    def __str__(self) -> str:
        """Print the query so that parsing it again, by any clock and zone, gives the same."""
        return self._printed(to_iso)

    def printed(self, zone: tzinfo) -> str:
        """Print the query as somebody in `zone` would type it: days without a time of day."""
        return self._printed(lambda moment: _day_or_moment(moment, zone))

    def _printed(self, told: Callable[[datetime], str]) -> str:
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
            ("after", [told(self.since)] if self.since else []),
            ("before", [told(self.until)] if self.until else []),
        ):
            parts += [f"{key}:{_quoted(value)}" for value in values]
        return " ".join(parts)


def parse_query(text: str, *, now: datetime | None = None, zone: tzinfo = UTC) -> Query:
    """Understand `text`; every input gives a query, the empty one a query without terms.

    Args:
        text: what was typed.
        now: the aware moment that `yesterday` counts from; the present by default.
        zone: the reader's, in which a day begins.
    """
    reading = _Reading(_UNSTORABLE.sub(" ", plain(text)), now or datetime.now(UTC), zone)
    reading.read()
    return reading.query()


class _Or:
    """The word OR, before it is known what it joins."""


class _Reading:
    """A query while it is read."""

    def __init__(self, text: str, now: datetime, zone: tzinfo) -> None:
        self._text = text
        self._at = 0
        self._now = now
        self._zone = zone
        self._items: list[Term | _Or | None] = []  # None: something that OR cannot join
        self._excluded: list[Term] = []
        self._names: dict[str, list[str]] = {}
        self._kinds: list[Kind] = []
        self._has_link = False
        self._times: dict[str, list[datetime]] = {"after": [], "before": []}
        self._notes: list[str] = []

    def read(self) -> None:
        """Take in the parts of the text, one after the other."""
        while part := _PART.search(self._text, self._at):
            self._at = part.end()
            if self._count() >= MOST_PARTS:
                self._note(f"only the first {MOST_PARTS} words, phrases and names were looked for")
                return
            if part["word"] == "OR" and not part["minus"]:
                self._items.append(_Or())
            elif part["key"] is None:
                self._note_strange(part["word"] or "")
                self._take_term(_term(part), excluded=bool(part["minus"]))
            else:
                self._take_operator(part)

    def query(self) -> Query:
        """What was read."""
        since = max(self._times["after"], default=None)
        until = min(self._times["before"], default=None)
        if since and until and since >= until:
            self._note("no line can be both after and before the times named")
        return Query(
            clauses=tuple(dict.fromkeys(self._clauses())),
            excluded=tuple(dict.fromkeys(self._excluded)),
            people=self._named("from"),
            excluded_people=self._named("-from"),
            channels=self._named("in"),
            excluded_channels=self._named("-in"),
            mentions=self._named("mentions"),
            kinds=tuple(dict.fromkeys(self._kinds)),
            has_link=self._has_link,
            since=since,
            until=until,
            notes=tuple(self._notes),
        )

    def _note_strange(self, word: str) -> None:
        if word in _ELSEWHERE:
            self._note(_ELSEWHERE[word])
        elif _NEEDS_VALUE.fullmatch(word):
            self._note(f"{word} was read as text: its value stands right behind the colon")

    def _take_term(self, term: Term, *, excluded: bool) -> None:
        if term.text and excluded:
            self._excluded.append(term)
            self._items.append(None)
        elif term.text:
            self._items.append(term)

    def _take_operator(self, part: re.Match[str]) -> None:
        """Take in an operator; as text where its value is not one of its values."""
        minus, key = part["minus"] or "", part["key"].lower()
        value = _value(part["value"])
        why = ""
        if not value:
            why = f"{minus}{key}: without a value was left out"
        elif key in ("from", "in") or (key == "mentions" and not minus):
            self._names.setdefault(minus + key, []).append(value)
        elif minus:
            why = f"{_shown(part[0])} was read as text: only words, from: and in: go behind a minus"
        elif key == "has":
            self._has_link |= value.lower() == "link"
            why = "" if value.lower() == "link" else _no_value(part[0], "has: knows link")
        elif key == "type":
            self._kinds += [_KINDS[value.lower()]] if value.lower() in _KINDS else []
            known = f"type: knows {', '.join(_KINDS)}"
            why = "" if value.lower() in _KINDS else _no_value(part[0], known)
        elif not self._take_time(key, value, quoted=part["value"][0] == '"'):
            why = _no_value(part[0], "a time is such as 2026-05-01, 2026-05, yesterday or 2h")
        if why:
            self._note(why)
        if why and value:
            self._take_term(_as_text(part, key, value), excluded=bool(minus))
        else:
            self._items.append(None)

    def _take_time(self, key: str, value: str, *, quoted: bool) -> bool:
        """Take in a time, with the words behind it that belong to it; False if it is none."""
        if sum(map(len, self._times.values())) >= MOST_TIMES:
            return False
        for named, end in [(value, self._at)] if quoted else self._times_at(value):
            if key == "on" and (stretch := stretch_of(named, self._now, self._zone)):
                self._times["after"].append(stretch[0])
                self._times["before"].append(stretch[1])
            elif key != "on" and (moment := moment_of(named, self._now, self._zone)):
                self._times[key].append(moment)
            else:
                continue
            self._at = end
            return True
        return False

    def _times_at(self, value: str) -> Iterator[tuple[str, int]]:
        """What may be a time here, and where it ends; the longest first."""
        following = None if _WHOLE_TIME.match(value) else _GOES_ON.match(self._text, self._at)
        while following:
            if _ENDS_A_TIME.fullmatch(following[0].split()[-1]):
                yield value + following[0], following.end()
            shorter = following.end() - len(following[0].split()[-1])
            following = _GOES_ON.fullmatch(self._text[:shorter].rstrip(), self._at)
        yield value, self._at

    def _clauses(self) -> Iterator[tuple[Term, ...]]:
        """The terms, joined where an OR stands between two of them."""
        words = [item for item in self._items if not _is_punctuation(item)]
        items = words if any(isinstance(item, Term) for item in words) else self._items
        clause: list[Term] = []
        joins = False
        for n, item in enumerate(items):
            if isinstance(item, _Or):
                following = items[n + 1] if n + 1 < len(items) else None
                joins = bool(clause) and isinstance(following, Term)
                if joins:
                    continue
                self._note("OR was read as text: it joins the words or phrases on its two sides")
            if clause and not joins:
                yield tuple(dict.fromkeys(clause))
                clause = []
            joins = False
            if item:
                clause.append(_SAID_OR if isinstance(item, _Or) else item)
        if clause:
            yield tuple(dict.fromkeys(clause))

    def _named(self, key: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._names.get(key, ())))

    def _count(self) -> int:
        terms = sum(isinstance(item, Term) for item in self._items)
        return terms + len(self._excluded) + sum(map(len, self._names.values()))

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.append(sentence)


def _term(part: re.Match[str]) -> Term:
    if part["phrase"] is not None:
        return Term(" ".join(part["phrase"].split()), TermKind.PHRASE)
    if part["prefix"] is not None:
        return Term(part["prefix"], TermKind.PREFIX)
    return Term(part["word"])


def _as_text(part: re.Match[str], key: str, value: str) -> Term:
    """An operator that is none, as something to look for."""
    typed = part[0].removeprefix(part["minus"] or "")
    if '"' in typed:
        return Term(" ".join(f"{key}:{value}".replace('"', " ").split()), TermKind.PHRASE)
    return Term(typed)


def _value(typed: str) -> str:
    return " ".join(typed.strip('"').split())


def _is_punctuation(item: object) -> bool:
    return isinstance(item, Term) and _SENTENCE.fullmatch(item.text) is not None


def _no_value(typed: str, known: str) -> str:
    return f"{_shown(typed)} was read as text: {known}"


def _shown(typed: str) -> str:
    clean = harmless(typed)
    return clean if len(clean) <= 40 else clean[:40] + "..."


def _quoted(value: str) -> str:
    """A value as it has to stand behind its operator: in quotes where it holds a space."""
    return f'"{value}"' if " " in value else value


def _day_or_moment(moment: datetime, zone: tzinfo) -> str:
    """A moment as briefly as it can be told: `2026-05-01`, where a day begins there."""
    here = local(moment, zone)
    return f"{here:%Y-%m-%d}" if here.time() == time() else to_iso(moment)
