"""Finding candidates: up to twenty look-ups, the newest lines of each, in few statements.

Never "any word, the newest": in a large log that finds one answer in sixty (1.6 %).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import zip_longest
from time import perf_counter

from terrarium_mcp.chat.when import to_text
from terrarium_mcp.store.database import Database
from terrarium_mcp.store.derived.index_words import nick_words
from terrarium_mcp.store.search.expressions import in_turn, one_of, quoted, said
from terrarium_mcp.store.search.lookups import Lookups
from terrarium_mcp.store.search.order import NEWEST
from terrarium_mcp.store.search.relevance.asked import Asked, Group, Understood
from terrarium_mcp.store.search.relevance.weights import FORM
from terrarium_mcp.store.search.stretches import Ids, closed_up
from terrarium_mcp.store.search.walks import between, by_parts, in_ranges

EACH = 100
"""Newest lines of each look-up. 30 cost half, and lose what was said by nobody the question names;
400 find no more."""

EACH_HERE = 60
"""The same where rooms or anything else restrict the question: there more find nothing besides."""

_LOOKED_UP = 6
"""Telling words that are combined: the rarest."""

_ALONE = 2
"""Of these, those that are looked for one by one too. With a third, one answer of a thousand is not
found."""

_MANY_RANGES = 8
"""With 2 or 3, to look twice for what is everywhere costs what is saved."""

_PEOPLE, _TIMES = 2, 2
"""People and times of a question that have look-ups of their own."""

_BEFORE, _AFTER = timedelta(days=1), timedelta(days=7)
"""How far around a time it is told of: mostly afterwards."""


@dataclass(frozen=True, slots=True)
class Part:
    """Expressions of which one has to hold, and in about how many lines one does."""

    any_of: frozenset[str]
    lines: float = field(compare=False)

    def __str__(self) -> str:
        return f"({' OR '.join(sorted(self.any_of))})"


@dataclass(frozen=True, slots=True)
class Lookup:
    """The `most` newest lines that hold all parts, in ranges of ids, the newest range first."""

    parts: tuple[Part, ...]
    most: int
    ids: tuple[Ids, ...]

    @property
    def match(self) -> str:
        """The FTS5 expression."""
        return in_turn([str(part) for part in sorted(self.parts, key=lambda part: part.lines)])

    def includes(self, other: "Lookup") -> bool:
        """Whether every line of another look-up is one of this, were it not for `most`."""
        return all(
            any(one.any_of <= part.any_of for one in other.parts) for part in self.parts
        ) and all(
            any(ids.first <= one.first and one.last <= ids.last for ids in self.ids)
            for one in other.ids
        )


@dataclass(frozen=True, slots=True)
class TimedLookup:
    """A look-up by its expression, how many lines it found, and in how many seconds."""

    match: str
    found: int
    seconds: float


class Candidates:
    """Looks for lines that may answer."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lookups = Lookups(database)

    async def lookups(self, asked: Asked, about: Understood) -> list[Lookup]:
        """The look-ups for a question, the most promising first; each once."""
        scopes = [_only(asked.match, about.here)] if asked.match else []
        everywhere = await self._lookups.ids_between(
            asked.history, asked.since, asked.until.timestamp
        )
        looks = list[Lookup]()
        each = EACH_HERE if scopes else EACH
        if scopes and _expected(about) < EACH:
            looks.append(_lookup([_any_of(about.groups[:_ALONE]), *scopes], everywhere, 2 * EACH))
        looks += _tiers(about.groups, scopes, everywhere, each)
        speakers = [_spoken_by(nick, about.by.get(nick, 0)) for nick in about.people[:_PEOPLE]]
        any_word = _any_of(about.groups[:_LOOKED_UP])
        for speaker in speakers:
            looks += _tiers(about.groups, [speaker, *scopes], everywhere, EACH // 2)
            looks.append(_lookup([any_word, speaker, *scopes], everywhere, 2 * EACH))
        for one in about.times[:_TIMES]:
            begins = max(asked.since, to_text(one.since - _BEFORE))
            ends = min(asked.until.timestamp, to_text(one.until + _AFTER))
            then = await self._lookups.ids_between(asked.history, begins, ends)
            looks.append(_lookup([any_word, *scopes], then, EACH))
            looks += _tiers(about.groups, scopes, then, EACH // 2)
            for speaker in speakers:
                looks.append(_lookup([any_word, speaker, *scopes], then, EACH))
                looks.append(_lookup([_only(said(), about.lines), speaker, *scopes], then, EACH))
        return [look for look in dict.fromkeys(looks) if look.parts and look.ids]

    async def timed(self, looks: Sequence[Lookup]) -> list[TimedLookup]:
        """Each look-up by itself: how many lines it finds, and how long it takes."""
        timed = []
        for look in looks:
            began = perf_counter()
            found = await self.find([look])
            timed.append(TimedLookup(look.match, len(found[look]), perf_counter() - began))
        return timed

    async def find(self, looks: Sequence[Lookup]) -> dict[Lookup, list[int]]:
        """The ids that the look-ups find, but for those that can find no line besides.

        The widest come first. Where one of them has found all its lines, those that it includes
        need not be made: the costliest mostly, of many words that are nowhere together.
        """
        found: dict[Lookup, list[int]] = {}
        pending = sorted(looks, key=lambda look: len(look.parts))
        while pending:
            widest = [
                look
                for n, look in enumerate(pending)
                if not any(other.includes(look) for other in pending[:n])
            ]
            found |= await self._found(widest)
            ended = [look for look in widest if len(found[look]) < look.most]
            pending = [
                look
                for look in pending
                if look not in found and not any(other.includes(look) for other in ended)
            ]
        return {look: found[look] for look in looks if look in found}

    async def _found(self, looks: Sequence[Lookup]) -> dict[Lookup, list[int]]:
        """The ids that each look-up finds, in few statements.

        What is hardly anywhere costs as much in a range of ids as in the whole index. So where
        there are many, they are first taken together, as far as they are one.
        """
        scattered = {look: closed_up(look.ids) for look in looks if len(look.ids) > _MANY_RANGES}
        found = await self._in(scattered, besides=1)
        ended = {look: ids for look, ids in found.items() if len(ids) <= look.most}
        rest = {look: look.ids for look in looks if look not in ended}
        found = ended | {look: [] for look in rest}
        for parts in zip_longest(*map(by_parts, rest.values()), fillvalue=[]):
            pending = {
                look: ids
                for look, ids in zip(rest, parts, strict=True)
                if ids and len(found[look]) < look.most
            }
            for look, more in (await self._in(pending)).items():
                found[look] = [*found[look], *more][: look.most]
        return found

    async def _in(
        self, ranges: Mapping[Lookup, Sequence[Ids]], besides: int = 0
    ) -> dict[Lookup, list[int]]:
        """The first ids that look-ups find in ranges: as many as are wanted, and some besides."""
        found: dict[Lookup, list[int]] = {look: [] for look in ranges}
        statements, params = [], dict[str, object]()
        for n, (look, ids) in enumerate(ranges.items()):
            newest = in_ranges(len(ids), NEWEST, f"{n}")
            statements.append(f"SELECT * FROM (SELECT {n}, * FROM ({newest}) LIMIT :most{n})")  # noqa: S608 -- words of strangers are parameters
            params |= {f"match{n}": look.match, f"most{n}": look.most + besides}
            params |= between(ids, f"{n}")
        if not statements:
            return found
        looks = [*ranges]
        for n, rowid in await self._database.rows(" UNION ALL ".join(statements), params):
            found[looks[n]].append(-rowid)
        return found


def _tiers(
    groups: Sequence[Group], scopes: Sequence[Part], ids: tuple[Ids, ...], most: int
) -> Iterator[Lookup]:
    """All words; the rarest four and three; pairs of the rarest and another one; single ones.

    And the pair of the next two: the rarest may be what the line does not hold, or misspelt. Words
    that are only akin stand in where the rarest are alone: elsewhere they find no answer besides.
    """
    words = [_any_of([group]) for group in groups[:_LOOKED_UP]]
    forms = [_form_of(group) for group in groups[:_LOOKED_UP]]
    together = [forms, *(forms[:few] for few in (4, 3) if len(forms) > few)]
    together += [*([words[0], other] for other in forms[1:]), forms[1:3]]
    together += [[one] for one in words[:_ALONE]]
    return (_lookup([*parts, *scopes], ids, most) for parts in together if parts)


def _expected(about: Understood) -> float:
    """About how many lines here hold one of the words that are looked for one by one.

    If these are few, one look-up finds them all, and all that others could.
    """
    return about.here * sum(group.found_in for group in about.groups[:_ALONE]) / about.lines


def _lookup(parts: Sequence[Part], ids: tuple[Ids, ...], most: int) -> Lookup:
    return Lookup(tuple(part for part in parts if part.any_of), most, ids)


def _any_of(groups: Sequence[Group]) -> Part:
    """Anything that may stand for one of the words."""
    words = {quoted(word) for group in groups for word in group.words}
    return _said(words, sum(group.found_in for group in groups))


def _form_of(group: Group) -> Part:
    """The word itself, or what is as good."""
    words = {quoted(word) for word, counts in group.words.items() if counts >= FORM}
    return _said(words, group.lines)


def _said(words: Iterable[str], lines: int) -> Part:
    return Part(frozenset(f"message : {word}" for word in words), lines)


def _spoken_by(nick: str, lines: int) -> Part:
    return Part(frozenset(one_of([word]) for word in nick_words(nick)), lines)


def _only(expression: str, lines: int) -> Part:
    return Part(frozenset([expression]), lines)
