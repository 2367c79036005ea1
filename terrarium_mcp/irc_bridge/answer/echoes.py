"""Removes what a model copies from its request into its answer: our tags, prefixes, the question.

What the request holds is written in `model_request.py`, `question_tag.py`, `chat/transcript.py`
(results of tools) and `model/chat_request.py` (mentions of calls). The bot's own lines in it look
as they were said: `ada: [LLM] yes`, `| [LLM] and more (3 more: !more)`.
"""

import re
from collections.abc import Sequence

from terrarium_mcp.irc_bridge.answer.reply import REST_NOTE

_ENCLOSING = tuple(
    re.compile(tag, re.IGNORECASE)
    for tag in (
        r"<(?P<name>irc_logs-[0-9a-f]{1,16})>",
        r"<(?P<name>older_logs-[0-9a-f]{1,16})>",
        r"<(?P<name>question)\s+from=[^<>\n]{0,200}>",
    )
)
"""Tags of which a request has one each, around what is said elsewhere already."""
_MENTIONED_CALL = re.compile(r"^[ \t]*\[called \w+ \{[^\n]*\}\][ \t]*$", re.MULTILINE)
_MARKS = re.compile(
    r"</?(?:irc|older)_logs-[0-9a-f]{1,16}>"
    r"|^[ \t]*<question\s+from=[^<>\n]{0,200}>|</question>[ \t]*$"
    r"|^[ \t]*\[\w+ (?:[0-9a-f]{2}){2,8}: quoted [^\]\n]{0,100}\][ \t]*$"
    r"|^[ \t]*\[/\w+ (?:[0-9a-f]{2}){2,8}\][ \t]*$"
    r"|^[ \t]*\((?:no tool calls are|\d rounds? of tool calls) left[^\n()]{0,20}\)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""What only encloses words, or follows them."""
_ROLE = re.compile(r"\s*(?:assistant|(?:final )?answer|response)\s*:(?!\S)\s*", re.IGNORECASE)
"""What may precede the first line of an answer, and its prefixes."""


def without_echoed_tags(text: str) -> str:
    """`text` without our tags, and without what they enclose if other words are left."""
    rest = _MENTIONED_CALL.sub("", text)
    for opening in _ENCLOSING:
        rest = _without_enclosed(rest, opening)
    rest = _MARKS.sub("", rest)
    return rest if rest.strip() else _MARKS.sub("", text)


def _without_enclosed(text: str, opening: re.Pattern[str]) -> str:
    """`text` without the first pair of these tags and what is between them."""
    if not (begin := opening.search(text)):
        return text
    _, closing, after = text[begin.end() :].partition(f"</{begin['name']}>")
    return text[: begin.start()] + after if closing else text


class EchoedPrefixes:
    """The prefixes that a model copies to the start of its lines.

    They are the bot's transcript prefix (`[14:23] <Terra> `, with or without id, date and
    brackets), its nick, the `asker: [LLM] ` that its replies begin with, the mark of the lines
    after the first, and `[off]`, which would keep the reply from being recorded. A quoted line of
    another person keeps its nick.
    """

    def __init__(self, nick: str, asker: str, mark: str) -> None:
        bot = re.escape(nick)
        addressed = "|".join(re.escape(name) for name in (nick, asker) if name)
        time = r"(?:\d{4}-\d\d-\d\d\s+)?\[?\d{1,2}:\d{2}(?::\d{2})?\]?"
        forms = [
            rf"(?:\d+\s+)?(?:{time}\s+)?<{bot}>",
            rf"(?:{addressed}):(?!\S)",
            r"\[(?:off|nolog)\]",
            rf"(?:[|·] )?{re.escape(mark)}" if mark else r"\| (?=[^|]*\Z)",  # no row of a table
        ]
        self._prefixes = re.compile(rf"(?:\s*(?:{'|'.join(forms)})\s*)+", re.IGNORECASE)

    def removed(self, lines: Sequence[str], question: str) -> list[str]:
        """The lines of an answer without the prefixes, and without the `question` repeated."""
        unechoed = [_without(self._prefixes, line) for line in lines]
        if len(unechoed) > 1 and question and _same(unechoed[0], question):
            unechoed = unechoed[1:]
        if unechoed and (role := _ROLE.match(unechoed[0])):
            unechoed[0] = _without(self._prefixes, unechoed[0][role.end() :])
        return [rest for line in unechoed if (rest := REST_NOTE.sub("", line.rstrip()).rstrip())]


def _without(beginning: re.Pattern[str], line: str) -> str:
    found = beginning.match(line)
    return line[found.end() :] if found else line


def _same(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()
