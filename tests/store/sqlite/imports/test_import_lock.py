"""One import at a time: the second waits, and then recognises what the first brought."""

from pathlib import Path

import anyio
import pytest

from terrarium_mcp.store import Store, UnknownImport, open_store
from tests.patience import PATIENCE
from tests.store.scene import SETTINGS


async def test_a_second_import_waits_for_the_first_and_says_so_once(
    store: Store, file: Path
) -> None:
    happened: list[str] = []
    waits = anyio.Event()

    def note() -> None:
        happened.append("second waits")
        waits.set()

    async def second(other: Store) -> None:
        async with other.imports.alone(note):
            happened.append("second runs")

    async with open_store(file, SETTINGS) as other, anyio.create_task_group() as tasks:
        with anyio.fail_after(PATIENCE):
            async with store.imports.alone(lambda: happened.append("first waits")):
                tasks.start_soon(second, other)
                await waits.wait()
                happened.append("first ends")
    assert happened == ["second waits", "first ends", "second runs"]


async def test_an_import_that_failed_keeps_no_other_from_running(store: Store) -> None:
    with pytest.raises(UnknownImport):
        async with store.imports.alone(pytest.fail):
            await store.imports.undo(7)
    async with store.imports.alone(pytest.fail):
        pass
