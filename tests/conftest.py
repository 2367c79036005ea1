"""What every test has: one event loop, and the servers on request."""

import pytest
from hypothesis import settings

pytest_plugins = ["tests.servers.fixtures"]

# No test is timed: under load an example may take any time.
settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def anyio_backend() -> str:
    """Only asyncio: aiosqlite and pydle know no other loop."""
    return "asyncio"
