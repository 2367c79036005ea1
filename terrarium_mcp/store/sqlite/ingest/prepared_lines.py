"""Prepared lines: messages of a log by columns, with all that the store makes of their texts. Pure.

Nothing here needs the database, so a process that reads logs can prepare them for the one that
stores them. Values are plain texts and numbers: they pass from process to process at about 1 us a
line, and SQLite takes them without a call to Python.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, timedelta
from functools import cached_property
from itertools import chain, count, islice, repeat
from operator import le
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


class Cut(NamedTuple):
    """Consecutive lines of a block, numbered from 0: from `begin` to before `end`."""

    block: "PreparedLines"
    begin: int
    end: int


class PreparedLines(Sequence[NewMessage]):
    """Lines of a log, or of several. As messages, to the millisecond, they are made when needed.

    A part of them remembers the block of which it was cut, so that all its parts are that block
    again, and what was counted of it still counts: a block may hold the lines of fifty small logs.
    """

    def __init__(
        self,
        columns: LineColumns | None,
        tallies: LineTallies | None = None,
        *,
        blocks: "Sequence[PreparedLines]" = (),
        cut: Cut | None = None,
    ) -> None:
        """Lines by columns.

        Args:
            columns: the lines; None of a part.
            tallies: what was counted of them, if it is known.
            blocks: those that they are, if they were joined.
            cut: of which block they are a part, if of any.
        """
        if columns:
            self.columns = columns
        self._tallies = tallies
        self._blocks = blocks
        self._cut = cut

    def __reduce__(self) -> tuple[object, ...]:
        if self._cut:  # parts that are pickled together have their block only once
            return _part, tuple(self._cut)
        columns = list(map(_packed, self.columns))
        return _unpacked, (columns, len(self), *packed_tallies(self.tallies))

    def __len__(self) -> int:
        return self._cut.end - self._cut.begin if self._cut else len(self.columns.timestamp)

    @overload
    def __getitem__(self, key: int) -> NewMessage: ...
    @overload
    def __getitem__(self, key: slice) -> "PreparedLines": ...
    def __getitem__(self, key: int | slice) -> "NewMessage | PreparedLines":
        if isinstance(key, slice):
            begin, end, step = key.indices(len(self))
            if step != 1:
                return self.at(range(begin, end, step))
            return self if (begin, end) == (0, len(self)) else self._part(begin, end)
        row: list[Any] = [column[key] for column in self.columns[:_OF_A_ROW]]
        return _message(*row)

    def __iter__(self) -> Iterator[NewMessage]:
        return map(_message, *self.columns[:_OF_A_ROW])

    @cached_property
    def columns(self) -> LineColumns:
        """The lines by column. A part of a block has its own once they are asked for."""
        return LineColumns._make(map(self._its, self.cut.block.columns))

    @cached_property
    def timestamps(self) -> Sequence[str]:
        """The column of this name. Of a small log hardly more than this and its texts is needed."""
        return self._its(self.cut.block.columns.timestamp)

    @cached_property
    def texts(self) -> Sequence[str]:
        """What each says."""
        return self._its(self.cut.block.columns.message)

    @cached_property
    def said(self) -> tuple[str, str]:
        """The earliest and the latest timestamp, of at least one line."""
        if self.are_in_order:
            return self.timestamps[0], self.timestamps[-1]
        return min(self.timestamps), max(self.timestamps)

    @cached_property
    def are_in_order(self) -> bool:
        """Whether none was said before the one before it: nearly always no line of a block was."""
        if self._cut and self._cut.block.are_in_order:
            return True
        return all(map(le, self.timestamps, islice(self.timestamps, 1, None)))

    def _its(self, column: Sequence[Any]) -> Sequence[Any]:
        """Of a column of the block that which is of these lines."""
        return column[self._cut.begin : self._cut.end] if self._cut else column

    @property
    def cut(self) -> Cut:
        """Of which block they are a part: they may be all of it."""
        return self._cut or Cut(self, 0, len(self))

    @property
    def ends_block(self) -> bool:
        """Whether no line of their block is behind them."""
        return self.cut.end == len(self.cut.block)

    def _part(self, begin: int, end: int) -> "PreparedLines":
        end = max(begin, end)
        block, first, _ = self.cut
        return PreparedLines(None, cut=Cut(block, first + begin, first + end))

    def _between(self, begin: int, end: int) -> "Iterator[PreparedLines]":
        """The blocks, and parts of blocks, that the lines from `begin` to before `end` are."""
        first = 0
        for block in self._blocks:
            if begin < first + len(block) and first < end:
                yield block[max(begin - first, 0) : end - first]
            first += len(block)

    @property
    def names(self) -> Iterable[PlaceName]:
        """The network and channel of each."""
        return zip(self.columns.network, self.columns.channel, strict=True)

    @cached_property
    def places(self) -> Sequence[PlaceName]:
        """The distinct networks and channels that they name."""
        if self._cut and self and len(self._cut.block.places) == 1:
            return self._cut.block.places
        if all(map(_is_constant, (self.columns.network, self.columns.channel))):
            return list(islice(self.names, 1))
        return list(dict.fromkeys(self.names))

    @property
    def tallies(self) -> LineTallies:
        """What was counted of them: by who prepared them, or else now."""
        if self._tallies is None:
            block, begin, end = self.cut
            parts = [(len(part), part.tallies) for part in block._between(begin, end)]  # noqa: SLF001 -- of this class
            self._tallies = joined_tallies(parts) if parts else None
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
        if self._cut and self._cut.block.are_rows:
            return True
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


def joined(parts: Sequence[PreparedLines]) -> PreparedLines:
    """All lines of some parts as one. The parts of a block, where they are all of it, are that."""
    blocks = [cut.block[cut.begin : cut.end] for cut in _rejoined(parts)]
    if len(blocks) == 1:
        return blocks[0]
    by_column = zip(*(block.columns for block in blocks), strict=True)
    columns = [list(chain.from_iterable(column)) for column in by_column]
    return PreparedLines(LineColumns._make(columns), blocks=blocks)


def _rejoined(parts: Iterable[PreparedLines]) -> Iterable[Cut]:
    """The parts, as one where they follow each other in a block."""
    cuts: list[Cut] = []
    for cut in (part.cut for part in parts):
        if cuts and cuts[-1].block is cut.block and cuts[-1].end == cut.begin:
            cuts[-1] = Cut(cut.block, cuts[-1].begin, cut.end)
        else:
            cuts.append(cut)
    return cuts


def _part(block: PreparedLines, begin: int, end: int) -> PreparedLines:
    return block[begin:end]


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
