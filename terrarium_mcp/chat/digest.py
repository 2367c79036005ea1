"""Digest: what a person who was away should know of a stretch of the log. Pure, without a model.

The talk is divided into conversations by its reply links. A conversation is represented by the
line that opens it; a question without an answer found, and an arrival or departure, by themselves.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.disentanglement import (
    ReplyLink,
    conversations_in,
    without_silences,
)
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.mentions import mentions
from terrarium_mcp.chat.open_questions import Who, folded, open_questions
from terrarium_mcp.chat.opening_line import opening_line
from terrarium_mcp.chat.records import SPEECH, Message, MessageType
from terrarium_mcp.chat.urls import urls_in

_LEAVES = (MessageType.PART, MessageType.QUIT, MessageType.KICK)


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation: the line by which it is shown, its first and last line, and who spoke.

    `people` are nicks, those who said most first.
    """

    line: Message
    first: Message
    last: Message
    lines: int
    people: tuple[str, ...]

    @property
    def weight(self) -> tuple[bool, int]:
        """How much it matters: talk between people before anybody's monologue, then its length."""
        return len(self.people) > 1, self.lines


@dataclass(frozen=True, slots=True)
class PostedLink:
    """A URL, and the first message with it."""

    url: str
    message: Message


@dataclass(frozen=True, slots=True)
class Digest:
    """What a stretch of the log holds. `said` is all its speech, by so many `people`.

    Of that `alone` is in no conversation. This, `mentions`, `questions` (those for which no answer
    was found), `links` and `moves` (arrivals and departures of people who spoke, then or before)
    are in the order of time; the largest of `conversations` leads.
    """

    said: Sequence[Message]
    people: int
    alone: Sequence[Message]
    mentions: Sequence[Message]
    questions: Sequence[Message]
    conversations: Sequence[ConversationSummary]
    links: Sequence[PostedLink]
    moves: Sequence[Message]


def digest_of(
    messages: Sequence[Message],
    links: Sequence[ReplyLink],
    nick: str,
    spoke_before: Iterable[Who] = (),
) -> Digest:
    """The digest of a stretch of the log.

    Args:
        messages: its lines and events, oldest first, without commands and words of the bot.
        links: the reply link of each line, without leaps.
        nick: for whom; "" for nobody in particular.
        spoke_before: who spoke before it: they are told of too when they come or go.
    """
    said = {message.id: message for message in messages if message.kind in SPEECH}
    times = {message.id: message.said_at.timestamp() for message in said.values()}
    kept = [link for link in links if link.line in said]
    connected = conversations_in(kept)
    groups = [[said[link.line] for link in group] for group in connected]
    talks = [
        [said[link.line] for link in talk]
        for group in connected
        for talk in without_silences(group, times)
    ]
    together = {message.id for talk in talks if len(talk) > 1 for message in talk}
    spoke = {(one.room.id, folded(one)) for one in said.values()}.union(spoke_before)
    themselves = {(one.room.id, fold(nick, one.room.casemapping)) for one in messages}
    return Digest(
        said=[*said.values()],
        people=len({(message.room.network, folded(message)) for message in said.values()}),
        alone=[message for message in said.values() if message.id not in together],
        mentions=[message for message in said.values() if nick and _is_mention(message, nick)],
        questions=open_questions(groups, kept, spoke | themselves if nick else spoke),
        conversations=_summaries(talks),
        links=list(_posted(said.values())),
        moves=_moves(messages, spoke - themselves),
    )


def has_moves(messages: Iterable[Message]) -> bool:
    """Whether anybody comes or goes in a stretch of the log."""
    return any(_arrives(message) or message.kind in _LEAVES for message in messages)


def _is_mention(message: Message, nick: str) -> bool:
    casemapping = message.room.casemapping
    is_theirs = folded(message) == fold(nick, casemapping) and not message.via
    return not is_theirs and mentions(plain(message.text), nick, casemapping)


def _summaries(groups: Iterable[Sequence[Message]]) -> list[ConversationSummary]:
    summaries = [_summary(group) for group in groups if len(group) > 1]
    return sorted(summaries, key=lambda one: one.weight, reverse=True)


def _summary(group: Sequence[Message]) -> ConversationSummary:
    nicks = Counter(message.nick for message in group)
    return ConversationSummary(
        line=group[opening_line([message.text for message in group])],
        first=group[0],
        last=group[-1],
        lines=len(group),
        people=tuple(nick for nick, _ in nicks.most_common()),
    )


def _posted(said: Iterable[Message]) -> Iterator[PostedLink]:
    """Each URL once, where it was posted first."""
    known = set[str]()
    for message in said:
        if "://" in message.text:  # few lines
            for url in urls_in(message.text):
                if url not in known:
                    known.add(url)
                    yield PostedLink(url, message)


def _moves(messages: Iterable[Message], told: set[Who]) -> list[Message]:
    """The newest arrival or departure of each of these people, unless it undoes another.

    Who lost the connection and came back neither arrived nor left. A QUIT is told once for all
    rooms.
    """
    moves = defaultdict[Who, list[Message]](list)
    for message in messages:
        if _arrives(message) or message.kind in _LEAVES:
            moves[message.room.id, _mover(message)].append(message)
    newest = [
        theirs[-1]
        for who, theirs in moves.items()
        if who in told and _arrives(theirs[0]) == _arrives(theirs[-1])
    ]
    once = {
        (move.room.network, folded(move)) if move.kind is MessageType.QUIT else move.id: move
        for move in newest
    }
    return sorted(once.values(), key=lambda message: message.position)


def _arrives(message: Message) -> bool:
    return message.kind is MessageType.JOIN


def _mover(message: Message) -> str:
    """The folded nick of who comes or goes: in a KICK, its target."""
    if message.kind is MessageType.KICK:
        return fold(message.text.partition(" ")[0], message.room.casemapping)
    return folded(message)
