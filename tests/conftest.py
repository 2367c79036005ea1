"""What every test has: one event loop, and the servers on request."""

import os

import pytest
from hypothesis import settings

from terrarium_mcp.store.sqlite.engine import database
from terrarium_mcp.store.sqlite.search import message_search, scope_stats

pytest_plugins = ["tests.servers.fixtures"]

EXAMPLES = int(os.environ.get("EXAMPLES", "40"))
"""How many examples a property is tried with that names no number itself; 1,000 in `make soak`."""

# No test is timed: under load an example may take any time.
settings.register_profile("untimed", parent=settings.default, deadline=None, max_examples=EXAMPLES)
settings.load_profile("untimed")

# People who wait are spared a read or a search that takes long; tests on a busy machine are not.
for _module in (database, message_search, scope_stats):
    pytest.MonkeyPatch().setattr(_module, "DEADLINE", 60.0)


@pytest.hookimpl(optionalhook=True)  # `make mutants` runs without xdist
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: half as many again as there are cores, since scenes mostly wait for servers."""
    return 3 * (os.cpu_count() or 2) // 2


@pytest.fixture
def anyio_backend() -> str:
    """Only asyncio: aiosqlite and pydle know no other loop."""
    return "asyncio"
