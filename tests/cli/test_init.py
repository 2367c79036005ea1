"""`terrarium-mcp init` with options, with faults in the answers, and with old logs."""

from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.cli.programs import quick_words, ran
from tests.cli.terminal import terminal
from tests.cli.test_adopting import everything
from tests.servers.agent import strict_agent
from tests.servers.ircd import Ircd, free_port
from tests.settings.loaded import load_settings

NOTHING: dict[str, str] = {}
OF_THE_PAGE = (
    "terrarium-mcp init --server irc.example --channels tea --contact ada --model-url none --yes"
)
"""The command of docs/settings.md."""


def reachable(ngircd: Ircd) -> list[object]:
    """Options with which the server needs no question."""
    return [
        "--server", f"ircs://localhost:{ngircd.tls_port}/tea", "--tls-cafile", ngircd.cafile,
        "--contact", "ada",
    ]  # fmt: skip


def test_with_yes_nothing_is_asked_and_the_usual_is_written(ngircd: Ircd, tmp_path: Path) -> None:
    options = [*reachable(ngircd), "--channels", "tea", "--model-url", "none", "--yes"]
    done = ran("terrarium-mcp init", *options, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert dotenv_values(tmp_path / ".env") == {
        "IRC_SERVER": "localhost",
        "IRC_PORT": str(ngircd.tls_port),
        "IRC_USE_SSL": "on",
        "TERRARIUM_TLS_CAFILE": ngircd.cafile,
        "IRC_CHANNELS": "tea",
        "TERRARIUM_CONTACT": "ada",
        "AGENT_API_URL": "none",
        "DB_PATH": "data/irc_logs.db",
    }
    assert "localhost answers, with TLS" in done.stdout
    assert "up\n" in done.stdout.partition("Next:")[2]
    before = (tmp_path / ".env").read_bytes()
    done = ran("terrarium-mcp init --yes", at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "has these settings already" in done.stdout
    assert (tmp_path / ".env").read_bytes() == before


def test_the_command_of_the_page_asks_nothing(tmp_path: Path) -> None:
    done = ran(OF_THE_PAGE.replace("irc.example", f"127.0.0.1:{free_port()}"), at=tmp_path)
    assert done.returncode == 0, done.stderr
    written = dotenv_values(tmp_path / ".env")
    assert (written["IRC_CHANNELS"], written["TERRARIUM_CONTACT"]) == ("tea", "ada")


def test_with_yes_what_cannot_be_reached_is_told_and_written(tmp_path: Path) -> None:
    port = free_port()
    done = ran(
        "terrarium-mcp init", "--server", f"127.0.0.1:{port}", "--channels", "tea,mate",
        "--model-url", "http://127.0.0.1:9", "--yes", "--env-file", "etc/tea.env", at=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"nothing is listening at 127.0.0.1:{port} (connection refused)" in done.stderr
    assert "The model at http://127.0.0.1:9 is not answering" in done.stderr
    file = tmp_path / "etc" / "tea.env"
    assert dotenv_values(file)["IRC_CHANNELS"] == "tea,mate"
    assert f"up --env-file {file}" in done.stdout
    assert "IRC_USE_SSL" not in file.read_text()


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        (
            '[[network]]\nTERRARIUM_NETWORK = "libera"\n',
            "and there are [[network]] tables: move it",
        ),
        ('irc_nick = "Terra', "terrarium.toml cannot be read as TOML"),
    ],
)
def test_a_terrarium_toml_that_does_not_go_with_the_answers_is_told(
    tmp_path: Path, toml: str, told: str
) -> None:
    (tmp_path / "terrarium.toml").write_text(toml)
    options = ["--server", "127.0.0.1:1", "--channels", "tea", "--model-url", "none", "--yes"]
    done = ran("terrarium-mcp init", *options, at=tmp_path)
    assert done.returncode == 1
    assert told in done.stderr.splitlines()[-1]
    assert "Next:" not in done.stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--server", "127.0.0.1"], "IRC_CHANNELS is not known. Give it as the option --channels"),
        (["--server", "http://h"], "not the address of an IRC server, such as"),
        (
            ["--server", "127.0.0.1", "--channels", "a;b"],
            "channels are separated by commas: a,b",
        ),
        (
            ["--server", "127.0.0.1", "--channels", "a", "--model-url", "h"],
            "AGENT_API_URL='h' (from your answer): not an address",
        ),
        (
            ["--server", "127.0.0.1", "--channels", "a", "--model-url", "none", "--old-logs", "x"],
            "cannot be the database: there is no file",
        ),
    ],
)
def test_with_yes_an_answer_that_cannot_be_used_ends_it(
    tmp_path: Path, options: list[str], told: str
) -> None:
    done = ran("terrarium-mcp init --yes", *options, at=tmp_path)
    assert done.returncode == 1
    assert told in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_old_logs_that_are_a_circle_of_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").symlink_to("x.db")
    options = ["--server", "127.0.0.1:1", "--channels", "tea", "--model-url", "none", "--yes"]
    done = ran("terrarium-mcp init --old-logs x.db", *options, at=tmp_path)
    assert done.returncode == 1
    assert "x.db is a link that leads back to itself." in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_old_logs_of_too_long_a_name_are_refused(tmp_path: Path) -> None:
    options = ["--server", "127.0.0.1:1", "--channels", "tea", "--model-url", "none", "--yes"]
    done = ran("terrarium-mcp init --old-logs", "x" * 300, *options, at=tmp_path)
    assert done.returncode == 1
    assert "cannot be looked at: File name too long." in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_tilde_is_the_home_folder_in_an_answer_too(tmp_path: Path) -> None:
    options = ["--server", "127.0.0.1:1", "--channels", "tea", "--model-url", "none", "--yes"]
    done = ran("terrarium-mcp init --old-logs ~/x.db", *options, at=tmp_path, HOME="/nowhere")
    assert "/nowhere/x.db cannot be the database: there is no file" in done.stderr
    done = ran("terrarium-mcp init --old-logs ~no-one/x.db", *options, at=tmp_path)
    assert "your answer is ~no-one/x.db: no home folder is known for ~no-one" in done.stderr
    assert not list(tmp_path.iterdir())


