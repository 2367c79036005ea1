"""Divides an answer into lines that fit a network, and into what is said now and under `!more`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from terrarium_mcp.chat.irctext import OFF_RECORD, encodable
from terrarium_mcp.chat.splitting import LARGEST_CODE_POINT, first_piece, split_for_irc
from terrarium_mcp.chat.urls import URL

SHOWN = 4
"""Lines of a reply said at once; `!more` says the next."""

CONTINUATIONS = ("| ", "· ")
"""Starts of the lines after the first: the second is for a command prefix of "|"."""

REST_NOTE = re.compile(r" ?\(\d{1,4} more: [^()\n]{1,20}more\)$")
"""The note at the end of a line of ours behind which `!more` goes on, whatever the prefix was: it
has up to 20 characters (COMMAND_PREFIX), blanks among them."""

_CUT = " \u2026"
"""Ends a line inside a URL that is too long for one line; the next line goes on with it."""

_MOST_LINES = 9_999
"""More than any reply has: an answer is cut at 250 lines and 16,000 bytes. Each note is given the
room of this number, so that a page is cut in the same way however many pages follow it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The lines to say now, and what is left of its text, kept for `!more`.

    Attributes:
        now: lines as they are said.
        more: the lines of text that are left, not cut to fit yet.
        said: how many characters of the first of `more` were said before.
        continuation: how each line after the first begins.
        texts: what each line of `now` says of the text.
    """

    now: tuple[str, ...]
    more: tuple[str, ...] = ()
    said: int = 0
    continuation: str = CONTINUATIONS[0]
    texts: tuple[str, ...] = ()

    @property
    def is_off_record(self) -> bool:
        """Whether each of its lines begins with `[off]`."""
        return self.continuation.startswith(OFF_RECORD)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of text that fits a line, and where the text goes on: in which line, and where."""

    text: str
    next_line: int
    next_character: int


@dataclass(frozen=True, slots=True)
class _Widths:
    """The bytes of text that a line holds: the first of a page, any other, and one with a note."""

    first: int
    whole: int
    beside_note: int

    def at(self, place: int, *, has_note: bool) -> int:
        if has_note:
            return self.beside_note
        return self.first if place == 0 else self.whole


def reply_lines(
    answer_lines: Sequence[str],
    *,
    to: str,
    mark: str,
    line_bytes: int,
    prefix: str,
    off_record: bool,
) -> Reply:
    """The answer addressed to `to`, in lines of at most `line_bytes` bytes.

    SHOWN of them are said now. Every line has the `mark` of text that a model wrote, as networks
    require of bots (TERRARIUM_LLM_MARK), and begins with `[off]` if it is not to be recorded. No
    line begins with the command `prefix`, so that no bot takes one for a command.
    """
    off = OFF_RECORD if off_record else ""
    continuation = _safe(_words(off, _continuation(prefix).rstrip(), mark), "", prefix)
    first = "".join(answer_lines[:1])
    begin = _safe(_words(off, f"{to}:" if to else "", mark), first, prefix)
    everything = Reply((), tuple(map(encodable, answer_lines)), continuation=continuation)
    return _page(everything, begin, line_bytes=line_bytes, prefix=prefix)


def paged(reply: Reply, *, line_bytes: int, prefix: str) -> Reply:
    """The next lines of what a reply kept back; the last of them says how many are left."""
    return _page(reply, reply.continuation, line_bytes=line_bytes, prefix=prefix)


def refitted(line: str, reply: Reply, *, line_bytes: int) -> list[str]:
    """A line of a reply as lines of at most `line_bytes` bytes: it may have been cut for more.

    Each has the mark of the reply, and the note on what is left of it remains whole, at the end.
    """
    if len(line.encode()) <= line_bytes:
        return [line]
    note = REST_NOTE.search(line) if reply.more else None
    text = line[: note.start()] if note else line
    first, taken = first_piece(text, line_bytes)
    width = _room(line_bytes, reply.continuation)
    others = [reply.continuation + piece for piece in split_for_irc(text[taken:], width)]
    lines = [first, *others]
    if note is None:
        return lines
    if len(f"{lines[-1]}{note[0]}".encode()) <= line_bytes:
        return [*lines[:-1], lines[-1] + note[0]]
    return [*lines, reply.continuation.rstrip() + note[0]]


