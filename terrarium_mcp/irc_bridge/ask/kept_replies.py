"""What is left of replies, for `!more`. Pure."""

from dataclasses import dataclass, field
from enum import StrEnum

from terrarium_mcp.bounded_dict import BoundedDict
from terrarium_mcp.irc_bridge.answer.reply import Reply

MOST_KEPT = 200
"""Replies remembered, of at most 16 kB each: those that were said last."""


class NothingLeft(StrEnum):
    """Why `!more` has nothing to continue, as it says so."""

    SAID_WHOLE = "There is no more."
    LOST = "There is no more: the rest of that reply could not be said, and is lost. Ask again."
    UNKNOWN = "There is no more that I know of: what is left of a reply is lost when I restart."


@dataclass(frozen=True, slots=True)
class ReplyKey:
    """To whom a reply was said, and where.

    `scope` is its channel or private chat, in private with the rooms that it could see: a reply is
    continued there alone.
    """

    scope: tuple[str, ...]
    asker: tuple[str, ...]


@dataclass(slots=True)
class KeptReplies:
    """The last reply to each person in each place, with what is left of it."""

    _replies: BoundedDict[ReplyKey, Reply] = field(default_factory=lambda: BoundedDict(MOST_KEPT))

    def keep(self, key: ReplyKey, reply: Reply) -> None:
        """Note the last reply to somebody, whether or not anything of it is left."""
        self._replies[key] = reply

    def to_continue(self, key: ReplyKey, *, off_record: bool) -> tuple[ReplyKey, Reply] | None:
        """What `!more` of somebody continues; None if nothing is left.

        It is the last reply to themselves, or else the latest to somebody else since then. What is
        off the record is continued for its asker alone, and nothing else if they are.
        """
        own = self._replies.get(key)
        if own and own.more and (own.is_off_record or not off_record):
            return key, own
        if off_record:
            return None
        for other, reply in reversed(list(self._replies.items())):
            if other == key:
                return None
            if other.scope == key.scope and reply.more and not reply.is_off_record:
                return other, reply
        return None

    def why_nothing(self, key: ReplyKey) -> NothingLeft:
        """Why nothing is left for somebody."""
        own = self._replies.get(key)
        if own is None:
            return NothingLeft.UNKNOWN
        return NothingLeft.LOST if own.is_lost else NothingLeft.SAID_WHOLE
