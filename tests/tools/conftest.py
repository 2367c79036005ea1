"""A house for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tools.scene import ERAS, Era, House, opened


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """Nothing is recorded there yet."""
    async with opened(tmp_path) as house:
        yield house


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    """Both protocol eras."""
    spoken: Era = request.param
    return spoken


@pytest.fixture
async def old_and_new_house(tmp_path: Path, era: Era) -> AsyncIterator[House]:
    """A house for a client of each era."""
    async with opened(tmp_path, era=era) as house:
        yield house
