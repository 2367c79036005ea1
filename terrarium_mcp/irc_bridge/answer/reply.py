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
        begin_bytes: bytes of each line that are left free for what it begins with.
        texts: what each line of `now` says of the text.
    """

    now: tuple[str, ...]
    more: tuple[str, ...] = ()
    said: int = 0
    continuation: str = CONTINUATIONS[0]
    begin_bytes: int = len(CONTINUATIONS[0])
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
    everything = Reply(
        (),
        tuple(map(encodable, answer_lines)),
        continuation=continuation,
        begin_bytes=max(len(begin.encode()), len(continuation.encode())),
    )
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
    width = max(line_bytes - len(reply.continuation.encode()), LARGEST_CODE_POINT)
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
    pieces = list(_pieces(reply, line_bytes, len(_note(_MOST_LINES, prefix).encode())))
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


def _pieces(reply: Reply, line_bytes: int, note_bytes: int) -> Iterator[_Piece]:
    """What is left of a reply, cut into lines; each SHOWNth has room for the note behind it."""
    width = max(line_bytes - reply.begin_bytes, LARGEST_CODE_POINT)
    beside_note = max(width - note_bytes, LARGEST_CODE_POINT)
    place, said = 0, reply.said
    for number, line in enumerate(reply.more):
        cutter = _LineCutter(line, width)
        while said < len(line):
            is_end = number == len(reply.more) - 1 and cutter.fits(said)
            has_note = place % SHOWN == SHOWN - 1 and not is_end
            piece, end = cutter.piece(said, beside_note if has_note else width)
            if has_note and cutter.divides_word(end) and cutter.word_fits(said):
                piece, end = "", said  # it comes whole on the next page
            elif not piece:
                said = end
                continue
            place, said = place + 1, end
            yield _Piece(piece, number, end) if end < len(line) else _Piece(piece, number + 1, 0)
        said = 0


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
        return len(self._line[at:].encode()) <= self._room(self._width)

    def piece(self, at: int, width: int) -> tuple[str, int]:
        """The piece that begins `at` a character and fits `width` bytes, and where it ends."""
        piece, taken = first_piece(self._line[at:], self._room(width))
        end = at + taken
        return piece + self._mark * any(start < end < stop for start, stop in self._links), end

    def divides_word(self, at: int) -> bool:
        """Whether a cut is inside a word or URL; CJK may be cut anywhere."""
        around = self._line[at - 1 : at + 1]
        return 0 < at < len(self._line) and around.isascii() and " " not in around

    def word_fits(self, at: int) -> bool:
        """Whether the word that begins `at` a character fits one line."""
        word, *_ = self._line[at:].split(maxsplit=1)
        return len(word.encode()) <= self._room(self._width)

    def _room(self, width: int) -> int:
        return max(width - len(self._mark.encode()), LARGEST_CODE_POINT)


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
