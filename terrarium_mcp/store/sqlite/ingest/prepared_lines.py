"""Prepared lines: messages of a log by columns, with all that the store makes of their texts. Pure.

Nothing here needs the database, so a process that reads logs can prepare them for the one that
stores them. Values are plain texts and numbers: they pass from process to process at about 1 us a
line, and SQLite takes them without a call to Python.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, timedelta
from functools import cached_property
from itertools import accumulate, chain, count, islice, repeat
from typing import Any, NamedTuple, TypeVar, overload

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.records import SPEECH, MessageType, NewMessage, Origin
from terrarium_mcp.chat.terms import encoded_words, encoded_words_of, indexed
from terrarium_mcp.chat.times.timestamps import from_text, to_text
from terrarium_mcp.store.sqlite.engine.functions import pairs, text_scope
from terrarium_mcp.store.sqlite.index.line_tallies import (
    LineTallies,
    PlaceName,
    joined_tallies,
    packed_tallies,
    tallied,
    unpacked_tallies,
)
from terrarium_mcp.store.sqlite.ingest.message_row import row_columns

PlaceValue = TypeVar("PlaceValue")

_IMPORTED = {Origin.IMPORT.value}
_OF_A_ROW = 16
"""How many leading columns belong to the row."""


class LineColumns(NamedTuple):
    """The lines by column: those of `row_columns`, then what the indexes hold.

    Attributes:
        server_time: as sent, also where it does not differ.
        words: the text as the full-text index holds it.
        scope: the words by which the index finds the line, but for that of its room.
        pairs: what the phrase index holds of it; None for an event.
    """

    timestamp: Sequence[str]
    channel: Sequence[str]
    nick: Sequence[str]
    user: Sequence[str | None]
    host: Sequence[str | None]
    message: Sequence[str]
    message_type: Sequence[str]
    network: Sequence[str]
    account: Sequence[str | None]
    msgid: Sequence[str | None]
    reply_to: Sequence[str | None]
    server_time: Sequence[str | None]
    origin: Sequence[str]
    relayed_by: Sequence[str | None]
    own: Sequence[int]
    bot: Sequence[int]
    words: Sequence[str]
    scope: Sequence[str]
    pairs: Sequence[str | None]


class PreparedLines(Sequence[NewMessage]):
    """Lines of a log. As messages, to the millisecond, they are made when they are looked at."""

    def __init__(
        self,
        columns: LineColumns,
        tallies: LineTallies | None = None,
        blocks: "Sequence[PreparedLines]" = (),
    ) -> None:
        """Lines by columns; what was counted of them, if it is known; the blocks that they are."""
        self.columns = columns
        self._tallies = tallies
        self._blocks = blocks

    def __reduce__(self) -> tuple[object, ...]:
        columns = list(map(_packed, self.columns))
        return _unpacked, (columns, len(self), *packed_tallies(self.tallies))

    def __len__(self) -> int:
        return len(self.columns.timestamp)

    @overload
    def __getitem__(self, key: int) -> NewMessage: ...
    @overload
    def __getitem__(self, key: slice) -> "PreparedLines": ...
    def __getitem__(self, key: int | slice) -> "NewMessage | PreparedLines":
        if isinstance(key, slice):
            begin, end, step = key.indices(len(self))
            if step == 1 and (blocks := self._blocks_between(begin, end)):
                return joined(blocks)
            return _of_columns(column[key] for column in self.columns)
        row: list[Any] = [column[key] for column in self.columns[:_OF_A_ROW]]
        return _message(*row)

    def __iter__(self) -> Iterator[NewMessage]:
        return map(_message, *self.columns[:_OF_A_ROW])

    def _blocks_between(self, begin: int, end: int) -> "Sequence[PreparedLines]":
        """The blocks that these lines are, which are tallied; none if they are no whole blocks."""
        if (begin, end) == (0, len(self)):
            return [self]
        ends = list(accumulate(map(len, self._blocks), initial=0))
        if begin in ends and end in ends:
            return self._blocks[ends.index(begin) : ends.index(end)]
        return ()

    @property
    def names(self) -> Iterable[PlaceName]:
        """The network and channel of each."""
        return zip(self.columns.network, self.columns.channel, strict=True)

    @property
    def places(self) -> Sequence[PlaceName]:
        """The distinct networks and channels that they name."""
        if all(map(_is_constant, (self.columns.network, self.columns.channel))):
            return list(islice(self.names, 1))
        return list(dict.fromkeys(self.names))

    @property
    def tallies(self) -> LineTallies:
        """What was counted of them: by who prepared them, or else now."""
        if self._tallies is None and self._blocks:
            self._tallies = joined_tallies([(len(block), block.tallies) for block in self._blocks])
        if self._tallies is None:
            self._tallies = self._tallied(map(encoded_words, map(plain, self.columns.message)))
        return self._tallies

    def tallied_by(self, words: Iterable[Sequence[bytes]]) -> "PreparedLines":
        """The lines, tallied by the words of each."""
        return PreparedLines(self.columns, self._tallied(words))

    def _tallied(self, words: Iterable[Sequence[bytes]]) -> LineTallies:
        of = self.columns
        return tallied(
            self.names, of.timestamp, of.nick, of.message, of.message_type, of.words, words
        )

    def at(self, numbers: Sequence[int]) -> "PreparedLines":
        """The lines with these numbers, counted from 0."""
        return _of_columns([column[n] for n in numbers] for column in self.columns)

    @cached_property
    def are_rows(self) -> bool:
        """Whether each is a row as it is: imported, in a channel, with the time of its stamp."""
        return (
            _IMPORTED.issuperset(self.columns.origin)
            and all(is_channel(channel) for channel in {*self.columns.channel})
            and not any(self.columns.server_time)
        )

    def by_place(self, values: Mapping[PlaceName, PlaceValue]) -> Iterable[PlaceValue]:
        """The value of the place of each line."""
        if len(values) == 1:  # nearly always
            (value,) = values.values()
            return repeat(value, len(self))
        return map(values.__getitem__, self.names)

    def rows(self, first: int, rooms: Mapping[PlaceName, int]) -> Iterator[tuple[object, ...]]:
        """The rows of `messages` that they are, with ids from `first` on."""
        return zip(count(first), self.by_place(rooms), *self.columns[:_OF_A_ROW], strict=False)

    def earlier_by(self, offset: timedelta) -> "PreparedLines":
        """The lines, each said so much earlier, as far as the calendar reaches."""
        moved = []
        for timestamp in self.columns.timestamp:
            at = from_text(timestamp)
            is_movable = MINYEAR < at.year < MAXYEAR
            moved.append(to_text(at - offset) if is_movable else timestamp)
        return PreparedLines(self.columns._replace(timestamp=moved))


def prepared(messages: Sequence[NewMessage]) -> PreparedLines:
    """Messages, whose times the store can hold, as prepared lines, and tallied."""
    timestamps = [to_text(one.said_at) for one in messages]
    row = row_columns(messages, timestamps, [one.server_time for one in messages])
    _, _, nicks, _, _, texts, *_ = row
    kinds = [one.kind for one in messages]
    folded = [indexed(plain(text)) for text in texts]
    words = list(map(encoded_words_of, folded))
    columns = (
        *row,
        folded,
        list(map(text_scope, nicks, kinds, texts)),
        [pairs(its) if kind in SPEECH else None for its, kind in zip(words, kinds, strict=True)],
    )
    return _of_columns(columns).tallied_by(words)


def joined(blocks: Sequence[PreparedLines]) -> PreparedLines:
    """All lines of some blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    by_column = zip(*(block.columns for block in blocks), strict=True)
    columns = [list(chain.from_iterable(column)) for column in by_column]
    return PreparedLines(LineColumns._make(columns), blocks=blocks)


