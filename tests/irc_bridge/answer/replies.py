"""Answers of Terra as lines, and as replies, where a test is about one thing of them."""

from collections.abc import Callable, Sequence

from terrarium_mcp.irc_bridge.answer.cleaning import clean_answer
from terrarium_mcp.irc_bridge.answer.reply import Reply, paged, reply_lines

MARK = "[LLM]"


def _as_it_is(text: str, _joiner: str) -> str:
    return text


def cleaned(
    text: str,
    *,
    asker: str = "",
    mark: str = MARK,
    question: str = "",
    defused: Callable[[str, str], str] = _as_it_is,
) -> list[str]:
    """What Terra says of a model's answer."""
    return clean_answer(
        text, nick="Terra", asker=asker, mark=mark, question=question, defused=defused
    )


def replied(
    lines: Sequence[str],
    *,
    to: str,
    line_bytes: int,
    mark: str = MARK,
    prefix: str = "!",
    off_record: bool = False,
) -> Reply:
    """The lines as a reply of a model to somebody."""
    return reply_lines(
        lines, to=to, mark=mark, line_bytes=line_bytes, prefix=prefix, off_record=off_record
    )


def continued(reply: Reply, *, line_bytes: int, prefix: str = "!") -> Reply:
    """What `!more` says of a reply."""
    return paged(reply, line_bytes=line_bytes, prefix=prefix)
