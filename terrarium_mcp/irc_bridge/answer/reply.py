"""Turns a model's answer into lines for IRC."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.irctext import OFF_RECORD, harmless
from terrarium_mcp.chat.splitting import split_for_irc
from terrarium_mcp.irc_bridge.answer.markdown import markdown_lines
from terrarium_mcp.irc_bridge.model.reasoning_tags import echo_pattern, without_reasoning

MARK = "[LLM]"
"""Marks text that a model wrote, as networks require of bots (TERRARIUM_LLM_MARK)."""

SHOWN = 4
"""Lines of a reply said at once; `!more` says the next."""

CONTINUATIONS = ("| ", "· ")
"""Starts of the lines after the first: the second is for a command prefix of "|"."""

_LINE_BREAK = re.compile(r"\r\n|[\n\v\f\r\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Reply:
    """The lines to say now, and the rest, kept for `!more`.

    `continuation` is how each line after the first begins.
    """

    now: tuple[str, ...]
    more: tuple[str, ...] = ()
    continuation: str = CONTINUATIONS[0]


def clean_answer(text: str, *, nick: str = "Terra", asker: str = "", mark: str = MARK) -> list[str]:
    """An answer as plain lines, without reasoning, echoes, markdown or control codes.

    Args:
        text: the model's answer.
        nick: the bot's nick, with which models like to begin.
        asker: the nick of the asker, with which they like to begin as well.
        mark: the mark of model answers in the channel.
    """
    lines = [
        harmless(part)
        for line in markdown_lines(_LINE_BREAK.sub("\n", without_reasoning(text)))
        for part in _LINE_BREAK.split(line)  # markdown may encode a line break as "&#10;"
    ]
    echoed = echo_pattern(nick, asker, mark)
    unechoed = (line[match.end() :] if (match := echoed.match(line)) else line for line in lines)
    return [line.rstrip() for line in unechoed if line.strip()]


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

    `shown` of them are said now. Every line begins with `[off]` if it is not to be recorded. No
    line begins with the command `prefix`, so that no bot takes one for a command.
    """
    off = OFF_RECORD if off_record else ""
    start = _words(off, f"{to}:" if to else "", mark)
    continuation = _safe(_words(off, _continuation(prefix).rstrip()), prefix)
    prefixed = _prefixed(answer_lines, _safe(start, prefix), continuation, line_bytes)
    everything = Reply((), tuple(prefixed), continuation)
    return paged(everything, line_bytes=line_bytes, shown=shown, prefix=prefix)


def paged(reply: Reply, *, line_bytes: int, shown: int = SHOWN, prefix: str = "!") -> Reply:
    """The next lines of what a reply kept back; the last of them says how many are left."""
    if len(reply.more) <= shown:
        return Reply(reply.more, (), reply.continuation)
    *now, last = reply.more[:shown]
    rest = reply.more[shown:]
    # Text that does not fit beside the note moves to the rest, which may add a digit to the count.
    widest = _note(len(rest) + len(last), prefix)
    fitting, *cut = split_for_irc(last, line_bytes - len(widest.encode()))
    more = (*(reply.continuation + piece for piece in cut), *rest)
    return Reply((*now, fitting + _note(len(more), prefix)), more, reply.continuation)


def _prefixed(
    lines: Sequence[str], start: str, continuation: str, line_bytes: int
) -> Iterator[str]:
    """The lines split to fit, the first after `start`, the others after `continuation`."""
    width = line_bytes - max(len(start.encode()), len(continuation.encode()))
    begin = start or continuation
    for line in lines:
        for piece in split_for_irc(line, width):
            yield begin + piece
            begin = continuation


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
