"""A file remembers in which zone terrarium-irc's times were read, and holds the settings to it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import terrarium_mcp
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import open_store
from terrarium_mcp.store.sqlite.schema.adoption import WrongZone
from tests.patience import PATIENCE
from tests.samples import terrarium_irc as sample
from tests.store.files.stored import stored
from tests.store.scene import SETTINGS, rows_of, write


def adoption_of(file: Path) -> list[tuple[str | None, ...]]:
    return rows_of(file, "SELECT source, zone, adopted_at, adopted_by FROM adoption")


def in_zone(name: str) -> Settings:
    return SETTINGS.model_copy(update={"source_timezone": name})


async def opened(file: Path, settings: Settings, *, adopt: bool = True) -> None:
    async with open_store(file, settings, adopt=adopt) as store:
        await store.opening.wait(PATIENCE)


async def test_the_file_remembers_zone_moment_and_program(file: Path) -> None:
    sample.make(file, 20)
    began = datetime.now(UTC).replace(microsecond=0)
    await opened(file, SETTINGS)
    ((source, zone, at, by),) = adoption_of(file)
    assert (source, zone, by) == ("terrarium-irc", "America/New_York", terrarium_mcp.__version__)
    assert began <= datetime.fromisoformat(f"{at}+00:00") <= datetime.now(UTC)


async def test_without_a_setting_the_zone_of_this_machine_is_remembered(file: Path) -> None:
    sample.make(file, 20)
    await opened(file, Settings())
    ((_, zone, _, _),) = adoption_of(file)
    assert zone == Settings().source_zone.key


async def test_of_a_file_that_version_1_adopted_the_zone_is_not_known(file: Path) -> None:
    stored("v1-adopted", file)
    await opened(file, in_zone("Asia/Tokyo"))  # nothing that it could contradict
    assert adoption_of(file) == [("terrarium-irc", None, None, None)]
    await opened(file, in_zone("Europe/Paris"))


async def test_a_file_of_our_own_was_not_adopted(file: Path) -> None:
    stored("v1", file)
    await opened(file, in_zone("Asia/Tokyo"))
    assert adoption_of(file) == []


async def test_a_file_whose_rooms_were_all_purged_is_still_an_adopted_one(file: Path) -> None:
    stored("v1-adopted", file)
    write(file, "DELETE FROM spans")
    await opened(file, SETTINGS)
    assert adoption_of(file) == [("terrarium-irc", None, None, None)]


async def test_a_contradicting_zone_is_refused_with_the_way_back(file: Path) -> None:
    stored("v2-adopted", file)
    with pytest.raises(WrongZone) as refused:
        await opened(file, in_zone("Europe/Paris"))
    assert "TERRARIUM_SOURCE_TIMEZONE is Europe/Paris" in str(refused.value)
    assert "read as America/New_York" in str(refused.value)
    assert "before-v1" in str(refused.value)
    await opened(file, in_zone(""))
    await opened(file, in_zone("Europe/Paris"), adopt=False)  # reading contradicts nothing


@pytest.mark.parametrize("same", ["America/New_York", "US/Eastern", "EST5EDT"])
async def test_another_name_of_the_same_zone_is_no_contradiction(file: Path, same: str) -> None:
    stored("v2-adopted", file)
    await opened(file, in_zone(same))


@pytest.mark.parametrize("other", ["America/Jamaica", "America/Havana", "UTC"])
async def test_a_zone_that_differs_for_some_weeks_is_another(file: Path, other: str) -> None:
    stored("v2-adopted", file)
    with pytest.raises(WrongZone):
        await opened(file, in_zone(other))
