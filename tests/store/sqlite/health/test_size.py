"""The size of a database, and how much it grows."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.store import Store
from terrarium_mcp.store.records.health import DatabaseSize
from terrarium_mcp.store.sqlite.health.readonly import untouched
from terrarium_mcp.store.sqlite.health.size import database_size
from tests.store.scene import NOON, chat

pytestmark = pytest.mark.usefixtures("at_once")


def size_at(file: Path, now: datetime) -> DatabaseSize:
    with untouched(file) as connection:
        return database_size(connection, file, now)


async def test_growth_is_projected(store: Store, file: Path) -> None:
    await store.messages.append(chat("<ada> a\n" * 60))
    size = size_at(file, NOON + timedelta(days=30))
    assert size.growth
    assert (size.messages, size.growth.messages_a_day) == (60, 2)
    assert size.growth.bytes_a_year == round(2 * 365 * size.file / 60)
    assert size.wal > 0


async def test_a_short_record_is_projected_from_its_own_length_once_that_is_a_day(
    store: Store, file: Path
) -> None:
    assert size_at(file, NOON).growth is None
    await store.messages.append(chat("<ada> a\n" * 60))
    assert size_at(file, NOON + timedelta(hours=23)).growth is None
    size = size_at(file, NOON + timedelta(days=10))
    assert size.growth
    assert size.growth.messages_a_day == 6
