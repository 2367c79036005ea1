"""Scores each choice of an utterance: answering a candidate, or starting a conversation."""

from collections.abc import Sequence
from typing import Any

from terrarium_mcp.chat.disentanglement.buckets import LINES_AGO, MAX_MINUTES, MINUTES, NEAR_OR_FAR
from terrarium_mcp.chat.disentanglement.start_score import score_of_starting
from terrarium_mcp.chat.disentanglement.tables import AnsweringTables, ScoreTables, Table
from terrarium_mcp.chat.disentanglement.thread_state import PlacedUtterance, Thread, ThreadState
from terrarium_mcp.chat.disentanglement.window import UtteranceFeatures
from terrarium_mcp.chat.disentanglement.word_overlap import WordOverlap, word_overlap

# The values of the facts that select an entry; "I" is the speaker of the utterance being scored.
# They are plain numbers, not members of an enum, which take twice as long to index with.

_NAMES_NOBODY, _NAMES_ME, _NAMES_ONE_I_NAME, _NAMES_OTHERS = range(4)
"""Whom the earlier utterance names."""

_AFTER_MY_LAST, _IS_MY_LAST, _BEFORE_MY_LAST, _I_HAVE_NONE = range(4)
"""Where the earlier utterance is, seen from my last one."""

_ANSWERS_NOTHING, _ANSWERS_MY_LAST, _ANSWERS_ME, _ANSWERS_ITSELF, _ANSWERS_OTHERS = range(5)
"""What the earlier utterance answers: my last one, another of mine, one of its own speaker."""

_I_NAME_NOBODY, _I_NAME_THEM_FIRST, _I_NAME_THEM_TOO, _I_NAME_OTHERS = range(4)
"""How I address the speaker of the earlier utterance."""

_NO_PART, _NAMED_IN_IT, _SPOKE_IN_IT, _SPOKE_LAST_IN_IT = range(4)
"""My part in the thread; the last one says that my last utterance is in it."""


def score_choices(
    this: UtteranceFeatures,
    candidates: Sequence[PlacedUtterance],
    state: ThreadState,
    tables: ScoreTables,
) -> list[Any]:
    """The sum of entries for starting a conversation, then that for answering each candidate.

    `candidates` come latest first. This loop runs a dozen times for each utterance: the part of a
    table that is the same for all candidates of a speaker or thread is looked up once, and the rest
    of the names are local.
    """
    answering = tables.answering
    words, distance = answering.words, answering.distance
    lengths, wordless = answering.lengths[this.length], answering.wordless[this.length]
    openings, questions = answering.openings[this.kind], answering.questions[this.asks]
    now, index, me, mine = this.minute, this.index, this.by, set(this.named)
    myself = state.speakers[me]
    answered, last = myself.answered, myself.said[-1] if myself.said else None
    if last:
        last_index, otherwise = last.features.index, _BEFORE_MY_LAST
    else:
        last_index, otherwise = index, _I_HAVE_NONE
    overlap = word_overlap(this, candidates, state)
    overlapping = overlap.with_utterance
    of_speaker: dict[int, tuple[Table, Table]] = {}
    of_thread: dict[Thread, Table] = {}
    calls = calls_since = 0
    echo = 0, 0
    sums: list[Any] = [None]
    for candidate in candidates:
        that, thread, answer = candidate.features, candidate.thread, candidate.answers
        by, named, ago, minutes = that.by, that.named, index - that.index, now - that.minute
        other = 0 if by == me else 1
        if (tables_of := of_speaker.get(by)) is None:
            tables_of = of_speaker[by] = _speaker_tables(this, by, state, answering)
        relation, talked = tables_of
        if (thread_table := of_thread.get(thread)) is None:
            thread_table = of_thread[thread] = _thread_table(this, last, thread, overlap, answering)
        if not named:
            naming = _NAMES_NOBODY
        elif me in named:
            naming = _NAMES_ME
        else:
            naming = _NAMES_OTHERS if mine.isdisjoint(named) else _NAMES_ONE_I_NAME
        if that.index > last_index:
            where = _AFTER_MY_LAST
        else:
            where = _IS_MY_LAST if candidate is last else otherwise
        since = candidate.since
        after = thread.size - candidate.rank_in_thread  # in its thread: 0, 1, 2 to 3, or more
        if after > 1:
            after = 2 if after < 4 else 3
        if answer is None:
            above = _ANSWERS_NOTHING
        elif answer is last:
            above = _ANSWERS_MY_LAST
        elif (answered_by := answer.features.by) == me:
            above = _ANSWERS_ME
        else:
            above = _ANSWERS_ITSELF if answered_by == by else _ANSWERS_OTHERS
        if minutes > MAX_MINUTES:  # noqa: PLR1730 -- a call of min() takes four times as long
            minutes = MAX_MINUTES
        near = NEAR_OR_FAR[ago]
        if overlapping and candidate in overlapping:
            overlaps = 1
            share, rarity = overlap.buckets(candidate)
            if share > echo[0]:
                echo = share, other + 1
            likeness = lengths[that.length][other][near] + words[share][rarity][other][near]
        else:
            overlaps = 0
            likeness = wordless[that.length][other][near]
        sums.append(
            relation[naming][calls_since][where][since]
            + talked[naming][above]
            + thread_table[overlaps][other][after][candidate.replies][candidate in answered]
            + likeness
            + distance[other][LINES_AGO[ago]][MINUTES[minutes]]
            + openings[that.kind][other][1 if since else 0]
            + questions[that.asks][other][where][since]
        )
        if naming == _NAMES_ME:
            calls += 1
            calls_since = min(calls, 2)
    sums[0] = score_of_starting(this, state, tables.starting, calls, echo)
    return sums


def _speaker_tables(
    this: UtteranceFeatures, by: int, state: ThreadState, answering: AnsweringTables
) -> tuple[Table, Table]:
    """The parts of `relation` and `talked` for all utterances by one speaker."""
    other, elsewhere = (
        (0, 0) if by == this.by else (1, state.window.talked(this.by, by, this.index))
    )
    if other and by in this.named:
        addressing = _I_NAME_THEM_FIRST if by == this.first else _I_NAME_THEM_TOO
    else:
        addressing = _I_NAME_OTHERS if this.named or this.stranger else _I_NAME_NOBODY
    return (
        answering.relation[other][addressing],
        answering.talked[other][addressing][elsewhere],
    )


def _thread_table(
    this: UtteranceFeatures,
    last: PlacedUtterance | None,
    thread: Thread,
    overlap: WordOverlap,
    answering: AnsweringTables,
) -> Table:
    """The part of `thread` for all utterances of one thread."""
    if last is not None and last.thread is thread:
        part = _SPOKE_LAST_IN_IT
    elif this.by in thread.spoke:
        part = _SPOKE_IN_IT
    else:
        part = _NAMED_IN_IT if this.by in thread.named else _NO_PART
    shared = overlap.thread_bucket(thread) if overlap.with_thread else 0
    table: Table = answering.thread[part][shared]
    return table
