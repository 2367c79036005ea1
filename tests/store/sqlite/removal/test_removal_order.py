"""Lines are added, redacted, purged and grow old in any order: derived data stays correct."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import PurgeTarget, Store, open_store
from terrarium_mcp.store.sqlite.removal.retention import Retention
from terrarium_mcp.store.sqlite.trusted_time import SteadyClock
from tests.conftest import STORIES
from tests.store.scene import (
    NOON,
    SETTINGS,
    check_index,
    differences,
    find,
    line_of,
    redact,
    rows_of,
)


@dataclass(frozen=True)
class Redact:
    number: int


@dataclass(frozen=True)
class Purge:
    who: PurgeTarget


@dataclass(frozen=True)
class Grow:
    """Whatever is older than so many days goes."""

    days: int


@dataclass(frozen=True)
class Index:
    """What waits for its group is indexed; the lines after it wait."""


NICKS, NETWORKS = ("ada", "Ada", "bo", "[cy]", "{CY}"), ("net", "other")


@st.composite
def heard(draw: st.DrawFn) -> NewMessage:
    line = line_of(
        draw(st.sampled_from(NICKS)),
        draw(st.sampled_from(["tea", "is it tea?", "https://tea.example/x", "ada", "{cy}", ""])),
        NOON - timedelta(days=draw(st.integers(0, 9)), seconds=draw(st.integers(0, 3))),
        draw(st.sampled_from(["#tea", "#mate", "Terra", "ADA"])),
        draw(st.sampled_from(MessageType)),
        draw(st.sampled_from(Origin)),
        draw(st.sampled_from(NETWORKS)),
    )
    return line._replace(account=draw(st.sampled_from(["", "countess"])))


steps = st.one_of(
    st.lists(heard(), min_size=1, max_size=8),
    st.builds(Redact, st.integers(1, 30)),
    st.builds(
        Purge, st.builds(PurgeTarget, st.sampled_from(NICKS), st.sampled_from(["", *NETWORKS]))
    ),
    st.builds(Grow, st.integers(1, 9)),
    st.builds(Index),
)


async def play(store: Store, script: Sequence[Any]) -> set[int]:
    """Let happen what a script says; returns the ids of what must be gone."""
    gone: set[int] = set()
    for step in script:
        match step:
            case Redact(number):
                if await redact(store, number):
                    gone.add(number)
            case Purge(who):
                await store.removal.purge(who, asked_by="op", at=NOON)
                assert (await store.removal.traces(who)).total == 0
            case Grow(days):
                grown = Settings(network="net", retention_days=days)
                clock = SteadyClock(NOON, 0)
                await Retention(store._database, store._indexer, grown, clock).apply(NOON)  # noqa: SLF001 -- not the keeper's
            case Index():
                await store._indexer.catch_up()  # noqa: SLF001 -- as the keeper does
            case lines:
                # Each line has a word of its own, which tells whether it is found.
                await store.messages.append(
                    [one._replace(text=f"{one.text} w{n}x") for n, one in enumerate(lines)]
                )
    return gone


@settings(max_examples=STORIES)
@given(st.lists(steps, max_size=10))
async def test_after_any_removals_derived_equals_a_recount_and_no_search_finds_them(
    script: Sequence[Any],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "irc.db"
        async with open_store(file, SETTINGS) as store:
            gone = await play(store, script)
            assert await differences(store) == []
            check_index(file)
            there = {row[0] for row in rows_of(file, "SELECT id FROM messages WHERE message != ''")}
            for query in ("tea", "ada", "cy", "w0x", "w1x", "w*", "from:ada", "from:[cy]"):
                found = {message.id for message in (await find(store, query)).messages}
                assert found <= there - gone
