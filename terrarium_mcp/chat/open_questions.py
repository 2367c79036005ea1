"""Open questions: those of a stretch of talk for which no answer was found. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from terrarium_mcp.chat.disentanglement import ReplyLink
from terrarium_mcp.chat.disentanglement.words import UNSPECIFIC_WORDS
from terrarium_mcp.chat.identity import fold
from terrarium_mcp.chat.irctext import plain
from terrarium_mcp.chat.mentions import addressee
from terrarium_mcp.chat.question import is_worded_as_a_question, said_words
from terrarium_mcp.chat.question_marks import asking_part, ends_with_question_mark
from terrarium_mcp.chat.records import Message
from terrarium_mcp.chat.scripts import RUN_TOGETHER

_FEWEST_WORDS = 3
"""Words of a question that can be understood by itself; `really?` cannot."""

_FEWEST_LETTERS = 6
"""As many where words run together: those of Chinese and Japanese have about two letters."""

_RUN_TOGETHER = re.compile(f"[{RUN_TOGETHER}]")

_OF_ANY_QUESTION = UNSPECIFIC_WORDS | {
    "answer", "answers", "clue", "hand", "idea", "ideas", "knows", "question", "questions",
}  # fmt: skip
"""Words that do not say what a question is about: `can anyone help me?` repeats an earlier one."""

_ANSWERED_WITHIN = 3600.0
"""Seconds in which the next line of another person may answer a question. Of eight small channels,
11 questions were listed although they had an answer; with an hour in place of ten minutes it is 6,
and none that had no answer is missed for it. In busy logs laid out as a quiet channel, where other
talk begins every 20 minutes, it also takes 24 of 133 that had none from the list, and 10 of 43 that
had one."""

_AROUND, _FEW_LINES = 600.0, 8
"""Seconds before and after a question, and how many lines may be said in them: of more, the next
one is mostly other talk."""

Who = tuple[int, str]
"""A room, and a folded nick in it."""


def open_questions(
    groups: Iterable[Sequence[Message]], links: Iterable[ReplyLink], known: Collection[Who]
) -> list[Message]:
    """The questions for which no answer by another person was found, in the order of time.

    Doubtful links count as they do in conversations: who is told that nobody answered, and reads
    the reply there, believes neither. One that its asker repeats is told as they put it last.

    Args:
        groups: all that was said, by conversation.
        links: the reply links of these lines.
        known: people whom a line may call; a question that calls one of them is not for all.
    """
    groups = [*groups]
    answers = {link.line: link.answers for link in links}
    found = [one for group in groups for one in _unanswered_in(group, answers, known)]
    followed = set(_followed_by_an_answer((line for group in groups for line in group), known))
    waiting = sorted(
        (question for question in found if question.id not in followed),
        key=lambda message: message.position,
    )
    newest = {(_speaker(one), said_words(plain(one.text))): one for one in waiting}
    return sorted(newest.values(), key=lambda message: message.position)


def _unanswered_in(
    group: Sequence[Message], answers: Mapping[int, int | None], known: Collection[Who]
) -> Iterator[Message]:
    """The questions of one conversation that no other person answered.

    A reply to what the asker said next is an answer too, and so is a line that calls them; but not
    one that asks back.
    """
    places = {message.id: place for place, message in enumerate(group)}
    waiting = defaultdict[str, list[int]](list)  # the places of questions, by asker
    for place, message in enumerate(group):
        speaker, text = folded(message), plain(message.text)
        reached = dict[str, int]()  # up to which of their lines somebody is answered
        if not ends_with_question_mark(text):
            if (answered := places.get(answers.get(message.id) or 0)) is not None:
                reached[folded(group[answered])] = answered
            reached[addressee(text)] = place
        for asker, upto in reached.items():
            if asker != speaker and asker in waiting:
                waiting[asker] = [one for one in waiting[asker] if one > upto]
        if _is_complete(_asked(text)) and not _calls_another(message, known):
            waiting[speaker].append(place)
    yield from (group[place] for asked in waiting.values() for place in asked)


def _asked(text: str) -> str:
    """What a line asks: up to its last question mark, or all of it if its words ask without one."""
    return asking_part(text) or (text if is_worded_as_a_question(text) else "")


def _is_complete(asked: str) -> bool:
    """Whether a question can be understood by itself."""
    if len(_RUN_TOGETHER.findall(asked)) >= _FEWEST_LETTERS:
        return True
    return len(asked.split()) >= _FEWEST_WORDS and not _OF_ANY_QUESTION.issuperset(
        said_words(asked)
    )


def _calls_another(message: Message, known: Collection[Who]) -> bool:
    """Whether a line calls a person who is known, and not its own speaker."""
    called = addressee(plain(message.text))
    return called != folded(message) and (message.room.id, called) in known


def _followed_by_an_answer(said: Iterable[Message], known: Collection[Who]) -> Iterator[int]:
    """The ids of questions that the next line of another person may answer, by time and words.

    Where few talk and nobody names whom they answer, links miss one answer in five.
    """
    rooms = defaultdict[int, list[Message]](list)
    for message in sorted(said, key=lambda message: message.position):
        rooms[message.room.id].append(message)
    for lines in rooms.values():
        times = [message.said_at.timestamp() for message in lines]
        for place, question in enumerate(lines):
            if not _asked(plain(question.text)):
                continue
            asked = times[place]
            around = bisect_right(times, asked + _AROUND) - bisect_left(times, asked - _AROUND)
            end = bisect_right(times, asked + _ANSWERED_WITHIN)
            if around <= _FEW_LINES and _is_followed(lines[place:end], known):
                yield question.id


def _is_followed(lines: Sequence[Message], known: Collection[Who]) -> bool:
    """Whether another person goes on after the first of these lines, asking and naming nobody."""
    asker = folded(lines[0])
    after = next((line for line in lines if folded(line) != asker), None)
    if after is None or ends_with_question_mark(plain(after.text)):
        return False
    return addressee(plain(after.text)) == asker or not _calls_another(after, known)


def folded(message: Message) -> str:
    """The nick of whoever says a message, as its network compares it."""
    return fold(message.nick, message.room.casemapping)


def _speaker(message: Message) -> Who:
    return message.room.id, folded(message)
