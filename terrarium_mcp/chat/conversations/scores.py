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
    (relation, distance, openings, questions, lengths, words, topic, talked, thread, above,
     callers) = tables.answering  # fmt: skip
    now, place, me, mine = this.minute, this.place, this.by, set(this.named)
    opening, asks, length = this.opening * OPENINGS, this.asks * 2, this.length * 5
    myself = history.speakers[me]
    answered, last = myself.answered, myself.said[-1] if myself.said else None
    last_place, before = (last.said.place, 2) if last else (place, 3)
    common = in_common(this, history)
    with_turn = common.with_turn
    of_speakers: dict[int, tuple[int, int, int, int]] = {}
    of_conversations: dict[Conversation, tuple[int, int, int]] = {}
    calls = few = 0
    echo = 0, 0
    sums: list[Any] = [None]
    for turn in found:
        that, conversation, answer = turn.said, turn.conversation, turn.answers
        by, named, ago, minutes = that.by, that.named, place - that.place, now - that.minute
        if (speaker := of_speakers.get(by)) is None:
            speaker = of_speakers[by] = _speaker(this, by, history)
        other, whom, elsewhere, spoken = speaker
        if (known := of_conversations.get(conversation)) is None:
            known = of_conversations[conversation] = _conversation(this, last, conversation, common)
        part, size, shared = known
        call = 0
        if named:  # 0 nobody, 1 me, 2 somebody whom I name too, 3 somebody else
            if me in named:
                whom += 1
                call = 1
            else:
                whom += 3 if mine.isdisjoint(named) else 2
        # Where: 0 after my last line, 1 that line, 2 before it, 3 there is none.
        where = 0 if that.place > last_place else 1 if turn is last else before
        since = spoken - turn.nth
        if since > 2:  # noqa: PLR1730 -- a call of min() takes four times as long
            since = 2
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
        if minutes > LONGEST:  # noqa: PLR1730 -- likewise
            minutes = LONGEST
        near = other * 4 + NEAR_OR_FAR[ago]
        alike = line = 0
        if turn in with_turn:
            alike, line = common.alike(turn), 2
            if alike // 4 > echo[0]:
                echo = alike // 4, other + 1
        sums.append(
            relation[(whom * 12 + when) * 2 + (1 if call and not calls else 0)]
            + distance[(other * 10 + LINES_AGO[ago]) * 9 + MINUTES[minutes]]
            + openings[(opening + that.opening) * 4 + other * 2 + (1 if since else 0)]
            + questions[((asks + that.asks) * 2 + other) * 12 + when]
            + lengths[(length + that.length) * 8 + near]
            + words[alike * 8 + near]
            + topic[shared + line + other]
            + talked[elsewhere + whom]
            + thread[part + other * 24 + after * 6 + turn.replies * 2 + (turn in answered)]
            + above[up * 32 + whom]
            + callers[(where * 3 + few) * 32 + whom]
        )
        if call:
            calls += 1
            few = min(calls, 2)
    sums[0] = score_of_starting(this, history, tables, calls, echo)
    return sums


def _speaker(this: Said, by: int, history: History) -> tuple[int, int, int, int]:
    """Is it somebody else, whom this line addresses, do we speak elsewhere, and their lines so far.

    The first three are parts of indexes. A line addresses a speaker 0 not, naming nobody, 1 first
    of all, 2 besides, 3 not, naming others.
    """
    other = 0 if by == this.by else 1
    if not this.named:
        ours = 3 if this.stranger else 0
    else:
        ours = 1 if by == this.first else 2 if by in this.named else 3
    elsewhere = history.window.talked(this.by, by, this.place) * 32 if other else 0
    return other, other * 16 + ours * 4, elsewhere, len(history.speakers[by].said)


def _conversation(
    this: Said, last: Turn | None, conversation: Conversation, common: Common
) -> tuple[int, int, int]:
    """My part in a conversation, its size, and words in common with it: parts of indexes.

    My part is 3 my last line, 2 other lines of mine, 1 to be named, 0 none.
    """
    if last is not None and last.conversation is conversation:
        part = 3
    else:
        part = 2 if this.by in conversation.spoke else 1 if this.by in conversation.named else 0
    return part * 48, conversation.size, part * 16 + common.topic(conversation) * 4
