"""KVIrc: `channel_#channel.network_2026.10.24.log`, local times.

The number of a line's type stands before its stamp, unless its user left it out. It alone tells an
action, `32 [23:57:13] ada waves`, and a notice to the owner alone. Events are in the language of
its user; those in English are read. In the name of a file `%2d` is a `-`.

Lines hold the codes with which KVIrc shows them, unless its user has them left out: of those around
what can be clicked on, `files.py` rids them.
"""

import re

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.entries import Boundary
from terrarium_mcp.logformats.grammar import (
    CHANNEL,
    CLOCK_WITH_SECONDS,
    COLON_WHY,
    ISO_DAY,
    NICK,
    TextFormat,
    boundary,
    chatter,
    message,
)

_BEFORE_NICK = r"\x02?(?:\x03\d{1,2}(?:,\d{1,2})?)?"
_BEHIND_NICK = r"\x03?\x02?"
"""The nick of who says something is in bold letters, and by its user's wish in a colour."""
_NOTICE = rf"\*{_BEFORE_NICK}(?P<nick>[^\s*<>\x00-\x1f]+){_BEHIND_NICK}\* (?P<text>.*)"
_PERSON = rf"(?P<nick>{NICK}) \[(?P<user>[^\s@\]]*)@(?P<host>[^\s\]]*)\]"
_STARTED = (
    rf"### Log session started at \w+ (?P<month>\w+) +(?P<day>\d\d?) {CLOCK_WITH_SECONDS}"
    r" (?P<year>\d{4})"
)

_STAMP = (
    rf"(?P<bracket>\[)?(?:{ISO_DAY}T)?{CLOCK_WITH_SECONDS}"
    r"(?(bracket)\] |(?:\.(?P<fraction>\d{3}) |(?P<zone>Z) |))"
)
"""`[23:57:13] `, or by its user's wish `2026-10-24T23:57:13` without a blank; newer versions write
`2026-10-24T23:57:13.042 `, or `2026-10-24T23:57:13Z ` where the server says the time."""

_BEFORE_ACTION = re.compile(
    rf"(?:32|14[5-7]|(?P<highlighted>2)) {_STAMP}(?(highlighted)(?![<*]))(?={NICK} )"
)
"""What precedes `ada waves`: a number of actions (encrypted or one's own have others), or that of
what is highlighted, be it said (`<ada> hi`), a notice (`*ada* hi`) or an action (kvi_out.h and
KviConsoleWindow::outputPrivmsg of KVIrc)."""

_BEFORE_PRIVATE_NOTICE = re.compile(rf"(?:79|80) {_STAMP}(?=\*)")
"""What precedes `*ada* hi` that was said to the owner alone; the channel shows it (kvi_out.h)."""


def _told_apart(line: str) -> str:
    """The line, with a `* ` before what a person does, and a `-` before a notice to the owner."""
    if match := _BEFORE_ACTION.match(line):
        return f"{match[0]}* {line[match.end() :]}"
    match = _BEFORE_PRIVATE_NOTICE.match(line)
    return f"{match[0]}-{line[match.end() :]}" if match else line


KVIRC = TextFormat(
    name="kvirc",
    program="KVIrc",
    stamp=re.compile(rf"(?:\d{{1,3}} )?{_STAMP}"),
    rules=(
        message(
            MessageType.PRIVMSG,
            rf"<{_BEFORE_NICK}(?P<nick>{NICK}){_BEHIND_NICK}> ?(?P<text>.*)",
        ),
        # Before what happens: no nick is between stars, whatever a notice says.
        message(MessageType.NOTICE, _NOTICE),
        message(MessageType.NOTICE, rf"-{_NOTICE}", private=True),
        message(MessageType.JOIN, rf"{_PERSON} has joined (?P<channel>{CHANNEL})(?: \[.*\])?"),
        message(MessageType.PART, rf"{_PERSON} has left (?P<channel>{CHANNEL}?){COLON_WHY}"),
        message(MessageType.QUIT, rf"{_PERSON} has quit IRC{COLON_WHY}"),
        message(MessageType.NICK, rf"{_PERSON} is now known as (?P<new>{NICK})"),
        message(
            MessageType.KICK,
            rf"(?P<target>{NICK}) \[\S*\] has been kicked from (?P<channel>{CHANNEL})"
            rf" by {_PERSON}{COLON_WHY}",
        ),
        message(MessageType.TOPIC, rf'{_PERSON} has changed topic to "(?P<text>.*?)\x0f?"'),
        message(MessageType.MODE, rf"{_PERSON} has set (?:channel )?mode (?P<text>[+-].*)"),
        *(
            message(MessageType.MODE, rf"{_PERSON} has {pattern}", text=mode)
            for pattern, mode in (
                (r'set channel key to "(?P<target>\S*)"', "+k {target}"),
                ("unset the channel key", "-k *"),
                (r"set channel limit to (?P<target>\d+)", "+l {target}"),
                ("unset the channel limit", "-l"),
            )
        ),
        chatter(rf"{_PERSON} (?:has (?:un)?set|now has|has changed)\b"),
        chatter(r"You have |###|\[|Channel |Topic "),
        # An action of a person or a channel without a window; its words are its user's language.
        chatter(r"\* (?:CTCP ACTION from |[^\[\]]* \[[^\s@\[\]]*@[^\s\[\]]*\]: )"),
        message(MessageType.ACTION, rf"\*(?:\*\*)? (?P<nick>{NICK})(?<!:)(?: (?P<text>.*))?"),
    ),
    unstamped=(
        boundary(Boundary.OPENED, rf"(?:\d{{1,3}} )?{_STARTED}"),
        chatter(r"(?:\d{1,3} )?###"),
    ),
    paths=(
        re.compile(
            r"(?<![^/])channel_(?P<escaped>[^/]+?)\.(?P<network>[^/.]+?)(?:_[\d._]+)?\.log\Z"
        ),
        # A nick has no dot; a name of a network may have one (`Libera.Chat`).
        re.compile(r"(?<![^/])query_(?P<escaped>[^/.]+)\.(?P<network>[^/]+?)(?:_[\d._]+)?\.log\Z"),
        re.compile(r"(?<![^/])(?P<window>console|dccchat|deadchannel)_[^/]+\.log\Z"),
    ),
    has_own_names=True,
    text_of=_told_apart,
)
