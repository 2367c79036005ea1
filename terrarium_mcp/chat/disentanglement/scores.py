"""Scores each choice of an utterance: answering a candidate, or starting a conversation."""

from collections.abc import Sequence
from typing import Any

from terrarium_mcp.chat.disentanglement.buckets import LINES_AGO, MAX_MINUTES, MINUTES, NEAR_OR_FAR
from terrarium_mcp.chat.disentanglement.start_score import score_of_starting
from terrarium_mcp.chat.disentanglement.tables import AnsweringTables, ScoreTables, Table
from terrarium_mcp.chat.disentanglement.thread_state import PlacedUtterance, Thread, ThreadState
from terrarium_mcp.chat.disentanglement.window import UtteranceFeatures
from terrarium_mcp.chat.disentanglement.word_overlap import WordOverlap, word_overlap


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
    last_index, before = (last.features.index, 2) if last else (index, 3)
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
        if not named:  # whom that one addresses: 0 nobody, 1 me, 2 somebody I address, 3 others
            naming = 0
        elif me in named:
            naming = 1
        else:
            naming = 3 if mine.isdisjoint(named) else 2
        # Where: 0 after my last utterance, 1 that one, 2 before it, 3 there is none.
        where = 0 if that.index > last_index else 1 if candidate is last else before
        since = candidate.since
        after = thread.size - candidate.rank_in_thread
        if after > 1:
            after = 2 if after < 4 else 3
        if answer is None:  # what that one answers: 0 nothing, 1 my last, 2 mine, 3 its own speaker
            up = 0
        elif answer is last:
            up = 1
        else:
            upper = answer.features.by
            up = 2 if upper == me else 3 if upper == by else 4
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
            + talked[naming][up]
            + thread_table[overlaps][other][after][candidate.replies][candidate in answered]
            + likeness
            + distance[other][LINES_AGO[ago]][MINUTES[minutes]]
            + openings[that.kind][other][1 if since else 0]
            + questions[that.asks][other][where][since]
        )
        if naming == 1:
            calls += 1
            calls_since = min(calls, 2)
    sums[0] = score_of_starting(this, state, tables.starting, calls, echo)
    return sums


def _speaker_tables(
    this: UtteranceFeatures, by: int, state: ThreadState, answering: AnsweringTables
) -> tuple[Table, Table]:
    """The parts of `relation` and `talked` for all utterances by one speaker.

    This utterance addresses that speaker: 0 not, it names nobody; 1 first of all; 2 among others;
    3 not, it names others.
    """
    named = bool(this.named or this.stranger)
    if by == this.by:
        other, addressing, elsewhere = 0, 3 if named else 0, 0
    else:
        other = 1
        addressing = 3 if named else 0
        if by in this.named:
            addressing = 1 if by == this.first else 2
        elsewhere = state.window.talked(this.by, by, this.index)
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
    """The part of `thread` for all utterances of one thread.

    My part in it is 3 my last utterance, 2 earlier ones of mine, 1 being named, 0 none.
    """
    if last is not None and last.thread is thread:
        part = 3
    else:
        part = 2 if this.by in thread.spoke else 1 if this.by in thread.named else 0
    shared = overlap.thread_bucket(thread) if overlap.with_thread else 0
    table: Table = answering.thread[part][shared]
    return table
