"""Makes lines for IRC out of a model's answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.splitting import split_for_irc
from terrarium_mcp.irc_bridge.cleaning import echo, without_reasoning
from terrarium_mcp.irc_bridge.markdown import markdown_lines

MARK = "[LLM]"
SHOWN = 4
# What the lines after the first begin with. One of two, since a prefix may be "|".
CONTINUATIONS = ("| ", "· ")

_LINE_BREAK = re.compile(r"\r\n|[\n\v\f\r\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Reply:
    """The lines to say now, and those that `!more` is for."""

    now: tuple[str, ...]
    more: tuple[str, ...] = ()


def clean_answer(text: str, *, nick: str = "Terra", asker: str = "", mark: str = MARK) -> list[str]:
    """The words of an answer as plain lines: no reasoning, echoes, markdown or control codes.

    Args:
        text: what the model wrote.
        nick: the bot's own; a model likes to begin with it.
        asker: who is answered; a model likes to begin with that, too.
        mark: how answers of a model are marked in the channel.
    """
    lines = [
        harmless(part)
        for line in markdown_lines(_LINE_BREAK.sub("\n", without_reasoning(text)))
        for part in _LINE_BREAK.split(line)  # markdown may spell a line break as "&#10;"
    ]
    echoed = echo(nick, asker, mark)
    unechoed = (line[match.end() :] if (match := echoed.match(line)) else line for line in lines)
    return [line.rstrip() for line in unechoed if line.strip()]


def reply_lines(
    answer_lines: Sequence[str],
    *,
    to: str,
    mark: str = MARK,
    room: int,
    shown: int = SHOWN,
    prefix: str = "!",
) -> Reply:
    """The answer addressed to `to`, in lines of at most `room` bytes; `shown` of them now.

    No line begins with the command `prefix`, so that no bot takes it for a command.
    """
    start = "".join(f"{part} " for part in (f"{to}:" if to else "", mark) if part)
    dressed = _dressed(answer_lines, _safe(start, prefix), _continuation(prefix), room)
    return paged(list(dressed), room=room, shown=shown, prefix=prefix)


def paged(lines: Sequence[str], *, room: int, shown: int = SHOWN, prefix: str = "!") -> Reply:
    """The first lines of a reply, the last of which says how many more there are."""
    if len(lines) <= shown:
        return Reply(tuple(lines))
    *now, last = lines[:shown]
    rest = lines[shown:]
    # What does not fit beside the note moves to the rest, and may make its number a digit longer.
    widest = _note(len(rest) + len(last), prefix)
    fitting, *cut = split_for_irc(last, room - len(widest.encode()))
    more = [*(_continuation(prefix) + piece for piece in cut), *rest]
    return Reply((*now, fitting + _note(len(more), prefix)), tuple(more))


def _dressed(lines: Sequence[str], start: str, continuation: str, room: int) -> Iterator[str]:
    """Each line cut to fit, behind the start or the continuation mark."""
    width = room - max(len(start.encode()), len(continuation.encode()))
    begin = start or continuation
    for line in lines:
        for piece in split_for_irc(line, width):
            yield begin + piece
            begin = continuation


def _note(count: int, prefix: str) -> str:
    return f" ({count} more: {prefix}more)"


def _continuation(prefix: str) -> str:
    return next(mark for mark in CONTINUATIONS if not prefix or not mark.startswith(prefix))


def _safe(start: str, prefix: str) -> str:
    """`start`, behind the continuation mark if it could be taken for a command itself."""
    return _continuation(prefix) + start if prefix and start.startswith(prefix) else start
