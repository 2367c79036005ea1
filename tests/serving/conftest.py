"""Houses to test with: one for everybody, or one of your own."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.serving.processes import HttpHouse, StdioHouse


@pytest.fixture(scope="module")
def http_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpHouse]:
    """One for all tests that leave it running."""
    with closing(HttpHouse(tmp_path_factory.mktemp("house") / "ledger")) as house:
        assert house.urls
        yield house


@pytest.fixture
def doomed_http_house(tmp_path: Path) -> Iterator[HttpHouse]:
    """One for a test that ends it."""
    with closing(HttpHouse(tmp_path / "ledger")) as house:
        assert house.urls
        yield house


@pytest.fixture
def http_house_without_haste(tmp_path: Path) -> Iterator[HttpHouse]:
    """One for a test that ends it, in which whatever waits at its end does so for an hour."""
    waits = {"http__GRACE": 3600.0, "http__DROP_AFTER": 3600}
    with closing(HttpHouse(tmp_path / "ledger", **waits)) as house:
        assert house.urls
        yield house


@pytest.fixture
def stdio_house_without_haste(tmp_path: Path) -> Iterator[StdioHouse]:
    """One that has shaken hands with us, and gives an hour to a client that does not read."""
    with closing(StdioHouse(tmp_path / "ledger", pipes__LAST_READS=3600)) as house:
        house.greet()
        yield house


@pytest.fixture
def stdio_house(tmp_path: Path) -> Iterator[StdioHouse]:
    """One that has shaken hands with us."""
    with closing(StdioHouse(tmp_path / "ledger")) as house:
        house.greet()
        yield house
