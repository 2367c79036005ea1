"""Follows people who opted out through the changes of nick of a log without hosts. Pure."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.opt_outs import REMOVED_NAME, OptOuts
from terrarium_mcp.chat.records import MessageType, NewMessage

_NAME_IN_MODE = re.compile(r"[^ !@:*?]+")
"""What may be a nick among the arguments of a MODE, also within a mask."""

_Seat = tuple[str, str, str]
"""Network, channel and nick, folded."""


class _TakenNick(NamedTuple):
    """Somebody who opted out: the nick by which they are known, and since when it is another."""

    known_as: str
    since: datetime


class FollowedNicks:
    """The nicks that people who opted out have taken, by channel, as its logs tell so far.

    A nick is followed from the moment of the change on, until it leaves the channel or changes, or
    somebody comes with it: a log does not always show who left.
    """

    def __init__(self) -> None:
        self._taken: dict[_Seat, _TakenNick] = {}

    def permitted(self, message: NewMessage, opt_outs: OptOuts) -> NewMessage | None:
        """What may be written of the next message of a log, as `OptOuts.permitted`."""
        if message.kind is MessageType.JOIN:
            self._forget(message, message.nick, opt_outs)
        allowed = opt_outs.permitted(message)
        if allowed and self._taken:
            allowed = self._permitted_by_names(allowed, opt_outs)
        self._follow(message, opt_outs, is_refused=allowed is None)
        return allowed

    def _permitted_by_names(self, message: NewMessage, opt_outs: OptOuts) -> NewMessage | None:
        """The same, by the nicks by which those are known whom it names, or who sent it."""

        def known_as(nick: str) -> str:
            taken = self._taken.get(_seat(message, nick, opt_outs))
            return taken.known_as if taken and taken.since <= message.said_at else nick

        if (name := known_as(message.nick)) != message.nick:
            by_name = message._replace(nick=name, user="", host="", account="")
            if not opt_outs.permitted(by_name):
                return None
        if message.kind is MessageType.KICK:
            target, _, reason = message.text.partition(" ")
            by_name = message._replace(text=f"{known_as(target)} {reason}")
            return message if opt_outs.permitted(by_name) else None
        if message.kind is MessageType.MODE:
            return message._replace(text=_without_names(message, known_as, opt_outs))
        return message

    def _follow(self, message: NewMessage, opt_outs: OptOuts, *, is_refused: bool) -> None:
        """Note who has which nick after a message."""
        match message.kind:
            case MessageType.NICK:
                before = self._forget(message, message.nick, opt_outs)
                self._forget(message, message.text, opt_outs)
                if is_refused:
                    known_as = before.known_as if before else message.nick
                    seat = _seat(message, message.text, opt_outs)
                    self._taken[seat] = _TakenNick(known_as, message.said_at)
            case MessageType.PART | MessageType.QUIT:
                self._forget(message, message.nick, opt_outs)
            case MessageType.KICK:
                self._forget(message, message.text.partition(" ")[0], opt_outs)

    def _forget(self, message: NewMessage, nick: str, opt_outs: OptOuts) -> _TakenNick | None:
        return self._taken.pop(_seat(message, nick, opt_outs), None)


def _without_names(message: NewMessage, known_as: Callable[[str], str], opt_outs: OptOuts) -> str:
    """The text of a MODE with `*` for each argument that names somebody who is followed."""
    words = message.text.split(" ")
    by_name = [_NAME_IN_MODE.sub(lambda match: known_as(match[0]), word) for word in words]
    allowed = opt_outs.permitted(message._replace(text=" ".join(by_name)))
    told = allowed.text.split(" ") if allowed else words
    return " ".join(
        REMOVED_NAME if one == REMOVED_NAME else word for one, word in zip(told, words, strict=True)
    )


def _seat(message: NewMessage, nick: str, opt_outs: OptOuts) -> _Seat:
    casemapping = opt_outs.casemapping(message.network)
    return message.network, fold(message.channel, casemapping), fold(nick, casemapping)
