"""[mcp_servers.NAME] tables: what they mean, and each mistake in them named with the way out."""

from pathlib import Path

import pytest

from terrarium_mcp.settings import (
    BadSetting,
    Mount,
    Settings,
    changed,
    check_mounted_channels,
    read_settings,
)

NOTES = """
[mcp_servers.notes]
command = "notes-server --all 'two words'"
args = ["--quiet"]
env = { NOTES_KEY = "hunter2" }
tools = ["search", "add"]
channels = ["#tea", "libera/#mate"]
"""

WEATHER = """
[mcp_servers.weather]
url = "https://weather.example:9000/mcp?city=here"
token = "hunter2"
headers = { X-Team = "tea" }
tools = ["today"]
channels = ["#tea"]
"""

SECRET = "hunter2"  # noqa: S105 -- of the tables above

ONE_OF_THEM = "Give it one of them: command to start a server, url for one that runs."
HEADERS = "names are words, values one line of ASCII."
CALLABLE = "at most 64 letters, digits, - and _. Leave it out, or shorten the name of the table."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be started in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings_in(toml: str, **environ: str) -> Settings:
    Path("terrarium.toml").write_text(toml)
    return read_settings(environ=environ).settings


def complaint(toml: str) -> str:
    with pytest.raises(BadSetting) as refused:
        settings_in(toml)
    told = str(refused.value)
    assert SECRET not in told
    return told


def test_a_table_is_a_mount(home: Path) -> None:
    notes, weather = settings_in(NOTES + WEATHER).mcp_servers
    assert notes == Mount(
        "notes",
        tools=("search", "add"),
        channels=("#tea", "libera/#mate"),
        command=("notes-server", "--all", "two words", "--quiet"),
        env={"NOTES_KEY": SECRET},
        folder=home,
    )
    assert (weather.name, weather.command, weather.env) == ("weather", (), {})
    assert weather.url == "https://weather.example:9000/mcp?city=here"
    assert weather.headers == {"X-Team": "tea", "Authorization": f"Bearer {SECRET}"}


def test_a_command_may_be_a_list() -> None:
    written = NOTES.replace("\"notes-server --all 'two words'\"", '["/opt/my notes/run", "-x"]')
    assert settings_in(written).mcp_servers[0].command == ("/opt/my notes/run", "-x", "--quiet")


def test_no_repr_and_no_text_shows_a_secret() -> None:
    settings = settings_in(NOTES + WEATHER)
    notes, weather = settings.mcp_servers
    assert SECRET not in f"{settings} {settings!r} {notes} {weather!r} {notes.server}"
    assert weather.server == "https://weather.example:9000/mcp"


@pytest.mark.parametrize(
    ("channel", "network", "here"),
    [
        ("#tea", "libera", True),
        ("#TEA", "home", True),
        ("#mate", "libera", True),
        ("#MATE", "Libera", True),
        ("#mate", "home", False),
        ("#teapot", "libera", False),
        ("ada", "libera", False),
        ("", "libera", False),
    ],
)
def test_a_mount_is_for_its_channels_alone(channel: str, network: str, here: bool) -> None:
    (notes,) = settings_in(NOTES).mcp_servers
    assert notes.is_in(network, channel) is here


def test_a_channel_may_have_a_slash_and_its_name_compares_as_the_network_does() -> None:
    mount = Mount("notes", ("search",), ("#we/ird", "#[tea]"))
    assert mount.is_in("libera", "#we/ird")
    assert mount.is_in("libera", "#{tea}", "rfc1459")
    assert not mount.is_in("libera", "#{tea}", "ascii")
    assert Mount("notes", ("search",), ("#[Tea]",)).is_in("libera", "#[tEA]", "ascii")
    assert Mount("notes", ("search",), ("Libera/#[tea]",)).is_in("libera", "#[tea]", "ascii")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("args", "arguments", "has no key arguments. Did you mean args?"),
        (
            "tools",
            "tool",
            "has no key tool. Did you mean tools?",
        ),
        (
            "command = \"notes-server --all 'two words'\"",
            "",
            f"has neither command nor url. {ONE_OF_THEM}",
        ),
        (
            "args",
            'url = "http://127.0.0.1/mcp"\nargs',
            f"has both command and url. {ONE_OF_THEM}",
        ),
        ("args", 'token = "hunter2"\nargs', "has token, which goes with url only."),
        (
            "'two words'",
            "'two words",
            "has a command with an unclosed quote. Write it as a list.",
        ),
        (
            "notes-server --all 'two words'",
            " ",
            'has no usable command. Example: command = ["notes-server", "--all"]',
        ),
        (
            '["--quiet"]',
            '"--quiet"',
            'must have a list of texts as args, such as args = ["one", "two"]',
        ),
        (
            '"hunter2"',
            "1234",
            'must have a table of texts as env: env = { NAME = "text" }',
        ),
        (
            'tools = ["search", "add"]',
            "",
            'allows no tool. Name those that the model may use: tools = ["search", "read"]',
        ),
        (
            '["search", "add"]',
            "[]",
            'allows no tool. Name those that the model may use: tools = ["search", "read"]',
        ),
        (
            '["search", "add"]',
            '["*"]',
            "allows tools by a wildcard. Name each of them in tools.",
        ),
        (
            '["search", "add"]',
            '["notes.search"]',
            f"allows notes.search, but models cannot call notes__notes.search: {CALLABLE}",
        ),
        (
            'channels = ["#tea", "libera/#mate"]',
            "",
            'is for no channel. Name those in which its tools are offered: channels = ["#tea"]',
        ),
        (
            '"#tea", "libera/#mate"',
            '"tea"',
            "is for tea, which is not a channel. Write #tea, or libera/#tea.",
        ),
    ],
)
def test_a_mistake_is_named_with_its_table_and_the_way_out(old: str, new: str, told: str) -> None:
    assert old in NOTES
    wrong = complaint(NOTES.replace(old, new, 1))
    assert wrong == f"[mcp_servers.notes] of terrarium.toml {told}"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "https://weather.example:9000/mcp?city=here",
            "ftp://weather.example",
            'has no usable url. Example: url = "http://127.0.0.1:9000/mcp"',
        ),
        (
            "https://weather.example:9000/mcp?city=here",
            "http://[weather",
            'has no usable url. Example: url = "http://127.0.0.1:9000/mcp"',
        ),
        (
            "https://weather",
            "https://ada:hunter2@weather",
            "has a password in its url. Put it into token, or into headers.",
        ),
        ("headers", "env", "has env, which goes with command only."),
        ('token = "hunter2"', "token = 1", 'must have a text as token: token = "..."'),
        ('token = "hunter2"', 'token = ""', 'must have a text as token: token = "..."'),
        (
            "X-Team",
            "authorization",
            "has a token and an Authorization header. Remove one of them.",
        ),
        (
            '"hunter2"',
            '"hunter2\\n"',
            f"has a header Authorization that HTTP cannot carry: {HEADERS}",
        ),
        (
            "X-Team",
            '"X Team"',
            f"has a header X Team that HTTP cannot carry: {HEADERS}",
        ),
    ],
)
def test_a_mistake_about_a_url_is_named_too(old: str, new: str, told: str) -> None:
    assert old in WEATHER
    wrong = complaint(WEATHER.replace(old, new, 1))
    assert wrong == f"[mcp_servers.weather] of terrarium.toml {told}"


