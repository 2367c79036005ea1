"""Pidgin and Finch: `irc/<nick>@<server>/<channel>.chat/2026-10-24.235713+0200CEST.html`.

By documentation. Logs are HTML or text, of local times; the day is in the name of the file and in
the first line. Its users may have any language: known in each are who comes, by the address behind
the nick, who quits, by a word that is not translated, and modes; other events in English. In the
name of a folder `%5b` is a `[`.
"""

import re
from contextlib import suppress
from html import unescape

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    FILE_DAY,
    ISO_DAY,
    NICK,
    WHY,
    TextFormat,
    chatter,
    message,
)

_TAG = re.compile(r"<[^<>]*>")
_HALF = re.compile(r"(?:<[^<>]*|&[#\w]*)\Z")
"""The beginning of a tag or a character, where a line ends that is not yet written, or was cut."""
_NAME = rf"(?P<nick>(?!\*){NICK}?)"
_NO_CTCP = r"(?!Received CTCP '.*' \(to \S+\) from (?P=nick)\Z)"
"""What the client says of a request in the words of its sender."""

_MODE = rf"\w+ \((?P<text>[+-].*?) ?\) \w+ {_NAME}"
"""Behind a mode without a parameter is a blank."""

_MASK = r"(?P<nick>[^\s<>!]+)!(?P<user>[^\s@]*)@(?P<host>\S*): (?P=nick)"
_EVENTS_OF_TEXT_LOGS = (
    message(MessageType.MODE, rf"(?P<channel>{CHANNEL}): {_MODE}"),
    message(MessageType.TOPIC, rf"{_MASK} has changed the topic to: (?P<text>.*)"),
    message(MessageType.TOPIC, rf"{_MASK} has cleared the topic\."),
)
"""Text logs begin modes and topics as what is said: with the channel, or with the whole mask of a
person. Who speaks has neither."""


def _text_of_html(line: str) -> str:
    """The text of a line that begins with a tag; lines of text logs never do."""
    if not line.startswith("<"):
        return line
    whole = line if line.endswith(">") else _HALF.sub("", line)
    text = _TAG.sub("", whole)
    with suppress(ValueError):  # `&#` and thousands of digits is no character
        text = unescape(text)
    return text.strip()


PIDGIN = TextFormat(
    name="pidgin",
    program="Pidgin",
    stamp=re.compile(
        rf"\((?:{ISO_DAY} )?(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)"
        r"(?: (?P<half>[AaPp][Mm]))?\) "
    ),
    rules=(
        *_EVENTS_OF_TEXT_LOGS,
        message(MessageType.NOTICE, rf"{_NAME}: \(notice\) {_NO_CTCP}(?P<text>.*)"),
        message(MessageType.PRIVMSG, rf"{_NAME}: ?+(?:\(notice\) )?+{_NO_CTCP}(?P<text>.*)"),
        chatter(r"\S+: (?:\(notice\) )?Received CTCP '"),
        message(MessageType.ACTION, rf"\*\*\*{_NAME} (?P<text>.*)"),
        message(MessageType.JOIN, rf"{_NAME} entered the room\."),
        message(
            MessageType.JOIN,
            rf"{_NAME} \[(?P<user>[^\s@\]]*)@(?P<host>[^\s\]]*)\] [^:()\[\]]*",
        ),
        message(
            MessageType.KICK,
            rf"(?P<target>{NICK}) left the room \(Kicked by {_NAME} \((?P<text>.*)\)\)\.",
        ),
        message(MessageType.QUIT, rf"{_NAME} [^:()]* \(quit: (?P<text>.*)\)\W?"),
        message(MessageType.PART, rf"{_NAME} left the room{WHY}\."),
        message(MessageType.NICK, rf"{_NAME} is now known as (?P<new>{NICK}?)\.?"),
        message(MessageType.MODE, _MODE),
        message(MessageType.TOPIC, rf"{_NAME} has changed the topic to: (?P<text>.*)"),
        message(MessageType.TOPIC, rf"{_NAME} has cleared the topic\."),
        chatter(r"List of \d+ users?:"),
        chatter(r"The topic for |You (?:are now known as|have |can|left) |Topic for |Ban on "),
    ),
    unstamped=(
        chatter(r"Conversation with "),
        chatter(r"</?(?:html|body)>"),
        chatter(r"(?:\[ \S+ \])+(?:</b><br/?>)?\Z"),  # of a list of users
    ),
    paths=(
        re.compile(
            r"irc/[^/]*@(?P<network>[^/@]+)/(?P<escaped>[^/]+)\.chat/"
            rf"{FILE_DAY}\.[^/]*\.(?:html|txt)\Z"
        ),
        re.compile(
            r"irc/[^/]*@(?P<network>[^/@]+)/(?P<escaped>[^/]+)/"
            rf"{FILE_DAY}\.[^/]*\.(?:html|txt)\Z"
        ),
    ),
    by_documentation=True,
    text_of=_text_of_html,
)
