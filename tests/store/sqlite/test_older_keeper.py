"""A process of an older version that keeps a file from being migrated is named."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from terrarium_mcp.cli.starting.opening import opened_history
from terrarium_mcp.store import Fact, StillOpening, examine, open_store
from terrarium_mcp.store.sqlite import older_keeper
from terrarium_mcp.store.sqlite.keeper import Keeper
from tests.patience import PATIENCE
from tests.servers.logs import until_logged
from tests.store.files.stored import STORED, stored
from tests.store.scene import SETTINGS

OLD = next(name for name in STORED if name.startswith("v8"))


@pytest.fixture
def old(file: Path) -> Iterator[Keeper]:
    """The keeper of a file of version 8, which another process has open."""
    stored(OLD, file)
    keeper = Keeper(file)
    assert keeper.claim()
    yield keeper
    keeper.release()


def version(file: Path) -> Fact:
    facts = [one for section in examine(file, datetime.now(UTC)) for one in section.facts]
    return next(one for one in facts if one.name == "version")


async def test_it_is_named_and_once_it_is_stopped_the_file_is_opened(
    file: Path, old: Keeper, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(older_keeper, "PATIENCE", 0.0)
    with anyio.fail_after(PATIENCE):
        async with open_store(file, SETTINGS) as store:
            await until_logged(caplog, "is of an older terrarium-mcp", "Stop that process.")
            assert not store.opening.is_done
            old.release()
            await store.opening.wait(PATIENCE)
            assert store.keeper.is_us


async def test_a_call_that_waits_in_vain_names_it_to_the_operator_and_not_to_a_channel(
    file: Path, old: Keeper, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(older_keeper, "PATIENCE", 0.0)
    with anyio.fail_after(PATIENCE):
        async with open_store(file, SETTINGS) as store:
            await until_logged(caplog, "is of an older terrarium-mcp")
            with pytest.raises(StillOpening, match="is of an older terrarium-mcp") as raised:
                await store.indexed_up_to()
            assert str(raised.value).endswith("Stop that process.")
            assert "is using it, and must be stopped first." in raised.value.public
            assert str(file) not in raised.value.public
            old.release()
            await store.opening.wait(PATIENCE)
            assert await store.indexed_up_to()


async def test_a_command_does_not_wait_for_what_does_not_end_by_itself(
    file: Path, old: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(older_keeper, "PATIENCE", 0.0)
    with anyio.fail_after(PATIENCE):
        with pytest.raises(StillOpening, match="Stop that process"):
            async with opened_history(file, SETTINGS):
                pass
        old.release()
        async with opened_history(file, SETTINGS) as store:
            assert store.opening.is_done


async def test_one_that_may_be_about_to_migrate_is_not_called_older_at_once(
    file: Path, old: Keeper, caplog: pytest.LogCaptureFixture
) -> None:
    watch = older_keeper.OlderKeeperWatch(file)
    for now in (0.0, 3.9):
        watch.note(8, now)
    watch.note(0, 3.95)  # it has locked the file
    watch.note(8, 7.0)
    assert not caplog.records
    watch.note(8, 11.0)
    [warning] = caplog.messages
    assert "which has version 8 and has to be migrated to" in warning
    old.release()
    watch.note(8, 1e6)
    assert len(caplog.messages) == 1


def test_the_doctor_marks_it(file: Path, old: Keeper) -> None:
    assert version(file).wrong
    assert "is of an older terrarium-mcp" in version(file).text
    old.release()
    assert not version(file).wrong
    assert "the next start copies it" in version(file).text
