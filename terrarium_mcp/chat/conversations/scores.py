"""How well each choice suits a line: to answer one of some earlier lines, or to start something."""

from collections.abc import Sequence
from typing import Any

from terrarium_mcp.chat.conversations.common import Common, in_common
from terrarium_mcp.chat.conversations.history import Conversation, History, Turn
from terrarium_mcp.chat.conversations.scales import LINES_AGO, LONGEST, MINUTES, NEAR_OR_FAR
from terrarium_mcp.chat.conversations.starting import score_of_starting
from terrarium_mcp.chat.conversations.tables import OPENINGS, Tables
from terrarium_mcp.chat.conversations.window import Said


def scores(this: Said, found: Sequence[Turn], history: History, tables: Tables) -> list[Any]:
    """First the sum of entries for starting a conversation, then that for answering each turn.

    `found` comes latest first. Its loop is what runs most, a dozen times a line: what is the same
    for all lines of a speaker or of a conversation is looked up once, and names are local.
    """
    (relation, talked, thread, lengths, wordless, words, distance, openings,
     questions) = tables.answering  # fmt: skip
    now, place, me, mine = this.minute, this.place, this.by, set(this.named)
    opening, asks, length = this.opening * OPENINGS, this.asks * 2, this.length * 5
    myself = history.speakers[me]
    answered, last = myself.answered, myself.said[-1] if myself.said else None
    last_place, before = (last.said.place, 2) if last else (place, 3)
    common = in_common(this, found, history)
    with_turn = common.with_turn
    of_others: dict[int, tuple[int, int]] = {}
    to_me = 12 if this.named or this.stranger else 0
    of_conversations: dict[Conversation, tuple[int, int]] = {}
    calls = few = 0
    echo = 0, 0
    sums: list[Any] = [None]
    for turn in found:
        that, conversation, answer = turn.said, turn.conversation, turn.answers
        by, named, ago, minutes = that.by, that.named, place - that.place, now - that.minute
        if by == me:
            other, whom, elsewhere = 0, to_me, 0
        else:
            if (speaker := of_others.get(by)) is None:
                speaker = of_others[by] = _speaker(this, by, history)
            whom, elsewhere = speaker
            other = 1
        if (known := of_conversations.get(conversation)) is None:
            known = of_conversations[conversation] = _conversation(this, last, conversation, common)
        part, size = known
        call = 0
        if named:  # 0 nobody, 1 me, 2 somebody whom I name too, 3 somebody else
            if me in named:
                whom += 1
                call = 1
            else:
                whom += 3 if mine.isdisjoint(named) else 2
        # Where: 0 after my last line, 1 that line, 2 before it, 3 there is none.
        where = 0 if that.place > last_place else 1 if turn is last else before
        since = turn.since
        when = where * 3 + since
        after = size - turn.place
        if after > 1:
            after = 2 if after < 4 else 3
        if answer is None:
            up = 0
        elif answer is last:
            up = 1
        else:
            upper = answer.said.by
            up = 2 if upper == me else 3 if upper == by else 4
        if minutes > LONGEST:  # noqa: PLR1730 -- a call of min() takes four times as long
            minutes = LONGEST
        near = other * 4 + NEAR_OR_FAR[ago]
        long = (length + that.length) * 8 + near
        if with_turn and turn in with_turn:
            alike = common.alike(turn)
            if alike // 4 > echo[0]:
                echo = alike // 4, other + 1
            likeness = lengths[long] + words[alike * 8 + near]
            part += 48
        else:
            likeness = wordless[long]
        sums.append(
            relation[few * 384 + when * 32 + whom]
            + talked[up * 128 + elsewhere + whom]
            + thread[part + other * 24 + after * 6 + turn.replies * 2 + (turn in answered)]
            + likeness
            + distance[(other * 10 + LINES_AGO[ago]) * 9 + MINUTES[minutes]]
            + openings[(opening + that.opening) * 4 + other * 2 + (1 if since else 0)]
            + questions[((asks + that.asks) * 2 + other) * 12 + when]
        )
        if call:
            calls += 1
            few = min(calls, 2)
    sums[0] = score_of_starting(this, history, tables, calls, echo)
    return sums


def _speaker(this: Said, by: int, history: History) -> tuple[int, int]:
    """Does this line address somebody else, and do we speak elsewhere: parts of indexes.

    It addresses a speaker 0 not, naming nobody, 1 first of all, 2 besides, 3 not, naming others.
    """
    if not this.named:
        ours = 28 if this.stranger else 16
    else:
        ours = 20 if by == this.first else 24 if by in this.named else 28
    talks = history.window.talks
    if this.by not in talks or by not in talks[this.by]:
        return ours, 0
    return ours, history.window.talked(this.by, by, this.place) * 32


def _conversation(
    this: Said, last: Turn | None, conversation: Conversation, common: Common
) -> tuple[int, int]:
    """My part in a conversation with the words in common with it, a part of an index; its size.

    My part is 3 my last line, 2 other lines of mine, 1 to be named, 0 none.
    """
    if last is not None and last.conversation is conversation:
        part = 3
    else:
        part = 2 if this.by in conversation.spoke else 1 if this.by in conversation.named else 0
    topic = common.topic(conversation) if common.with_conversation else 0
    return (part * 4 + topic) * 96, conversation.size
