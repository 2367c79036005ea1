"""What every test has: one event loop, and the servers on request."""

import pytest

pytest_plugins = ["tests.servers.fixtures"]


@pytest.fixture
def anyio_backend() -> str:
    """Only asyncio: aiosqlite and pydle know no other loop."""
    return "asyncio"
