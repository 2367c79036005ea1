"""`ngircd`, `inspircd`, and `ircd` for a scene that must play on both."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.ircd import Ircd, make_keys, program_of, running


@pytest.fixture(scope="session")
def server_keys() -> Iterator[Path]:
    """Keys for one session, in a place that servers running as nobody can read."""
    with tempfile.TemporaryDirectory(prefix="ircd-keys-") as home:
        make_keys(Path(home))
        yield Path(home)


@pytest.fixture
def ngircd(server_keys: Path) -> Iterator[Ircd]:
    """A small server: no server-time, no msgid, no echo, no WHOX."""
    with running("ngircd", _installed("ngircd"), server_keys) as ircd:
        yield ircd


@pytest.fixture
def inspircd(server_keys: Path) -> Iterator[Ircd]:
    """A server with IRCv3: tags, echo, batches, history, bot mode."""
    with running("inspircd", _installed("inspircd"), server_keys) as ircd:
        yield ircd


@pytest.fixture
def ircds(server_keys: Path, ngircd: Ircd, inspircd: Ircd) -> Iterator[list[Ircd]]:
    """Three servers, each a network of its own."""
    with running("ngircd", _installed("ngircd"), server_keys) as another:
        yield [ngircd, inspircd, another]


@pytest.fixture(params=["ngircd", "inspircd"])
def ircd(request: pytest.FixtureRequest) -> Ircd:
    """Each of them in turn."""
    server: Ircd = request.getfixturevalue(request.param)
    return server


def _installed(kind: str) -> str:
    """The program, or the end of the test: on CI a missing server is a failure."""
    program = program_of(kind)
    if program is None:
        missing = f"{kind} is not installed (apt-get install --no-install-recommends {kind})"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return program
