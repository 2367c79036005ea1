"""Makes plain lines of a model's answer: what it means to say, as IRC can show it."""

import re
from collections.abc import Callable

from terrarium_mcp.chat.defusing import JOINER
from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.chat.splitting import split_for_irc
from terrarium_mcp.irc_bridge.answer.echoes import EchoedPrefixes, without_echoed_tags
from terrarium_mcp.irc_bridge.answer.markdown import markdown_lines

LONGEST_ANSWER = 16_000
"""Bytes of an answer that are said: forty lines, ten times `!more`. Markdown of that length
takes 10 ms of CPU, or 200 ms if it is made to take long."""

MOST_LINES = 250
"""Lines of an answer that are said, however short they are."""

_HOLDS_JOINER = "\ufdd0"
"""Holds the place of a joiner until all that is invisible has been removed. Unicode keeps this code
point for such use inside a program (noncharacters, 23.7 of the standard)."""

_UNSEEN_CODE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\0")
"""A control sequence of a terminal (ECMA-48 5.4), such as a colour: `ESC [ 31 m`; or NUL, of which
markdown makes a U+FFFD (CommonMark 2.3), which can be seen."""

_LINE_BREAK = re.compile(r"\r\n|[\n\v\f\r\x85\u2028\u2029]")


def clean_answer(
    text: str,
    *,
    nick: str,
    asker: str,
    mark: str,
    question: str,
    defused: Callable[[str, str], str],
) -> list[str]:
    """An answer as plain lines, without echoes, markdown or control codes.

    Of one that is longer than LONGEST_ANSWER, or has more than MOST_LINES, the start is kept, and
    the last line says so.

    Args:
        text: the model's answer, without its reasoning.
        nick: the bot's nick, with which models like to begin.
        asker: the nick of the asker, with which they like to begin as well.
        mark: the mark of model answers in the channel.
        question: the question, which some repeat before they answer.
        defused: defuses the names in a text that is no code, with the joiner that it is passed.
    """
    text = without_echoed_tags(_LINE_BREAK.sub("\n", _UNSEEN_CODE.sub("", text)))
    words = _start_of(text)
    is_cut = len(words) < len(text.rstrip())
    lines = [
        harmless(part)
        for line in markdown_lines(
            words.replace(_HOLDS_JOINER, ""), lambda prose: defused(prose, _HOLDS_JOINER)
        )
        for part in _LINE_BREAK.split(line)  # markdown may encode a line break as "&#10;"
    ]
    if is_cut or len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"(cut here: the answer has {len(text):,} characters)"]
    unechoed = EchoedPrefixes(nick, asker, mark).removed(lines, question)
    return [line.replace(_HOLDS_JOINER, JOINER) for line in unechoed]


def _start_of(text: str) -> str:
    """As much of `text` as is said, up to the end of a sentence, word or character."""
    is_short = len(text.encode("utf-8", "replace")) <= LONGEST_ANSWER
    return text if is_short else next(iter(split_for_irc(text, LONGEST_ANSWER)), "")
