"""What is left of replies, for `!more`. Pure."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.irc_bridge.answer.reply import Reply

MOST_KEPT = 200
"""Replies remembered, of at most 16 kB each: those that were said last."""


class NothingLeft(StrEnum):
    """Why `!more` has nothing to continue, as it says so."""

    SAID_WHOLE = "There is no more."
    STOPPED = "There is no more: the rest of that reply was stopped, and is lost. Ask again."
    LOST = "There is no more: the rest of that reply could not be said, and is lost. Ask again."
    UNKNOWN = "There is no more that I know of: what is left of a reply is lost when I restart."


@dataclass(frozen=True, slots=True)
class ReplyKey:
    """To whom a reply was said, and where.

    `channel` is "" in private, where `rooms` are those that it could see: a reply is continued
    there alone. `asker` is as in `Command.exact_person`.
    """

    channel: str
    asker: tuple[str, ...]
    rooms: tuple[str, ...] = ()


class _KeptReply(NamedTuple):
    """A reply, and why nothing of it is left if nothing is."""

    reply: Reply
    why_nothing: NothingLeft


@dataclass(slots=True)
class KeptReplies:
    """The last reply to each person in each place, with what is left of it."""

    _replies: BoundedDict[ReplyKey, _KeptReply] = field(
        default_factory=lambda: BoundedDict(MOST_KEPT)
    )

    def keep(self, key: ReplyKey, reply: Reply) -> None:
        """Note the last reply to a person, whether or not anything of it is left."""
        self._replies[key] = _KeptReply(reply, NothingLeft.SAID_WHOLE)

    def lose(self, key: ReplyKey, reply: Reply, why: NothingLeft) -> None:
        """Note the last reply to a person, of which nothing is left."""
        self._replies[key] = _KeptReply(replace(reply, now=(), more=()), why)

    def to_continue(self, key: ReplyKey, *, off_record: bool) -> tuple[ReplyKey, Reply] | None:
        """What `!more` of a person continues; None if nothing is left.

        It is the last reply to themselves, or else the latest to another person since then. What is
        private or off the record is continued for its asker alone, and nothing else if they are.
        """
        own = self._replies.get(key)
        if own and own.reply.more and (own.reply.is_off_record or not off_record):
            return key, own.reply
        if off_record or not key.channel:
            return None
        for other, (reply, _) in reversed(list(self._replies.items())):
            if other == key:
                return None
            if other.channel == key.channel and reply.more and not reply.is_off_record:
                return other, reply
        return None

    def renamed(self, asker: tuple[str, ...], now: tuple[str, ...]) -> None:
        """A person has another nick now: their replies are theirs, and no earlier bearer's."""
        if asker == now or not any(key.asker in (asker, now) for key in self._replies):
            return  # as nearly always
        kept = [(key, one) for key, one in self._replies.items() if key.asker != now]
        self._replies.clear()
        for key, one in kept:
            self._replies[replace(key, asker=now) if key.asker == asker else key] = one

    def why_nothing(self, key: ReplyKey) -> NothingLeft:
        """Why nothing is left for a person."""
        own = self._replies.get(key)
        return own.why_nothing if own else NothingLeft.UNKNOWN
