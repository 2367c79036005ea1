"""Look-ups for a question: those that can find nothing more are left out, and no line with them."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium_mcp.store import Store
from terrarium_mcp.store.search.relevance.candidates import Candidates, Lookup, Part
from terrarium_mcp.store.search.stretches import Ids
from tests.store.scene import chat

WORDS = ["tea", "gate", "fence", "milk"]
TALK = [[*pair] for pair in ("ab", "abc", "c", "bd", "acd", "a", "abcd")]
SOME = st.frozensets(st.sampled_from([f'message : "{word}"' for word in WORDS]), min_size=1)
PARTS = st.lists(st.builds(Part, SOME, st.integers(0, 7)), min_size=1, max_size=4)
LOOKS = st.builds(
    Lookup,
    PARTS.map(tuple),
    st.integers(1, 6),
    st.sampled_from([(Ids(1, 7),), (Ids(4, 7), Ids(1, 3)), (Ids(2, 5),), (Ids(3, 3),)]),
)


@given(st.lists(LOOKS, max_size=8, unique=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_together_look_ups_find_what_each_finds_by_itself(
    store: Store, looks: list[Lookup]
) -> None:
    if not await store.rooms.all():
        said = [" ".join(WORDS["abcd".index(letter)] for letter in line) for line in TALK]
        await store.messages.append(chat("\n".join(f"<ada> {line}" for line in said)))
    candidates = Candidates(store._database)  # noqa: SLF001 -- the look-ups themselves
    alone = [number for look in looks for number in (await candidates.find([look]))[look]]
    together = await candidates.find(looks)
    assert {number for numbers in together.values() for number in numbers} == set(alone)


async def test_what_a_wider_look_up_found_to_its_end_is_not_looked_up_again(store: Store) -> None:
    await store.messages.append(chat("<ada> tea\n<ada> tea and milk"))
    tea, milk = (Part(frozenset([f'message : "{word}"']), 2) for word in ("tea", "milk"))
    wide, narrow = Lookup((tea,), 3, (Ids(1, 2),)), Lookup((tea, milk), 3, (Ids(1, 2),))
    candidates = Candidates(store._database)  # noqa: SLF001
    assert await candidates.find([narrow, wide]) == {wide: [2, 1]}
