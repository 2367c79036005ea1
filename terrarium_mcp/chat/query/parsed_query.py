"""What a query asks, and how it is typed again."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, time, tzinfo

from terrarium_mcp.chat.query.syntax import names_in
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.terms import Term
from terrarium_mcp.chat.times.timestamps import local, to_iso


@dataclass(frozen=True, slots=True)
class PossibleOption:
    """An excluded word that may be the option of a command: `-rf` in `rm -rf`.

    Attributes:
        typed: the word with its minus.
        said: what a person said who meant the option.
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

    @property
    def is_only_timed(self) -> bool:
        """Whether it has no condition but times and channels."""
        return replace(self, since=None, until=None, channels=(), excluded_channels=()) == Query()

    def with_clauses(self, *clauses: tuple[Term, ...]) -> "Query":
        """The query with these clauses for its own, and without the sentence that said those."""
        return replace(self, clauses=clauses, sentence="")

    def with_notes(self, *notes: str) -> "Query":
        """The query with these notes after its own."""
        return replace(self, notes=(*self.notes, *notes))

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


def _quoted(value: str) -> str:
    """A value as it must be typed after its operator: quoted if it would be read otherwise."""
    return f'"{value}"' if " " in value or names_in(value) != [value] else value


def _day_or_moment(moment: datetime, zone: tzinfo) -> str:
    """The shortest form of a moment: `2026-05-01` if a day begins then, else with its offset."""
    here = local(moment, zone)
    if here.time() == time():
        return f"{here:%Y-%m-%d}"
    if not here.utcoffset():
        return to_iso(moment)
    is_whole = not (here.second or here.microsecond)
    return here.isoformat(timespec="minutes" if is_whole else "milliseconds")