def test_settings_that_a_file_has_in_any_form_are_the_answers(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "irc_server=::1\nirc_port=7\nirc_use_ssl=off\nIRC_CHANNELS='tea,\nmate'\n"
    )
    done = ran("terrarium-mcp init --model-url none --yes", at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "connecting to ::1:7 ..." in done.stdout
    settings = load_settings(environ={}, env_file=tmp_path / ".env")
    assert (settings.irc_server, settings.server_port, settings.uses_tls) == ("::1", 7, False)
    assert [channel.name for channel in settings.irc_channels] == ["#tea", "#mate"]


def test_a_file_of_windows_stays_one(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_bytes(b"# mine\r\nIRC_SERVER=::1\r\nIRC_PORT=7\r\nIRC_CHANNELS=tea\r\n")
    done = ran("terrarium-mcp init --model-url none --yes", at=tmp_path)
    assert done.returncode == 0, done.stderr
    first, *others, last = env_file.read_bytes().split(b"\n")
    assert (first, last) == (b"# mine\r", b"")
    assert others
    assert all(line.endswith(b"\r") for line in others)


def test_a_zone_that_is_not_needed_is_checked_and_said_to_be_unused(tmp_path: Path) -> None:
    options = ["--server", "127.0.0.1:1", "--channels", "tea", "--model-url", "none", "--yes"]
    done = ran("terrarium-mcp init --old-zone Mars/X", *options, at=tmp_path)
    assert done.returncode == 1
    assert "TERRARIUM_SOURCE_TIMEZONE='Mars/X' (from your answer): not a time zone" in done.stderr
    assert not list(tmp_path.iterdir())
    done = ran("terrarium-mcp init --old-zone Europe/Berlin", *options, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "--old-zone is not used" in done.stderr


async def test_faulty_answers_are_asked_for_again(ngircd: Ircd, tmp_path: Path) -> None:
    port = free_port()
    async with strict_agent() as agent:
        agent.key = "secret"
        async with terminal(
            quick_words("terrarium-mcp init"), at=tmp_path, environ=NOTHING
        ) as init:
            await init.answers("IRC server", "http://irc.example.org")
            await init.sees("not the address of an IRC server")
            await init.answers("IRC server", f"127.0.0.1:{port}")
            await init.sees(f"nothing is listening at 127.0.0.1:{port}")
            await init.answers("Keep this server nevertheless?", "n")
            await init.answers("IRC server", f"localhost:{ngircd.tls_port}")
            await init.answers("PEM file", "nowhere.pem")
            await init.sees("TERRARIUM_TLS_CAFILE names", "cannot be used: No such file")
            await init.sees("As an option of init, TERRARIUM_TLS_CAFILE is --tls-cafile")
            await init.answers("Keep this server nevertheless?", "n")
            await init.answers("IRC server", f"localhost:{ngircd.tls_port}")
            await init.answers("PEM file", ngircd.cafile)
            await init.answers("Channels to record", "tea")
            await init.answers("Contact", "")
            await init.answers("Model endpoint", "localhost")
            await init.sees("not an address such as http://localhost:8080")
            await init.answers("Model endpoint", agent.url)
            await init.sees("Check AGENT_API_KEY")
            await init.answers("API key", "secret")
            await init.answers("Model [glm-air-4.5]", "")
            await init.answers("Database of terrarium-irc", "nowhere.db")
            await init.sees("there is no file")
            await init.answers("Database of terrarium-irc", "")
            told = await init.ends()
    assert "secret" not in told
    assert dotenv_values(tmp_path / ".env")["AGENT_API_KEY"] == "secret"


@pytest.fixture
def old_logs(theirs: Path, tmp_path: Path) -> Path:
    """terrarium-irc's database where it used to lie."""
    (tmp_path / "data").mkdir()
    return theirs.rename(tmp_path / "data" / "irc_logs.db")


async def test_old_logs_are_found_and_their_zone_is_asked_for(
    ngircd: Ircd, tmp_path: Path, old_logs: Path
) -> None:
    before = everything(old_logs.parent)
    command = quick_words(
        "terrarium-mcp init", *reachable(ngircd), "--channels", "tea", "--model-url", "none"
    )
    async with terminal(command, at=tmp_path, environ=NOTHING) as init:
        await init.answers(
            f"take over (none: start a new history) [{tmp_path}/data/irc_logs.db]", ""
        )
        await init.answers("Time zone in which terrarium-irc ran", "Europe/Berln")
        await init.sees("Did you mean Europe/Berlin?")
        await init.answers("Time zone in which terrarium-irc ran", "Europe/Berlin")
        await init.ends()
    written = dotenv_values(tmp_path / ".env")
    assert written["DB_PATH"] == "data/irc_logs.db"
    assert written["TERRARIUM_SOURCE_TIMEZONE"] == "Europe/Berlin"
    assert everything(old_logs.parent) == before


async def test_a_database_of_another_program_is_refused(ngircd: Ircd, tmp_path: Path) -> None:
    (tmp_path / "letter.db").write_text("this is no database, it is a letter\n" * 100)
    command = quick_words(
        "terrarium-mcp init", *reachable(ngircd), "--channels", "tea", "--model-url", "none",
        "--old-logs", "letter.db",
    )  # fmt: skip
    (tmp_path / "irclogs").mkdir()
    async with terminal(command, at=tmp_path, environ=NOTHING) as init:
        await init.sees("is not an SQLite database")
        await init.sees("with terrarium-mcp import PATH: name none here.")
        await init.answers("Database of terrarium-irc", "irclogs")
        await init.sees("irclogs is a folder. Logs of other programs")
        await init.answers("Database of terrarium-irc", "none")
        await init.ends()


def test_a_file_that_cannot_be_read_or_written_is_named(ngircd: Ircd, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"IRC_NICK=\xff\n")
    done = ran("terrarium-mcp init --yes", at=tmp_path)
    assert done.returncode == 1
    assert ".env cannot be read: 'utf-8' codec" in done.stderr
    (tmp_path / "etc").write_text("no folder")
    options = [*reachable(ngircd), "--channels", "tea", "--model-url", "none", "--yes"]
    done = ran("terrarium-mcp init --env-file etc/x.env", *options, at=tmp_path)
    assert done.returncode == 1
    assert "Nothing was changed." in done.stderr


def test_a_line_that_cannot_be_read_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_text('IRC_NICK="Luna\n')
    done = ran("terrarium-mcp init", at=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"terrarium-mcp: Line 1 of {env_file} cannot be read. Write")
    assert (done.stdout, env_file.read_text()) == ("", 'IRC_NICK="Luna\n')


def test_where_nobody_can_be_asked_the_options_are_named(tmp_path: Path) -> None:
    done = ran("terrarium-mcp init", at=tmp_path)
    assert done.returncode == 1
    assert "Aborted" not in done.stderr
    assert "There is no terminal to ask at. Give the answers as options, and --yes" in done.stderr
    assert "--server irc.example.org --channels tea,mate --contact" in done.stderr
    assert not (tmp_path / ".env").exists()
