"""Divides an answer into lines that fit a network, and into what is said now and under `!more`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.irctext import OFF_RECORD
from terrarium_mcp.chat.splitting import split_for_irc
from terrarium_mcp.chat.urls import URL

MARK = "[LLM]"
"""Marks text that a model wrote, as networks require of bots (TERRARIUM_LLM_MARK)."""

SHOWN = 4
"""Lines of a reply said at once; `!more` says the next."""

CONTINUATIONS = ("| ", "· ")
"""Starts of the lines after the first: the second is for a command prefix of "|"."""

_CUT = " \u2026"
"""Ends a line inside a URL that is too long for one line; the next line goes on with it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The lines to say now, and the rest, kept for `!more`.

    `continuation` is how each line after the first begins.
    """

    now: tuple[str, ...]
    more: tuple[str, ...] = ()
    continuation: str = CONTINUATIONS[0]

    @property
    def is_off_record(self) -> bool:
        """Whether each of its lines begins with `[off]`."""
        return self.continuation.startswith(OFF_RECORD)


def reply_lines(
    answer_lines: Sequence[str],
    *,
    to: str,
    mark: str = MARK,
    line_bytes: int,
    shown: int = SHOWN,
    prefix: str = "!",
    off_record: bool = False,
) -> Reply:
    """The answer addressed to `to`, in lines of at most `line_bytes` bytes.

    `shown` of them are said now. Every line has the `mark`, and begins with `[off]` if it is not to
    be recorded. No line begins with the command `prefix`, so that no bot takes one for a command.
    """
    off = OFF_RECORD if off_record else ""
    start = _words(off, f"{to}:" if to else "", mark)
    continuation = _safe(_words(off, _continuation(prefix).rstrip(), mark), prefix)
    prefixed = _prefixed(answer_lines, _safe(start, prefix), continuation, line_bytes)
    everything = Reply((), tuple(prefixed), continuation)
    return paged(everything, line_bytes=line_bytes, shown=shown, prefix=prefix)


def paged(reply: Reply, *, line_bytes: int, shown: int = SHOWN, prefix: str = "!") -> Reply:
    """The next lines of what a reply kept back; the last of them says how many are left."""
    lines = tuple(_refitted(reply, line_bytes))
    if len(lines) <= shown:
        return Reply(lines, (), reply.continuation)
    *now, last = lines[:shown]
    rest = lines[shown:]
    # Text that does not fit beside the note moves to the rest, which may add a digit to the count.
    widest = _note(len(rest) + len(last), prefix)
    fitting, *cut = split_for_irc(last, line_bytes - len(widest.encode()))
    if now and cut and (_divides_word(fitting, last) or last.endswith(_CUT)):
        return _noted(now, reply.continuation.rstrip(), (last, *rest), reply, prefix)
    more = (*(reply.continuation + piece for piece in cut), *rest)
    return _noted(now, fitting, more, reply, prefix)


def _refitted(reply: Reply, line_bytes: int) -> Iterator[str]:
    """The lines that a reply kept back, cut again where our mask has grown since."""
    begin = reply.continuation
    for line in reply.more:
        if len(line.encode()) <= line_bytes:
            yield line
            continue
        words = line.removeprefix(begin)
        yield from (
            begin + piece for piece in split_for_irc(words, line_bytes - len(begin.encode()))
        )


def _noted(
    now: Sequence[str], last: str, more: tuple[str, ...], reply: Reply, prefix: str
) -> Reply:
    """A reply that says how many lines are left, behind the last that is said now."""
    return Reply((*now, last + _note(len(more), prefix)), more, reply.continuation)


def _divides_word(piece: str, line: str) -> bool:
    """Whether the first `piece` of a line ends inside a word or URL; CJK may end anywhere."""
    around = line[len(piece) - 1 : len(piece) + 1]
    return around.isascii() and " " not in around


def _prefixed(
    lines: Sequence[str], start: str, continuation: str, line_bytes: int
) -> Iterator[str]:
    """The lines split to fit, the first after `start`, the others after `continuation`."""
    width = line_bytes - max(len(start.encode()), len(continuation.encode()))
    begin = start or continuation
    for line in lines:
        for piece in _pieces(line, width):
            yield begin + piece
            begin = continuation


def _pieces(line: str, width: int) -> list[str]:
    """The pieces of a line; behind one that ends inside a URL, which is too long, `_CUT`."""
    links = list(URL.finditer(line))
    if all(len(link[0].encode()) <= width for link in links):
        return split_for_irc(line, width)
    pieces = split_for_irc(line, width - len(_CUT.encode()))
    marked, at = [], 0
    for piece in pieces:
        at = line.index(piece, at) + len(piece)
        marked.append(piece + _CUT * any(link.start() < at < link.end() for link in links))
    return marked


def _words(*parts: str) -> str:
    """The parts that are there, with a space behind each."""
    return "".join(f"{part} " for part in parts if part)


def _note(count: int, prefix: str) -> str:
    return f" ({count} more: {prefix}more)"


def _continuation(prefix: str) -> str:
    return next(mark for mark in CONTINUATIONS if not prefix or not mark.startswith(prefix))


def _safe(start: str, prefix: str) -> str:
    """`start`, after the continuation mark if it begins with the command prefix itself."""
    return _continuation(prefix) + start if prefix and start.startswith(prefix) else start
