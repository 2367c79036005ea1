"""A settings file with a password that every account can read is told."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from terrarium_mcp.settings import read_settings


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that anybody may enter, as the current one; those of other tests are closed."""
    with TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        monkeypatch.chdir(folder)
        yield Path(folder)


def told() -> list[str]:
    return read_settings(environ={}).slips()


def test_a_password_that_lies_open_is_told_with_the_command_that_closes_it(place: Path) -> None:
    (place / ".env").write_text("TERRARIUM_SASL_PASSWORD=hunter2\nAGENT_API_KEY=k\n")
    (place / ".env").chmod(0o644)
    (line,) = told()
    assert line == (
        "Every account of this machine can read .env, which has AGENT_API_KEY,"
        " TERRARIUM_SASL_PASSWORD. Run: chmod o-rwx .env"
    )
    (place / ".env").chmod(0o640)
    assert told() == []


def test_a_file_in_a_closed_folder_and_one_without_a_secret_are_not_told(place: Path) -> None:
    (place / ".env").write_text("IRC_NICK=Fern\n")
    (place / ".env").chmod(0o644)
    assert told() == []
    (place / ".env").write_text("AGENT_API_KEY=k\n")
    place.chmod(0o700)
    assert told() == []


WIKI = '[mcp_servers.wiki]\nurl = "http://h/mcp"\ntools = ["t"]\nchannels = ["#a"]\n'
NETWORK = '[[network]]\nTERRARIUM_NETWORK = "a"\nTERRARIUM_SERVER_PASSWORD = "k"\n'


@pytest.mark.parametrize(
    ("tables", "name"),
    [
        ('AGENT_API_URL = "http://ada:k@h"\n', "AGENT_API_URL"),
        ('SEARCH_API_URL = "http://h/s?key=k"\n', "SEARCH_API_URL"),
        ('AGENT_API_URL = "http://h/v1"\nSEARCH_API_URL = "http://h/s"\n', ""),
        (WIKI.replace("/mcp", "/mcp?key=k"), "MCP_SERVERS"),
        (NETWORK, "TERRARIUM_SERVER_PASSWORD"),
        (WIKI + 'token = "k"\n', "MCP_SERVERS"),
        ('IRC_CHANNELS = "#tea, #staff k"\n', "IRC_CHANNELS"),
        ('IRC_CHANNELS = ["#tea", "#staff k"]\n', "IRC_CHANNELS"),
        ('IRC_CHANNELS = "#tea, #mate"\n', ""),
        (WIKI, ""),
    ],
)
def test_tables_and_addresses_have_secrets_too(place: Path, tables: str, name: str) -> None:
    (place / "terrarium.toml").write_text(tables)
    (place / "terrarium.toml").chmod(0o644)
    wanted = f"Every account of this machine can read terrarium.toml, which has {name}."
    assert [line.startswith(wanted) for line in told()] == ([True] if name else [])
