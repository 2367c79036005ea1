"""What of a message may be recorded, whether it is heard now or read in a log of the past. Pure."""

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from terrarium_mcp.chat.irctext import (
    action,
    harmless,
    is_ctcp,
    is_off_record,
    is_secret,
    without_keys,
)
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.voices import VoiceRules

_REPEATS = re.compile(r'["(\[]|:\s')
"""Behind which a server repeats what somebody gave as a reason: `Quit: bye`, `"bye"` (ngIRCd),
`Closing Link: Terra (Killed (oper (bye)))`, `Closing link: (u@h) [Killed (oper (bye))]`."""

_MOST_REPEATED = 8
"""Places in a reason that are looked at: the last of these forms has five in front of it."""


class NotRecorded(StrEnum):
    """Why a message is not recorded."""

    OFF_RECORD = "off the record"
    SECRET = "with a password"  # noqa: S105 -- the reason, not one
    SERVICE = "to or from services"
    CTCP = "CTCP"
    PRIVATE = "in private"
    NO_SENDER = "of an unknown sender"
    PLAYED_BACK = "played back again"


class Speech(NamedTuple):
    """Speech to record: its type, which is ACTION for a CTCP ACTION, and its text."""

    kind: MessageType
    text: str


def recorded_speech(
    kind: MessageType, nick: str, text: str, rules: VoiceRules
) -> Speech | NotRecorded:
    """What is recorded of speech, or why nothing is.

    What somebody says through a relay is off the record if they say so, not the relay.
    """
    does = action(text)
    sent = text if does is None else does
    said = rules.said(nick, sent)
    if is_off_record(said, rules.prefix):
        return NotRecorded.OFF_RECORD
    if is_secret(said):
        return NotRecorded.SECRET
    if does is not None:
        return Speech(MessageType.ACTION, sent)
    return NotRecorded.CTCP if is_ctcp(text) else Speech(kind, sent)


def recorded_event(kind: MessageType, words: Sequence[str]) -> str:
    """The text of an event, given the parameters of the IRC message behind its channel.

    A reason or a topic that is off the record is left out, and so is a reason that sends a password
    to services; the event is recorded all the same.
    """
    match kind:
        case MessageType.JOIN:
            return ""
        case MessageType.MODE:
            return without_keys(words)
        case MessageType.TOPIC:  # one that begins like a password's command tells how to log in
            return " ".join([] if words and is_off_record(words[-1]) else words)
        case MessageType.PART | MessageType.QUIT:
            return " ".join(_on_record(words))
        case MessageType.KICK:
            return " ".join([*words[:1], *_on_record(words[1:])])
        case _:  # a nick, which may begin with [off]
            return " ".join(words)


def recorded_reason(does: str, words: Sequence[str]) -> str:
    """Why the bot left, as it is kept beside the messages: `kicked by ada: enough`.

    The reason that somebody gave is left out if it is empty, off the record or a password.
    """
    return harmless(": ".join([does, *filter(None, map(reason_on_record, words))]))


def reason_on_record(text: str) -> str:
    """A reason as it may be kept: empty if it is off the record or a password."""
    return "" if _is_withheld(text) else harmless(text)


def _on_record(words: Sequence[str]) -> Sequence[str]:
    return [] if words and _is_withheld(words[-1]) else words


def _is_withheld(reason: str) -> bool:
    """Whether a reason, or what it repeats of one, is off the record or sends a password."""
    repeated = (found.end() for found in islice(_REPEATS.finditer(reason), _MOST_REPEATED))
    parts = (reason[begins:] for begins in (0, *repeated))
    return any(is_off_record(part) or is_secret(part) for part in parts)
