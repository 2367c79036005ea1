"""What of a log may be recorded: the rules of the live recorder, for lines of the past. Pure."""

from datetime import datetime
from enum import StrEnum

from terrarium_mcp.chat.irctext import action, is_ctcp, is_off_record, is_secret, without_keys
from terrarium_mcp.chat.records import SPEECH, MessageType, NewMessage, Origin
from terrarium_mcp.logformats.entries import LogEvent


class NotRecorded(StrEnum):
    """Why a message of a log is not recorded."""

    OFF_RECORD = "off the record"
    SECRET = "a password"  # noqa: S105 -- the reason, not one
    CTCP = "CTCP"


def recordable(
    event: LogEvent, network: str, channel: str, said_at: datetime
) -> NewMessage | NotRecorded:
    """The message to record, or why it is left out.

    A CTCP ACTION that a program logged as it was sent is an action; channel keys are removed.
    """
    kind, text = event.kind, event.text
    if kind in SPEECH:
        if (done := action(text)) is not None:
            kind, text = MessageType.ACTION, done
        if is_off_record(text):
            return NotRecorded.OFF_RECORD
        if is_secret(text):
            return NotRecorded.SECRET
        if is_ctcp(text):
            return NotRecorded.CTCP
    elif kind is MessageType.MODE:
        text = without_keys(text.split())
    elif kind is not MessageType.NICK and is_off_record(text):  # a reason or a topic
        text = ""
    return NewMessage(
        network=network,
        channel=channel,
        nick=event.nick,
        user=event.user,
        host=event.host,
        text=text,
        kind=kind,
        said_at=said_at,
        account=event.account,
        msgid=event.msgid,
        origin=Origin.IMPORT,
        own=False,
    )
