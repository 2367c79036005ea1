"""Look-ups for a question: those that can find nothing more are left out, and no line with them."""

from datetime import UTC, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.query.parsed_query import Query
from terrarium_mcp.chat.times.timestamps import BEGINNING, EVERY_LINE, to_text
from terrarium_mcp.store import Store
from terrarium_mcp.store.search.relevance.candidates import found_by
from terrarium_mcp.store.search.relevance.lookup import Lookup, any_word
from terrarium_mcp.store.search.relevance.question import PlainQuestion
from terrarium_mcp.store.search.scope import SearchScope
from terrarium_mcp.store.sqlite.index.sorted_runs import Run
from terrarium_mcp.store.sqlite.search.corpus import SqliteCorpus
from terrarium_mcp.store.sqlite.search.snapshot import Snapshot
from terrarium_mcp.store.sqlite.search.term_stats import TermStats
from tests.store.scene import NOON, chat

pytestmark = pytest.mark.usefixtures("at_once")

WORDS = ["tea", "gate", "fence", "milk"]
TALK = [[*pair] for pair in ("ab", "abc", "c", "bd", "acd", "a", "abcd")]
PARTS = st.builds(any_word, st.sets(st.sampled_from(WORDS), min_size=1), st.integers(0, 7))
MOMENTS = [to_text(NOON + timedelta(minutes=n)) for n in range(len(TALK))]
LOOKUPS = st.builds(
    Lookup,
    st.lists(PARTS, min_size=1, max_size=4).map(tuple),
    st.integers(1, 6),
    st.sampled_from([BEGINNING.timestamp, MOMENTS[1], MOMENTS[4]]),
    st.sampled_from([EVERY_LINE.timestamp, MOMENTS[2], MOMENTS[5]]),
)


async def corpus_of(store: Store, last_id: int) -> SqliteCorpus:
    """The corpus of a question to all rooms, in one run."""
    run = Run(1, last_id, MOMENTS[0], MOMENTS[last_id - 1])
    scope = SearchScope(query=Query(), rooms=await store.rooms.all(), all_rooms=True)
    snapshot = Snapshot(last_id, (run,), len(scope.rooms), TermStats(last_id))
    question = PlainQuestion(text="", scope=scope, now=NOON, zone=UTC, hits=20)
    return SqliteCorpus(store._database, snapshot, question)  # noqa: SLF001 -- the look-ups themselves


@given(st.lists(LOOKUPS, max_size=8, unique=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_together_look_ups_find_what_each_finds_by_itself(
    store: Store, lookups: list[Lookup]
) -> None:
    if not await store.rooms.all():
        said = [" ".join(WORDS["abcd".index(letter)] for letter in line) for line in TALK]
        await store.messages.append(chat("\n".join(f"<ada> {line}" for line in said)))
    corpus = await corpus_of(store, len(TALK))
    alone = {
        number
        for lookup in lookups
        for numbers in (await corpus.find([lookup])).values()
        for number in numbers
    }
    together = await found_by(lookups, corpus)
    assert {number for numbers in together.values() for number in numbers} == alone


async def test_what_a_wider_look_up_found_to_its_end_is_not_looked_up_again(store: Store) -> None:
    await store.messages.append(chat("<ada> tea\n<ada> tea and milk"))
    tea, milk = any_word(["tea"], 2), any_word(["milk"], 1)
    wide, narrow = Lookup((tea,), 3), Lookup((tea, milk), 3)
    assert await found_by([narrow, wide], await corpus_of(store, 2)) == {wide: [2, 1]}
