"""A folder that takes no database is refused at once, in words."""

from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import StoreFailed, open_store
from tests.patience import PATIENCE


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="where /proc takes no files")
async def test_a_folder_that_takes_no_file_holds_no_database() -> None:
    """Root may write to it, as far as its mode says."""
    with anyio.fail_after(PATIENCE), pytest.raises(StoreFailed, match=r"/proc\b"):
        async with open_store(Path("/proc/irc_logs.db")):
            pytest.fail("it was opened, and waits")