def _packed(column: Sequence[Any]) -> Sequence[Any]:
    """A column as it is sent: if all its values are one, that one."""
    return column[:1] if _is_constant(column) else column


def _unpacked(columns: Sequence[Sequence[Any]], lines: int, *tallies: Any) -> PreparedLines:
    whole = [
        column if len(column) == lines else list(repeat(column[0], lines)) for column in columns
    ]
    return PreparedLines(LineColumns._make(whole), unpacked_tallies(*tallies))


def _is_constant(column: Sequence[object]) -> bool:
    return bool(column) and column.count(column[0]) == len(column)


def _of_columns(columns: Iterable[Sequence[Any]]) -> PreparedLines:
    return PreparedLines(LineColumns._make(columns))


_KINDS = dict(MessageType.__members__)


def _message(
    timestamp: str,
    channel: str,
    nick: str,
    user: str | None,
    host: str | None,
    text: str,
    kind: str,
    network: str,
    account: str | None,
    msgid: str | None,
    reply_to: str | None,
    server_time: str | None,
    origin: str,
    relayed_by: str | None,
    own: int,
    bot: int,
) -> NewMessage:
    return NewMessage(
        network=network,
        channel=channel,
        nick=nick,
        text=text,
        said_at=from_text(timestamp),
        kind=_KINDS[kind],
        user=user or "",
        host=host or "",
        account=account or "",
        msgid=msgid or "",
        reply_to=reply_to or "",
        server_time=server_time or "",
        origin=Origin(origin),
        relayed_by=relayed_by or "",
        own=bool(own),
        bot=bool(bot),
    )