def _page(reply: Reply, begin: str, *, line_bytes: int, prefix: str) -> Reply:
    """The first SHOWN lines of what is left of a reply; the first of these has its own `begin`.

    All pages are cut now, since only so it is known how many lines follow.
    """
    widths = _Widths(
        first=_room(line_bytes, begin),
        whole=_room(line_bytes, reply.continuation),
        beside_note=_room(line_bytes, reply.continuation + _note(_MOST_LINES, prefix)),
    )
    pieces = list(_pieces(reply, widths))
    begins = [begin, *[reply.continuation] * SHOWN]
    now = [
        f"{start}{piece.text}" if piece.text else start.rstrip()
        for start, piece in zip(begins, pieces[:SHOWN], strict=False)
    ]
    texts = tuple(piece.text for piece in pieces[:SHOWN])
    if len(pieces) <= SHOWN:
        return replace(reply, now=tuple(now), more=(), said=0, texts=texts)
    now[-1] += _note(len(pieces) - SHOWN, prefix)
    last = pieces[SHOWN - 1]
    more = reply.more[last.next_line :]
    return replace(reply, now=tuple(now), more=more, said=last.next_character, texts=texts)


def _pieces(reply: Reply, widths: _Widths) -> Iterator[_Piece]:
    """What is left of a reply, cut into lines; each SHOWNth has room for the note behind it."""
    place, said = 0, reply.said
    for number, line in enumerate(reply.more):
        cutter = _LineCutter(line, widths.whole)
        while said < len(line):
            is_end = number == len(reply.more) - 1 and cutter.fits(said)
            has_note = place % SHOWN == SHOWN - 1 and not is_end
            width = widths.at(place, has_note=has_note)
            piece, end = cutter.piece(said, width)
            if width < widths.whole and (begin := cutter.divided_from(said, end)) is not None:
                piece, end = line[said:begin].rstrip(), begin  # which comes whole on the next line
            elif not piece:
                said = end
                continue
            place, said = place + 1, end
            yield _Piece(piece, number, end) if end < len(line) else _Piece(piece, number + 1, 0)
        said = 0


def _room(line_bytes: int, frame: str) -> int:
    """The bytes of a line that `frame` leaves for text."""
    return max(line_bytes - len(frame.encode()), LARGEST_CODE_POINT)


class _LineCutter:
    """Cuts a line of text; behind a piece that ends inside a URL, which is too long, is `_CUT`."""

    def __init__(self, line: str, width: int) -> None:
        """`width` is that of a whole line, in bytes."""
        self._line = line
        self._width = width
        self._links = [link.span() for link in URL.finditer(line)]
        too_long = any(len(line[start:end].encode()) > width for start, end in self._links)
        self._mark = _CUT if too_long else ""

    def fits(self, at: int) -> bool:
        """Whether all that begins `at` a character is one piece."""
        return self._fits(at, len(self._line))

    def piece(self, at: int, width: int) -> tuple[str, int]:
        """The piece that begins `at` a character and fits `width` bytes, and where it ends."""
        piece, taken = first_piece(self._line[at:], _room(width, self._mark))
        end = at + taken
        return piece + self._mark * any(start < end < stop for start, stop in self._links), end

    def divided_from(self, at: int, end: int) -> int | None:
        """Where a word or URL begins that a piece from `at` to `end` divides, if it fits a line.

        Text beside CJK may be cut anywhere, but for its URLs.
        """
        begin = max(self._line.rfind(" ", at, end) + 1, at)
        stop = begin + len(self._line[begin:].partition(" ")[0])
        word = [(begin, stop)] if self._line[end - 1 : end + 1].isascii() else []
        divided = [span for span in (*word, *self._links) if at <= span[0] < end < span[1]]
        return next((start for start, stop in divided if self._fits(start, stop)), None)

    def _fits(self, start: int, stop: int) -> bool:
        return len(self._line[start:stop].encode()) <= _room(self._width, self._mark)


def _words(*parts: str) -> str:
    """The parts that are there, with a space behind each."""
    return "".join(f"{part} " for part in parts if part)


def _note(count: int, prefix: str) -> str:
    return f" ({count} more: {prefix}more)"


def _continuation(prefix: str) -> str:
    return next(mark for mark in CONTINUATIONS if not prefix or not mark.startswith(prefix))


def _safe(start: str, text: str, prefix: str) -> str:
    """`start`, after the continuation mark if with `text` it begins with the command prefix."""
    is_command = prefix and (start + text).startswith(prefix)
    return _continuation(prefix) + start if is_command else start
