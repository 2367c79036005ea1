"""Digest: what a person who was away should know of a stretch of the log. Pure, without a model.

The talk is divided into conversations by its reply links. A conversation is represented by the
line that opens it; a question without an answer found, and an arrival or departure, by themselves.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from terrarium_mcp.chat.disentanglement import (
    ReplyLink,
    conversations_in,
    without_silences,
)
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.mentions import addressee, mentions
from terrarium_mcp.chat.opening_line import opening_line
from terrarium_mcp.chat.question_marks import asking_part, ends_with_question_mark
from terrarium_mcp.chat.records import SPEECH, Message, MessageType
from terrarium_mcp.chat.scripts import RUN_TOGETHER
from terrarium_mcp.chat.urls import urls_in

_FEWEST_WORDS = 3
"""Words of a question that can be understood by itself; `really?` cannot."""

_FEWEST_LETTERS = 6
"""As many where words run together: those of Chinese and Japanese have about two letters."""

_RUN_TOGETHER = re.compile(f"[{RUN_TOGETHER}]")

_ANSWERED_WITHIN = 3600.0
"""Seconds in which the next line of another person may answer a question. Of eight small channels,
11 questions were listed although they had an answer; with an hour in place of ten minutes it is 6,
and none that had no answer is missed for it. In busy logs laid out as a quiet channel, where other
talk begins every 20 minutes, it also takes 24 of 133 that had none from the list, and 10 of 43 that
had one."""

_AROUND, _FEW_LINES = 600.0, 8
"""Seconds before and after a question, and how many lines may be said in them: of more, the next
one is mostly other talk."""

_LEAVES = (MessageType.PART, MessageType.QUIT, MessageType.KICK)

Who = tuple[int, str]
"""A room, and a folded nick in it."""


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
    speakers = {(one.room.id, folded(one)) for one in said.values()}
    themselves = {(one.room.id, fold(nick, one.room.casemapping)) for one in messages}
    return Digest(
        said=[*said.values()],
        people=len({(message.room.network, folded(message)) for message in said.values()}),
        alone=[message for message in said.values() if message.id not in together],
        mentions=[message for message in said.values() if nick and _is_mention(message, nick)],
        questions=_unanswered(groups, kept, set(_followed_by_an_answer(said.values(), nick))),
        conversations=_summaries(talks),
        links=list(_posted(said.values())),
        moves=_moves(messages, speakers.union(spoke_before) - themselves),
    )


def has_moves(messages: Iterable[Message]) -> bool:
    """Whether anybody comes or goes in a stretch of the log."""
    return any(_arrives(message) or message.kind in _LEAVES for message in messages)


def folded(message: Message) -> str:
    """The nick of whoever says a message, as its network compares it."""
    return fold(message.nick, message.room.casemapping)


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


def _unanswered(
    groups: Iterable[Sequence[Message]], links: Iterable[ReplyLink], followed: set[int]
) -> list[Message]:
    """The questions for which no answer by another person was found, in the order of time.

    Doubtful links count as they do in conversations: who is told that nobody answered, and reads
    the reply there, believes neither. The ids in `followed` are of questions answered in any case.
    """
    answers = {link.line: link.answers for link in links}
    found = [question for group in groups for question in _unanswered_in(group, answers)]
    return sorted(
        (question for question in found if question.id not in followed),
        key=lambda message: message.position,
    )


def _followed_by_an_answer(said: Iterable[Message], nick: str) -> Iterator[int]:
    """The ids of questions that the next line of another person may answer, by time and words.

    Where few talk and nobody names whom they answer, links miss one answer in five. Lines call
    the people who speak, and the one with this nick, who was away.
    """
    rooms = defaultdict[int, list[Message]](list)
    for message in said:
        rooms[message.room.id].append(message)
    for lines in rooms.values():
        times = [message.said_at.timestamp() for message in lines]
        absent = {fold(nick, lines[0].room.casemapping)} if nick else set()
        nicks = absent.union(map(folded, lines))
        for place, question in enumerate(lines):
            if not asking_part(plain(question.text)):
                continue
            asked = times[place]
            around = bisect_right(times, asked + _AROUND) - bisect_left(times, asked - _AROUND)
            end = bisect_right(times, asked + _ANSWERED_WITHIN)
            if around <= _FEW_LINES and _is_followed(lines[place:end], nicks):
                yield question.id


def _is_followed(lines: Sequence[Message], nicks: set[str]) -> bool:
    """Whether another person goes on after the first of these lines, asking and naming nobody."""
    asker = folded(lines[0])
    after = next((line for line in lines if folded(line) != asker), None)
    if after is None:
        return False
    text = plain(after.text)
    return not ends_with_question_mark(text) and addressee(text) not in nicks - {asker}


def _unanswered_in(
    group: Sequence[Message], answers: Mapping[int, int | None]
) -> Iterator[Message]:
    """The questions of one conversation that no other person answered.

    A reply to what the asker said next is an answer too, and so is a line that calls them.
    """
    places = {message.id: place for place, message in enumerate(group)}
    waiting = defaultdict[str, list[int]](list)  # the places of questions, by asker
    for place, message in enumerate(group):
        speaker, text = folded(message), plain(message.text)
        reached = dict[str, int]()  # up to which of their lines somebody is answered
        if (answered := places.get(answers.get(message.id) or 0)) is not None:
            reached[folded(group[answered])] = answered
        reached[addressee(text)] = place
        for asker, upto in reached.items():
            if asker != speaker and asker in waiting:
                waiting[asker] = [one for one in waiting[asker] if one > upto]
        if _is_complete(asking_part(text)):
            waiting[speaker].append(place)
    yield from (group[place] for asked in waiting.values() for place in asked)


def _is_complete(text: str) -> bool:
    """Whether a question can be understood by itself."""
    return len(text.split()) >= _FEWEST_WORDS or len(_RUN_TOGETHER.findall(text)) >= _FEWEST_LETTERS


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