@pytest.mark.parametrize("name", ["Notes", "no_tes", '"a b"', '"a__b"', '""', '"ä"'])
def test_a_name_that_cannot_precede_a_tool_is_refused(name: str) -> None:
    wrong = complaint(NOTES.replace("mcp_servers.notes", f"mcp_servers.{name}"))
    assert wrong.endswith(" must be named in lower-case letters, digits and hyphens.")


def test_a_name_of_64_characters_with_its_tool_is_the_longest() -> None:
    fits = "n" * (64 - len("__search"))
    settings = settings_in(NOTES.replace("mcp_servers.notes", f"mcp_servers.{fits}"))
    assert settings.mcp_servers[0].name == fits
    wrong = complaint(NOTES.replace("mcp_servers.notes", f"mcp_servers.{fits}n"))
    assert "at most 64 letters" in wrong


def test_a_name_is_given_once() -> None:
    assert "cannot be read as TOML" in complaint(NOTES + NOTES)
    assert "are one setting" in complaint(NOTES + WEATHER.replace("mcp_servers", "MCP_SERVERS"))


@pytest.mark.parametrize(
    "written", ["mcp_servers = 1", "mcp_servers = ['notes']", "[mcp_servers]\nx = 1"]
)
def test_what_is_no_table_is_refused(written: str) -> None:
    assert complaint(written) == (
        "mcp_servers in terrarium.toml must be tables: begin each [mcp_servers.NAME]."
    )


def test_mounts_stand_in_the_toml_only_and_for_all_networks() -> None:
    assert settings_in("", MCP_SERVERS="another program's").mcp_servers == ()
    Path(".env").write_text("MCP_SERVERS=notes\n")
    assert complaint("").startswith(
        "MCP_SERVERS (from .env): must be tables of terrarium.toml: begin each with"
    )
    Path(".env").unlink()
    table = '[[network]]\nIRC_SERVER = "irc.example"\n'
    assert complaint(table + NOTES.replace("[mcp", "[network.mcp")).endswith(
        "holds for all networks: move it above the first [[network]]."
    )
    (network,) = settings_in(NOTES + table).networks
    assert [mount.name for mount in network.mcp_servers] == ["notes"]


@pytest.mark.parametrize(
    ("channels", "wrong"),
    [
        (["#tea", "#mate"], ""),
        (["#TEA", "#mate"], ""),
        (["#tea"], "libera/#mate"),
        (["#mates", "#tea"], "libera/#mate"),
    ],
)
def test_a_channel_that_no_setting_names_is_refused(channels: list[str], wrong: str) -> None:
    settings = settings_in(f'TERRARIUM_NETWORK = "libera"\nIRC_CHANNELS = {channels}\n{NOTES}')
    if not wrong:
        check_mounted_channels(settings.mcp_servers, settings.named_channels)
        return
    with pytest.raises(BadSetting) as refused:
        check_mounted_channels(settings.mcp_servers, settings.named_channels)
    told = str(refused.value)
    assert told.startswith(f"[mcp_servers.notes] is for {wrong}, which is not in IRC_CHANNELS.")
    assert told.endswith("Add it there, or remove it from channels.")


def test_a_reload_takes_mounts_over() -> None:
    old, new = settings_in(NOTES), settings_in(NOTES + WEATHER)
    change = changed(old, new)
    assert (change.live, change.after_restart) == (("MCP_SERVERS",), ())
    assert change.settings.mcp_servers == new.mcp_servers
