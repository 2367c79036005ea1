"""Which messages a text quotes, by the lines of a transcript in it. Pure."""

import re
from typing import NamedTuple


class MessageReference(NamedTuple):
    """The id and nick of a message that a line quotes."""

    id: int
    nick: str


_WHO = (
    r"(?:(?:[^\s<*-]\S*/)?[#&+!]\S* )?"  # the channel, perhaps after its network
    r"(?:(?:\* |-)?<(?P<relayed>[^<>]+) via \S+>-?"
    r"|<(?P<speaker>\S+)>|\* (?P<actor>\S+)|-(?P<noticer>\S+)-)"
)
"""Where a message was said and by whom: `net/#dev <alice>`, `* alice` or `-alice-`, and `<alice via
relaybot>` in place of a nick."""

_ID = r"(?P<id>\d{1,18})"
"""A message's id: SQLite's largest has 19 digits, and `int` refuses more than 4,300."""

_TRANSCRIPT_LINE = re.compile(rf"(?:\| )?\s*{_ID} \d\d:\d\d {_WHO}(?:\s|$)")
"""What `transcript.line_of` writes, `184213 14:23 #dev <alice> text`; behind `| ` in a file of the
backlog."""

_DATED_LINE = re.compile(
    rf"(?<!\w)\d{{4}}-\d\d-\d\d \d\d:\d\d {_WHO}"
    rf" .*\({_ID}\)(?: \S+/message/(?P=id))?\W*$"
)
"""What `transcript.dated_line` writes, `2026-11-05 14:23 #dev <alice> text (184213)`. Who copies it
may put it into a sentence: behind words, and with marks after it."""


def message_reference(line: str) -> MessageReference | None:
    """The message that a line quotes, as `line_of` or `dated_line` writes it; None for none.

    The first may be indented; the second may stand behind other words.
    """
    found = _TRANSCRIPT_LINE.match(line) or _DATED_LINE.search(line)
    if not found:
        return None
    return MessageReference(
        int(found["id"]),
        found["relayed"] or found["speaker"] or found["actor"] or found["noticer"],
    )


def quoted_messages(text: str) -> frozenset[int]:
    """The ids of the messages that the lines of a text quote."""
    found = map(message_reference, text.splitlines())
    return frozenset(reference.id for reference in found if reference)
