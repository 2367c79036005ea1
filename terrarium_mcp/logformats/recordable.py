"""From what a log says to a message to record. Pure."""

from collections.abc import Sequence
from datetime import datetime

from terrarium_mcp.chat.identity import is_channel
from terrarium_mcp.chat.irctext import is_secret, is_service
from terrarium_mcp.chat.on_record import NotRecorded, recorded_event, recorded_speech
from terrarium_mcp.chat.records import SPEECH, MessageType, NewMessage, Origin
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.logformats.entries import LogEvent


def recordable(
    event: LogEvent, network: str, channel: str, said_at: datetime, rules: VoiceRules
) -> NewMessage | NotRecorded:
    """The message to record by the rules of its network, or why it is left out."""
    if not event.nick:  # a client need not say who its user is
        return NotRecorded.NO_SENDER
    if event.private and is_channel(channel):
        return NotRecorded.PRIVATE
    kind, text = event.kind, event.text.replace("\0", "")  # no line of IRC has one
    if is_service(channel):
        return NotRecorded.SERVICE
    if not is_channel(channel):
        # A password with a slip of the keyboard, or services' answer, in whosever window that is.
        if is_service(event.nick):
            return NotRecorded.SERVICE
        if is_secret(f"{channel}@services {text}"):  # Q and X may be services, or people
            return NotRecorded.SECRET
    if kind in SPEECH:
        speech = recorded_speech(kind, event.nick, text, rules)
        if isinstance(speech, NotRecorded):
            return speech
        kind, text = speech
    else:
        text = recorded_event(kind, _parameters(kind, text))
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


def _parameters(kind: MessageType, text: str) -> Sequence[str]:
    """The text of an event as the parameters that its IRC message had."""
    if kind is MessageType.MODE:
        return text.split()
    return text.split(" ", 1) if kind is MessageType.KICK else [text]
