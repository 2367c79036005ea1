"""Every setting is declared in one place, and can be set in five."""

from pathlib import Path

import pytest
import tzlocal
from pydantic import ValidationError

from terrarium_mcp.chat.masks import Mask
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.settings import (
    BadSetting,
    RoomDays,
    Settings,
    is_loopback,
    read_settings,
    setting_names,
    settings_from,
)
from tests.settings.loaded import load_settings

OWNERS = {
    "IRC_SERVER": "irc.libera.chat",
    "IRC_PORT": "6697",
    "IRC_USE_SSL": "true",
    "IRC_NICK": "Terra",
    "IRC_CHANNELS": "#terrarium, #dev",
    "AGENT_API_URL": "http://localhost:8080",
    "AGENT_TEMPERATURE": "0.8",
    "AGENT_MAX_TOKENS": "512",
    "COMMAND_PREFIX": "!",
    "MAX_CONTEXT_MESSAGES": "20",
    "DB_PATH": "./data/irc_logs.db",
    "SEARCH_API_URL": "http://localhost:9/search",
    "SEARCH_API_KEY": "key",
    "SEARCH_MAX_RESULTS": "5",
    "AGENT_API_KEY": "key",
    "AGENT_MODEL": "",
    "AGENT_TIMEOUT": "130",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be started in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(settings: Settings) -> tuple[str, ...]:
    return tuple(channel.name for channel in settings.irc_channels)


def complaint(**where: object) -> str:
    with pytest.raises(BadSetting) as refused:
        load_settings(**{"environ": {}, **where})  # type: ignore[arg-type]
    return str(refused.value)


def test_a_flag_beats_the_environment_beats_dotenv_beats_toml_beats_the_default(
    home: Path,
) -> None:
    flags, environ = {"IRC_NICK": "flag"}, {"IRC_NICK": "environment"}
    dotenv, toml = home / ".env", home / "terrarium.toml"
    dotenv.write_text("IRC_NICK=dotenv\n")
    toml.write_text('IRC_NICK = "toml"\n')
    assert load_settings(flags, environ=environ).irc_nick == "flag"
    assert load_settings({"irc_nick": "flag"}, environ=environ).irc_nick == "flag"
    assert load_settings({"IRC_NICK": None}, environ=environ).irc_nick == "environment"
    assert load_settings(environ={}).irc_nick == "dotenv"
    dotenv.unlink()
    assert load_settings(environ={}).irc_nick == "toml"
    toml.unlink()
    assert load_settings(environ={}).irc_nick == "Terra"


def test_the_environment_is_the_processes_own_unless_another_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("IRC_NICK", "ours")
    assert load_settings().irc_nick == "ours"
    assert load_settings(environ={}).irc_nick == "Terra"


@pytest.mark.parametrize("nick", ["Terra", "[tea]|away", "\u8336", "9abc", "-tea", "tea.bot"])
def test_a_nick_that_some_server_takes_is_taken(nick: str) -> None:
    assert load_settings(environ={"IRC_NICK": nick}).irc_nick == nick


@pytest.mark.parametrize(
    "nick", ["bad nick", "tea\u3000bot", "tea\x07", "tea!x", "t@h", "#tea", "a,b"]
)
def test_a_nick_that_no_server_takes_is_refused(nick: str) -> None:
    assert f"IRC_NICK={nick!r} (from the environment): no server accepts such a nick" in complaint(
        environ={"IRC_NICK": nick}
    )


def test_a_path_is_named_as_it_was_written() -> None:
    told = complaint(environ={"TERRARIUM_PERSONA": "nofile"})
    assert "TERRARIUM_PERSONA='nofile' (from the environment): " in told


def test_the_owners_names_all_work() -> None:
    settings = load_settings(environ=OWNERS)
    assert names(settings) == ("#terrarium", "#dev")
    assert (settings.uses_tls, settings.server_port) == (True, 6697)
    assert (settings.agent_temperature, settings.agent_max_tokens) == (0.8, 512)
    assert settings.search_api_key == settings.agent_api_key == "key"
    assert settings.db_path == Path("data/irc_logs.db")


def test_the_defaults_are_the_owners() -> None:
    names = OWNERS.keys() - {"IRC_SERVER", "IRC_CHANNELS", "SEARCH_API_URL"}
    names -= {"SEARCH_API_KEY", "AGENT_API_KEY", "IRC_PORT", "IRC_USE_SSL"}
    assert load_settings(environ={name: OWNERS[name] for name in names}) == Settings()


def test_an_empty_setting_is_one_that_is_not_set(home: Path) -> None:
    (home / ".env").write_text("IRC_NICK=from_dotenv\nIRC_PORT=\n")
    settings = load_settings(environ={"IRC_NICK": "", "DB_PATH": "", "AGENT_TIMEOUT": ""})
    assert settings.irc_nick == "from_dotenv"
    assert settings.db_path == Path("data/irc_logs.db")


def test_a_relative_path_counts_from_the_file_it_stands_in(home: Path) -> None:
    other = home / "etc"
    other.mkdir()
    (other / "my.env").write_text("DB_PATH=logs/irc.db\nTERRARIUM_TALK_LOG=talk.jsonl\n")
    (other / "my.toml").write_text('db_path = "/var/irc.db"\nTERRARIUM_TLS_CAFILE = "ca.pem"\n')
    from_env = load_settings(environ={}, env_file=other / "my.env", config=other / "my.toml")
    assert (from_env.db_path, from_env.tls_cafile) == (other / "logs/irc.db", other / "ca.pem")
    assert from_env.talk_log == other / "talk.jsonl"
    assert load_settings(environ={}, config=other / "my.toml").db_path == Path("/var/irc.db")
    assert load_settings(environ={"DB_PATH": "logs/irc.db"}).db_path == Path("logs/irc.db")


@pytest.mark.parametrize("where", ["environment", "dotenv", "toml", "flags"])
def test_an_unknown_name_of_ours_is_refused_with_the_nearest(home: Path, where: str) -> None:
    name = "TERRARIUM_TIMEZON"
    match where:
        case "environment":
            told = complaint(environ={name: "UTC"})
        case "dotenv":
            (home / ".env").write_text(f"{name}=UTC\n")
            told = complaint()
        case "toml":
            (home / "terrarium.toml").write_text(f'{name} = "UTC"\n')
            told = complaint()
        case _:
            told = complaint(flags={name: "UTC"})
    assert name in told
    assert "Did you mean TERRARIUM_TIMEZONE?" in told


def test_other_names_in_the_environment_are_not_ours(home: Path) -> None:
    (home / ".env").write_text("EDITOR=vi\nexport OTHER='x'\n")
    assert load_settings(environ={"PATH": "/bin", "IRC_NICKS": "x"}).irc_nick == "Terra"


def test_in_toml_every_name_is_ours(home: Path) -> None:
    (home / "terrarium.toml").write_text('irc_nik = "x"\n')
    assert "irc_nik" in (told := complaint())
    assert "Did you mean IRC_NICK?" in told


def test_a_slip_in_the_name_of_a_table_is_told(home: Path) -> None:
    (home / "terrarium.toml").write_text('[chanel."#tea"]\nrole = "record"\n')
    assert complaint() == "chanel in terrarium.toml is not a setting. Did you mean channel?"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IRC_PORT", "x"),
        ("IRC_PORT", "65536"),
        ("IRC_USE_SSL", "maybe"),
        ("AGENT_TEMPERATURE", "nan"),
        ("AGENT_TEMPERATURE", "3"),
        ("AGENT_TIMEOUT", "inf"),
        ("AGENT_TIMEOUT", "0"),
        ("SEARCH_MAX_RESULTS", "11"),
        ("TERRARIUM_TIMEZONE", "Europe/Berln"),
        ("TERRARIUM_SOURCE_TIMEZONE", "../../etc/passwd"),
        ("TERRARIUM_WRITE_TOOLS", "maybe"),
        ("COMMAND_PREFIX", 21 * "!"),
    ],
)
def test_a_bad_value_is_refused_with_its_name_its_source_and_its_meaning(
    name: str, value: str
) -> None:
    told = complaint(environ={name: value})
    assert told.startswith(f"{name}={value!r} (from the environment): ")
    assert "Its meaning: " in told
    assert "\n" not in told


def test_the_nearest_zone_is_named() -> None:
    assert "Did you mean Europe/Berlin?" in complaint(
        environ={"TERRARIUM_TIMEZONE": "Europe/Berln"}
    )


SECRETS = [
    "TERRARIUM_SERVER_PASSWORD",
    "TERRARIUM_SASL_PASSWORD",
    "AGENT_API_KEY",
    "SEARCH_API_KEY",
]


SECRET_FIELDS = ["server_password", "sasl_password", "agent_api_key", "search_api_key"]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_in_no_repr_and_no_error(home: Path, name: str) -> None:
    settings = load_settings(environ={name: "hunter2"})
    assert "hunter2" in settings.model_dump().values()
    assert "hunter2" not in repr(settings) + str(settings)
    assert "hunter2" not in complaint(flags={name: ["hunter2"]})
    (home / "terrarium.toml").write_text(f'{name} = ["hunter2"]\n')
    assert "hunter2" not in complaint()
    assert "hunter2" not in complaint(flags={name + "S": "hunter2"})
    with pytest.raises(ValidationError) as refused:
        Settings(**{name: ["hunter2"]})  # type: ignore[arg-type]
    assert "hunter2" not in str(refused.value)


def test_a_file_that_was_named_must_exist(home: Path) -> None:
    assert "no settings file" in complaint(env_file=home / "none.env")
    assert "no settings file" in complaint(config=home / "none.toml")


def test_a_file_that_cannot_be_read_is_a_bad_setting(home: Path) -> None:
    (home / "bad.toml").write_text("IRC_NICK = \n")
    assert "cannot be read as TOML" in complaint(config=home / "bad.toml")
    for unreadable in (
        b'IRC_NICK = "\xff"\n',
        b"a = " + b"[" * 3000 + b"]" * 3000,
        b"a = " + b"9" * 5000,
    ):
        (home / "bad.toml").write_bytes(unreadable)
        assert "cannot be read as TOML" in complaint(config=home / "bad.toml")
    (home / "bad.env").write_bytes(b"DB_PATH=tea.db\nIRC_NICK=\xff\xfe\n")
    assert "is not UTF-8 from line 2 on" in complaint(env_file=home / "bad.env")


@pytest.mark.parametrize(
    ("server", "network"),
    [
        ("irc.libera.chat", "libera"),
        ("IRC.OFTC.net.", "oftc"),
        ("irc.example.co.uk", "example"),
        ("example.org", "example"),
        ("localhost", "local"),
        ("127.0.0.1", "local"),
        ("::1", "local"),
        ("[2001:db8::1]", "local"),
        ("ircd", "ircd"),
        ("", "irc"),
    ],
)
def test_a_network_is_named_after_its_server(server: str, network: str) -> None:
    assert load_settings(environ={"IRC_SERVER": server}).network_name == network
    named = load_settings(environ={"IRC_SERVER": server, "TERRARIUM_NETWORK": "mine"})
    assert named.network_name == "mine"


@pytest.mark.parametrize(
    ("environ", "tls", "port"),
    [
        ({}, True, 6697),
        ({"IRC_PORT": "6667"}, False, 6667),
        ({"IRC_PORT": "7000"}, True, 7000),
        ({"IRC_USE_SSL": "false"}, False, 6667),
        ({"IRC_USE_SSL": "1", "IRC_PORT": "6667"}, True, 6667),
    ],
)
def test_tls_is_on_unless_something_says_otherwise(
    environ: dict[str, str],
    tls: bool,
    port: int,
) -> None:
    settings = load_settings(environ=environ)
    assert (settings.uses_tls, settings.server_port) == (tls, port)


@pytest.mark.parametrize("written", ["#tea,#mate", "#tea #mate", "tea, mate", " #tea ,, mate "])
def test_channels_are_written_in_several_ways(written: str) -> None:
    assert names(load_settings(environ={"IRC_CHANNELS": written})) == ("#tea", "#mate")


def test_channels_may_be_a_list_in_toml(home: Path) -> None:
    (home / "terrarium.toml").write_text('irc_channels = ["#tea", "&mate"]\n')
    assert names(load_settings(environ={})) == ("#tea", "&mate")


def test_zones_are_the_ones_that_were_set() -> None:
    settings = load_settings(environ={"TERRARIUM_SOURCE_TIMEZONE": "America/New_York"})
    assert (settings.zone.key, settings.source_zone.key) == ("UTC", "America/New_York")
    assert Settings().source_zone.key


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("127.0.0.9", True),
        ("[::1]", True),
        ("0.0.0.0", False),  # noqa: S104
        ("10.0.0.1", False),
        ("irc.libera.chat", False),
        ("", False),
    ],
)
def test_loopback_is_this_machine_and_nothing_else(host: str, here: bool) -> None:
    assert is_loopback(host) is here


@pytest.mark.parametrize("name", ["AGENT_API_URL", "SEARCH_API_URL"])
@pytest.mark.parametrize("address", ["nonsense", "localhost:8080", "ftp://host/", "http://"])
def test_an_address_that_is_none_is_refused_by_name(name: str, address: str) -> None:
    with pytest.raises(BadSetting, match=f"{name}=.*not an address such as http://localhost:8080"):
        load_settings(environ={name: address})


@pytest.mark.parametrize("address", ["http://h/v1?key=k", "http://h/v1#k", "http://h?"])
def test_the_address_of_a_model_is_one_to_which_a_path_can_be_appended(address: str) -> None:
    told = complaint(environ={"AGENT_API_URL": address})
    assert told.startswith("AGENT_API_URL='http://h")
    assert "it has neither ? nor #. A key goes into AGENT_API_KEY." in told


@pytest.mark.parametrize(
    "address",
    [
        *("logs.example", "ftp://logs.example/", "javascript:alert(1)", "https://", "file:///log"),
        *("https://ada:tea@logs.example/", "https://logs.example/?id=", "https://logs.example/#x"),
        *(
            "https://logs.example/a b",
            "https://logs.example/\u202e",
            f"https://logs.example/{150 * 'a'}",
            "https://ada:te/a@logs.example/",
        ),
    ],
)
def test_a_log_viewer_is_a_web_address_to_which_a_path_can_be_appended(address: str) -> None:
    with pytest.raises(
        BadSetting, match=r"TERRARIUM_VIEWER_URL=.*(not an address such|neither \? nor #)"
    ):
        load_settings(environ={"TERRARIUM_VIEWER_URL": address})
    for usable in ("", "https://logs.example", "http://[::1]:8000/irc/"):
        assert load_settings(environ={"TERRARIUM_VIEWER_URL": usable}).viewer_url == usable


def test_a_channel_is_not_lost_to_a_comment_of_dotenv(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("IRC_CHANNELS=#tea, #mate\n")
    with pytest.raises(BadSetting, match=r"IRC_CHANNELS in .*Leave the # out"):
        load_settings(env_file=file, environ={})
    file.write_text('IRC_CHANNELS="#tea, #mate" # both\n')
    assert names(load_settings(env_file=file, environ={})) == ("#tea", "#mate")
    file.write_text("IRC_CHANNELS=tea, mate # both\n")
    assert names(load_settings(env_file=file, environ={})) == ("#tea", "#mate")


def test_channels_may_have_their_own_days_in_a_table_of_toml(home: Path) -> None:
    (home / "terrarium.toml").write_text(
        "terrarium_retention_days = 365\n"
        '[terrarium_retention_by_channel]\n"#tea" = 30\n"libera/#dev" = 0\n'
    )
    settings = load_settings(environ={})
    assert settings.retention_days == 365
    assert settings.retention_by_channel == (("#tea", 30), ("libera/#dev", 0))


@pytest.mark.parametrize("days", ["-1", '"30"', "1.5", "true", "100001", "[30]"])
def test_days_that_are_no_number_are_refused_with_file_and_key(home: Path, days: str) -> None:
    (home / "terrarium.toml").write_text(
        f'[terrarium_retention_by_channel]\n"#mate" = 30\n"#tea" = {days}\n'
    )
    told = complaint()
    assert "TERRARIUM_RETENTION_BY_CHANNEL" in told
    assert "from terrarium.toml" in told
    assert "#tea = " in told
    assert "must be a whole number of days" in told


def test_days_by_channel_are_a_table() -> None:
    assert "must be a table" in complaint(environ={"TERRARIUM_RETENTION_BY_CHANNEL": "#tea=30"})
    assert "must be 0 or more" in complaint(environ={"TERRARIUM_RETENTION_DAYS": "-1"})


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("IRC_PORT", 0, 65535),
        ("MAX_CONTEXT_MESSAGES", 0, 200),
        ("AGENT_MAX_TOKENS", 1, 10**9),
        ("SEARCH_MAX_RESULTS", 1, 10),
        ("TERRARIUM_RETENTION_DAYS", 0, 100_000),
        ("AGENT_TEMPERATURE", 0, 2),
    ],
)
def test_a_number_is_accepted_at_its_bounds_and_refused_beyond(
    name: str, least: int, most: int
) -> None:
    for value in (least, most):
        assert load_settings(environ={name: str(value)}).model_dump(by_alias=True)[name] == value
    assert f"{name}='{least - 1}' (from the environment): " in complaint(
        environ={name: str(least - 1)}
    )
    if most < 10**9:
        assert f"{name}='{most + 1}' " in complaint(environ={name: str(most + 1)})


def test_the_time_for_an_answer_is_more_than_none() -> None:
    assert load_settings(environ={"AGENT_TIMEOUT": "0.5"}).agent_timeout == 0.5


@pytest.mark.parametrize(("prefix", "accepted"), [("", False), ("!", True), ("terra ", True)])
def test_a_command_prefix_has_at_least_one_character(prefix: str, accepted: bool) -> None:
    if accepted:
        assert load_settings({"COMMAND_PREFIX": prefix}, environ={}).command_prefix == prefix
    else:
        assert "COMMAND_PREFIX='' (from the command line): " in complaint(
            flags={"COMMAND_PREFIX": prefix}
        )


def test_a_command_prefix_is_none_that_clients_keep_to_themselves() -> None:
    told = complaint(flags={"COMMAND_PREFIX": "/"})
    assert "IRC clients keep lines that begin with / to themselves. Choose another" in told


def test_a_bot_needs_a_nick() -> None:
    assert complaint(flags={"irc_nick": ""}).startswith("IRC_NICK='' (from the command line): ")
    assert load_settings({"irc_nick": "x"}, environ={}).irc_nick == "x"


def test_the_source_of_every_setting_that_is_set_is_known(home: Path) -> None:
    (home / ".env").write_text("IRC_NICK=a\nIRC_SERVER=b\n")
    (home / "terrarium.toml").write_text('irc_nick = "c"\nagent_model = "d"\n')
    loaded = read_settings({"db_path": "x.db"}, environ={"IRC_PORT": "7000"})
    assert loaded.sources == {
        "DB_PATH": "the command line",
        "IRC_PORT": "the environment",
        "IRC_NICK": ".env",
        "IRC_SERVER": ".env",
        "AGENT_MODEL": "terrarium.toml",
    }
    assert (loaded.settings.irc_nick, loaded.settings.agent_model) == ("a", "d")


def test_names_of_settings_may_be_in_any_case() -> None:
    assert load_settings(environ={"irc_nick": "a"}).irc_nick == "a"
    assert "terrarium_zone in the environment is not a setting." in complaint(
        environ={"terrarium_zone": "UTC"}
    )


def test_every_refusal_is_said_at_once_with_its_meaning() -> None:
    told = complaint(environ={"IRC_PORT": "x", "AGENT_API_URL": "y"})
    assert told == (
        "IRC_PORT='x' (from the environment): not a whole number. Its meaning: port of the IRC"
        " server; 0: 6697 with TLS, 6667 without. AGENT_API_URL='y' (from the environment): not an"
        " address such as http://localhost:8080. Its meaning: URL of the"
        " OpenAI-compatible endpoint; none: questions are answered with search results."
    )


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("TERRARIUM_RETENTION_DAYS", "30d", "not a whole number"),
        ("TERRARIUM_RETENTION_DAYS", "-3", "must be 0 or more"),
        ("IRC_PORT", "70000", "must be 65535 or less"),
        ("AGENT_TEMPERATURE", "warm", "not a number"),
        ("AGENT_TIMEOUT", "0", "must be more than 0"),
        ("IRC_USE_SSL", "maybe", "must be on or off"),
        ("TERRARIUM_SAY_TROUBLE", "maybe", "must be 'on' or 'off'"),
        ("TERRARIUM_ROLE", "Record", "must be 'both', 'record' or 'answer'"),
    ],
)
def test_a_refusal_names_what_would_be_accepted(name: str, value: str, what: str) -> None:
    assert complaint(environ={name: value}).startswith(
        f"{name}={value!r} (from the environment): {what}. Its meaning: "
    )


@pytest.mark.parametrize("word", ["on", "On", "yes", "true", "1"])
def test_a_switch_is_on_in_the_words_of_other_programs(word: str) -> None:
    assert load_settings(environ={"TERRARIUM_SAY_TROUBLE": word}).say_trouble == "on"


def test_a_switch_takes_the_boolean_of_toml(tmp_path: Path) -> None:
    (tmp_path / "terrarium.toml").write_text("TERRARIUM_WRITE_TOOLS = false\n", "utf-8")
    assert load_settings(environ={}).write_tools == "off"


def test_a_refusal_that_ends_with_a_question_gets_no_full_stop() -> None:
    assert complaint(environ={"TERRARIUM_TIMEZONE": "Europe/Berln"}) == (
        "TERRARIUM_TIMEZONE='Europe/Berln' (from the environment): not a time zone."
        " Did you mean Europe/Berlin? Its meaning: time zone of transcripts."
    )


def test_an_unknown_flag_is_no_setting() -> None:
    assert complaint(flags={"irc_nic": "x", "irc_serve": "y"}) == (
        "irc_nic is not a setting. Did you mean IRC_NICK?"
        " irc_serve is not a setting. Did you mean IRC_SERVER?"
    )


@pytest.mark.parametrize("name", SECRETS)
def test_a_refused_secret_is_named_with_its_source(name: str) -> None:
    told = complaint(flags={name: ["hunter2"]})
    assert told.startswith(f"{name} (from the command line): Input should be a valid string.")


@pytest.mark.parametrize("key", ["hunter2\nx", "\u201chunter2\u201d", "hunter2\u00a0x", "h\u00e9"])
def test_a_key_that_no_header_carries_is_refused_without_showing_it(home: Path, key: str) -> None:
    told = complaint(environ={"AGENT_API_KEY": key})
    assert told.startswith(
        "AGENT_API_KEY (from the environment): no HTTP header can carry it: a key is one line of"
        " ASCII. Copy it again, without a line break or typographic quotes."
    )
    assert key not in told
    assert "hunter2" not in told
    (home / ".env").write_text('AGENT_API_KEY="hunter2\\n"\n')
    assert complaint().startswith("AGENT_API_KEY (from .env): no HTTP header can carry it:")


@pytest.mark.parametrize("name", ["TERRARIUM_SERVER_PASSWORD", "TERRARIUM_CONTACT"])
@pytest.mark.parametrize("text", ["ada\nada@home", "ada\rx", "ada\0x"])
def test_what_is_sent_in_a_line_to_the_server_is_one_line(name: str, text: str) -> None:
    told = complaint(environ={name: text})
    assert told.startswith(name)
    assert "(from the environment): must be one line: it is sent to the IRC server" in told


@pytest.mark.parametrize("zone", ["0123456789", "CEST", "PDT", "UTC+2", "GMT+1"])
def test_of_a_zone_that_is_no_place_one_is_asked_for(zone: str) -> None:
    assert complaint(environ={"TERRARIUM_TIMEZONE": zone}) == (
        f"TERRARIUM_TIMEZONE='{zone}' (from the environment): not a time zone."
        " Name a place of it, such as Europe/Berlin. Its meaning: time zone of transcripts."
    )


def test_the_secrets_are_marked_and_empty_unless_set() -> None:
    assert {getattr(Settings(), field) for field in SECRET_FIELDS} == {""}
    marked = [
        str(field.alias) for field in Settings.model_fields.values() if field.json_schema_extra
    ]
    assert sorted(marked) == sorted([*SECRETS, "MCP_SERVERS"])  # which has tokens in it
    assert all(
        field.json_schema_extra == {"secret": True}
        for field in Settings.model_fields.values()
        if field.alias in SECRETS
    )


def test_settings_are_built_by_field_or_by_name_and_never_change() -> None:
    assert Settings(irc_nick="a") == Settings(IRC_NICK="a")  # type: ignore[call-arg]
    with pytest.raises(ValidationError):
        Settings(irc_nick="a").irc_nick = "b"
    with pytest.raises(ValidationError):
        Settings(nick="a")  # type: ignore[call-arg]


def test_every_setting_has_a_name_of_its_own() -> None:
    assert len(setting_names()) == len(set(setting_names())) == len(Settings.model_fields)
    assert setting_names()[0] == "DB_PATH"


@pytest.mark.parametrize(
    "address", ["http://localhost", "https://h.example:1/v1?a=b", "http://[::1]:80/", ""]
)
def test_an_address_may_be_any_url_of_http(address: str) -> None:
    assert load_settings({"search_api_url": address}, environ={}).search_api_url == address


@pytest.mark.parametrize(
    "address",
    [
        *("http:///path", "http://a b", "http://a/b c", "xhttp://a", "http:/a", "http://a/ "),
        *("http://[::1", "http://h:99999", "http://ada:te/a@h", "http://:80", "http://?q=a"),
    ],
)
def test_a_broken_url_is_refused(address: str) -> None:
    assert "not an address such as" in complaint(flags={"SEARCH_API_URL": address})


@pytest.mark.parametrize(
    ("line", "channels"),
    [
        ("IRC_CHANNELS=tea #mate", None),
        ("IRC_CHANNELS= #tea", None),
        ("IRC_CHANNELS = \t#tea,#mate", None),
        ("  export  IRC_CHANNELS = tea, #mate", None),
        ("IRC_NICK=x\nIRC_CHANNELS=tea,mate #dev", None),
        ("IRC_CHANNELS=#tea,#mate", ("#tea", "#mate")),
        ("IRC_CHANNELS='#tea, #mate'", ("#tea", "#mate")),
        ("IRC_CHANNELS=tea\nX=a #b", ("#tea",)),
        ("IRC_CHANNELS=tea # a comment", ("#tea",)),
        ("IRC_CHANNELS= # a comment", ()),
        ("IRC_CHANNELS= '#tea' #both", ("#tea",)),
        ("MY_IRC_CHANNELS=tea #mate", ()),
    ],
)
def test_a_channel_behind_a_comment_sign_is_never_lost(
    home: Path, line: str, channels: tuple[str, ...] | None
) -> None:
    (home / ".env").write_text(f"{line}\n")
    if channels is None:
        assert complaint() == (
            "IRC_CHANNELS in .env: a # after a space starts a comment there, so channels would be"
            " lost. Leave the # out, or put the value in quotes."
        )
    else:
        assert names(load_settings(environ={})) == channels


@pytest.mark.parametrize(
    ("server", "network"),
    [
        ("irc.tea.co.nz", "tea"),
        ("irc.tea.com.au", "tea"),
        ("irc.tea.net.au", "tea"),
        ("irc.tea.org.uk", "tea"),
        ("irc.tea.ac.uk", "tea"),
        ("co.uk", "co"),
        ("eu.irc.tea.org", "tea"),
        ("LOCALHOST.", "local"),
    ],
)
def test_a_second_level_registry_names_no_network(server: str, network: str) -> None:
    assert Settings(irc_server=server).network_name == network


def test_a_settings_file_is_no_folder(home: Path) -> None:
    (home / ".env").mkdir()  # python -m venv .env
    assert load_settings(environ={}) == Settings()
    (home / "terrarium.toml").mkdir()
    assert complaint() == "terrarium.toml is a folder. Remove it, or put a file there."
    assert complaint(env_file=home / ".env") == (
        f"There is no settings file {home / '.env'}. Name one that exists."
    )


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("TERRARIUM_SASL_PASSWORD='a${b}c'\n", "b"),
        ("irc_nick=${LATER}\nLATER=Luna\n", "LATER"),
        ("EMPTY\nIRC_NICK=${EMPTY}\n", "EMPTY"),
    ],
)
def test_a_variable_that_is_not_set_is_not_replaced_by_nothing(
    home: Path, text: str, variable: str
) -> None:
    (home / ".env").write_text(text)
    told = complaint()
    assert f"${{{variable}}} would be replaced by nothing, since no variable {variable}" in told
    assert told.endswith("in the environment or in terrarium.toml.")


def test_variables_in_a_settings_file_are_those_of_the_environment_and_of_earlier_lines(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL_KEY", "k")
    (home / ".env").write_text(
        "NAME=Luna\nIRC_NICK=${NAME}\nAGENT_API_KEY=${SHELL_KEY}\nOF_ANOTHER=${NOBODY}\n"
        "IRC_SERVER=${NOBODY:-irc.example}\nAGENT_MODEL=${NOBODY}\nAGENT_MODEL=m\n"
    )
    settings = load_settings(environ={})
    assert (settings.irc_nick, settings.agent_api_key) == ("Luna", "k")
    assert (settings.irc_server, settings.agent_model) == ("irc.example", "m")


def test_the_name_of_a_settings_file_may_be_too_long(home: Path) -> None:
    told = complaint(config=home / ("t" * 300))
    assert told.endswith(" cannot be opened: File name too long. Name another.")


def test_a_broken_file_is_named_with_the_flag_that_names_another(home: Path) -> None:
    (home / "bad.toml").write_text("IRC_NICK = \n")
    (home / "bad.env").write_bytes(b"IRC_NICK=\xff\xfe\n")
    told = complaint(config=home / "bad.toml")
    assert told.startswith(f"{home / 'bad.toml'} cannot be read as TOML: Invalid value")
    assert told.endswith(". Fix it, or use another with --config.")
    told = complaint(env_file=home / "bad.env")
    assert told.startswith(f"{home / 'bad.env'} is not UTF-8 from line 1 on.")
    assert told.endswith(". Fix it, or use another with --env-file.")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("IRC_NICK=Luna\n\n\nIRC_SERVER irc.libera.chat\n", 4),
        ('IRC_NICK="Luna\nIRC_SERVER="irc.libera.chat"\n', 1),
        ("IRC_NICK=Luna\nTERRARIUM_CONTACT='ada's mail'\n", 2),
        ("; settings of the bot\nIRC_NICK=Luna", 1),
    ],
)
def test_a_line_of_dotenv_that_cannot_be_read_is_named_and_no_other_is_lost_with_it(
    home: Path, text: str, line: int
) -> None:
    (home / ".env").write_text(text)
    assert complaint() == (
        f"Line {line} of .env cannot be read. Write NAME=value, with both quotes if there are any;"
        " a comment begins with #."
    )


def test_settings_files_are_read_as_utf8(home: Path) -> None:
    (home / ".env").write_bytes("IRC_NICK=tëa\n".encode())
    (home / "terrarium.toml").write_bytes('AGENT_MODEL = "mäte"\n'.encode())
    settings = load_settings(environ={})
    assert (settings.irc_nick, settings.agent_model) == ("tëa", "mäte")


def test_a_name_of_another_program_in_dotenv_may_have_no_value(home: Path) -> None:
    (home / ".env").write_text("EDITOR\nIRC_NICK\n")
    assert load_settings(environ={}).irc_nick == "Terra"


def test_days_by_channel_reach_from_none_to_all_and_show_as_they_are_set(home: Path) -> None:
    (home / "terrarium.toml").write_text(
        '[TERRARIUM_RETENTION_BY_CHANNEL]\n"#tea" = 0\n"libera/#dev" = 100000\n'
    )
    days = load_settings(environ={}).retention_by_channel
    assert days == (RoomDays("#tea", 0), RoomDays("libera/#dev", 100_000))
    assert [str(one) for one in days] == ["#tea=0", "libera/#dev=100000"]
    assert [(one.room, one.days) for one in days] == [("#tea", 0), ("libera/#dev", 100_000)]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (5, 'must be a table: [TERRARIUM_RETENTION_BY_CHANNEL] with lines such as "#tea" = 30.'),
        ({"#tea": -1}, "#tea = -1: must be a whole number of days; 0: for ever."),
        ({"#tea": 100_001}, "#tea = 100001: must be a whole number of days; 0: for ever."),
    ],
)
def test_wrong_days_by_channel_are_refused_with_the_reason(written: object, reason: str) -> None:
    assert f"(from the command line): {reason} Its meaning: " in complaint(
        flags={"TERRARIUM_RETENTION_BY_CHANNEL": written}
    )


def test_channels_of_any_other_type_are_refused_or_named() -> None:
    listed = Settings(irc_channels=["tea", 5])  # type: ignore[arg-type]
    assert names(listed) == ("#tea", "#5")
    assert complaint(flags={"irc_channels": 5}).startswith("IRC_CHANNELS=5 (from the command line)")


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("America/New_York", "America/New_York"),
        (None, "UTC"),
        ("Nowhere/Else", "UTC"),
        ("../etc/localtime", "UTC"),
    ],
)
def test_terrarium_irc_ran_in_this_machines_zone_or_where_it_has_none_in_utc(
    name: str | None, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tzlocal, "get_localzone_name", lambda: name)
    assert Settings().source_zone.key == zone
    assert Settings(source_timezone="Europe/Berlin").source_zone.key == "Europe/Berlin"


def test_an_empty_zone_is_utc() -> None:
    assert Settings(timezone="").zone.key == "UTC"


@pytest.mark.parametrize(
    ("environ", "host", "port", "tls", "channels"),
    [
        ({"IRC_SERVER": "h:7000"}, "h", 7000, True, ()),
        ({"IRC_SERVER": "h:6667"}, "h", 6667, False, ()),
        ({"IRC_SERVER": "h:7000", "IRC_USE_SSL": "off"}, "h", 7000, False, ()),
        ({"IRC_SERVER": "irc://h"}, "h", 6697, True, ()),
        ({"IRC_SERVER": "irc://h:6667/tea"}, "h", 6667, False, ("#tea",)),
        ({"IRC_SERVER": "ircs://h:6667/tea"}, "h", 6667, True, ("#tea",)),
        ({"IRC_SERVER": "ircs://h", "IRC_PORT": "7000"}, "h", 7000, True, ()),
        ({"IRC_SERVER": "h:7000", "IRC_PORT": "7000"}, "h", 7000, True, ()),
        ({"IRC_SERVER": "h:7000", "IRC_PORT": "0"}, "h", 7000, True, ()),
        ({"IRC_SERVER": "h/tea", "IRC_CHANNELS": "tea,mate"}, "h", 6697, True, ("#tea", "#mate")),
        ({"IRC_SERVER": "[::1]:6667"}, "::1", 6667, False, ()),
    ],
)
def test_a_server_is_understood_with_its_port_and_as_a_url(
    environ: dict[str, str], host: str, port: int, tls: bool, channels: tuple[str, ...]
) -> None:
    settings = load_settings(environ=environ)
    assert (settings.irc_server, settings.server_port) == (host, port)
    assert (settings.uses_tls, names(settings)) == (tls, channels)


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        (
            {"IRC_SERVER": "h:7000", "IRC_PORT": "6697"},
            "and IRC_PORT='6697' (from the environment) contradict each other. Remove one of them.",
        ),
        (
            {"IRC_SERVER": "ircs://h", "IRC_USE_SSL": "off"},
            "and IRC_USE_SSL='off' (from the environment) contradict each other",
        ),
        (
            {"IRC_SERVER": "irc://h/tea", "IRC_CHANNELS": "mate"},
            "and IRC_CHANNELS='mate' (from the environment) contradict each other",
        ),
        *[
            (
                {"IRC_SERVER": "ircs://h", "IRC_USE_SSL": off},
                f"and IRC_USE_SSL={off!r} (from the environment) contradict each other",
            )
            for off in ("0", "f", "F", "false", "n", "No")
        ],
        ({"IRC_SERVER": "irc://h/tea", "IRC_CHANNELS": "tea;mate"}, "separated by commas"),
        ({"IRC_SERVER": "https://h"}, "not the address of an IRC server, such as irc.libera.chat"),
    ],
)
def test_a_server_that_contradicts_another_setting_is_refused(
    environ: dict[str, str], told: str
) -> None:
    assert told in complaint(environ=environ)


def test_a_port_that_is_no_number_is_told_as_such_beside_a_server_that_names_one() -> None:
    environ = {"IRC_SERVER": "irc.example:6667", "IRC_PORT": "abc"}
    assert complaint(environ=environ).startswith(
        "IRC_PORT='abc' (from the environment): not a whole number."
    )


def test_a_password_in_a_url_is_not_repeated() -> None:
    told = complaint(environ={"IRC_SERVER": "irc://ada:hunter2@h"})
    assert "IRC_SERVER='irc://...@h' (from the environment): not the address" in told
    assert "hunter2" not in told


def test_what_the_server_names_has_its_source(home: Path) -> None:
    (home / ".env").write_text("IRC_SERVER=ircs://h:7000/tea\n")
    names = ["IRC_SERVER", "IRC_PORT", "IRC_USE_SSL", "IRC_CHANNELS"]
    assert read_settings(environ={}).sources == dict.fromkeys(names, ".env")


@pytest.mark.parametrize("written", ["tea;mate", "#tea; #mate", "tea, ;mate"])
def test_channels_that_a_semicolon_separates_are_refused_with_the_right_way(written: str) -> None:
    assert complaint(environ={"IRC_CHANNELS": written}).startswith(
        f"IRC_CHANNELS={written!r} (from the environment): channels are separated by commas: "
    )


def test_a_channel_whose_name_has_a_semicolon_can_be_listed_in_toml(home: Path) -> None:
    (home / "terrarium.toml").write_text('irc_channels = ["#tea;mate"]\n')
    assert names(load_settings(environ={})) == ("#tea;mate",)


def test_a_slip_is_told_with_its_source_and_only_where_the_setting_is_missing(home: Path) -> None:
    (home / ".env").write_text("AGENT_URL=http://h\nEDITOR=vi\n")
    environ = {"IRC_NIK": "x", "HOME": "/", "IRCNICK": "of irssi"}
    assert read_settings(environ=environ).slips() == [
        "IRC_NIK in the environment is not a setting. Did you mean IRC_NICK?",
        "AGENT_URL in .env is not a setting. Did you mean AGENT_API_URL?",
    ]
    both = environ | {"IRC_NICK": "y", "AGENT_API_URL": "http://h"}
    assert read_settings(environ=both).slips() == []


def test_a_setting_that_env_has_twice_is_told_with_its_lines(home: Path) -> None:
    (home / ".env").write_text(
        "IRC_CHANNELS=tea\n\nexport irc_channels=mate\nEDITOR=vi\nEDITOR=ed\n"
        "IRC_NICK=Fern\nIRC_NICK=Fern\n"
    )
    loaded = read_settings(environ={})
    assert loaded.settings.irc_channels[0].name == "#mate"
    (slip,) = loaded.slips()
    assert slip == (
        "IRC_CHANNELS is in line 1 and in line 3 of .env, and only line 3 counts."
        " Remove one of them."
    )


def test_settings_can_come_from_one_source_alone(home: Path) -> None:
    (home / ".env").write_text("IRC_NICK=elsewhere\n")
    assert settings_from({"IRC_SERVER": "h:7000"}, "a test").irc_port == 7000
    assert settings_from({}, "a test").irc_nick == "Terra"
    with pytest.raises(BadSetting, match=r"IRC_PORT='x' \(from a test\)"):
        settings_from({"IRC_PORT": "x"}, "a test")


@pytest.mark.parametrize(
    "written", ["relaybot,libera/telebot=[t] NAME:", " relaybot , libera/telebot=[t]  NAME: ,"]
)
def test_relays_are_nicks_perhaps_with_a_network_and_how_their_lines_begin(written: str) -> None:
    read = load_settings(environ={"TERRARIUM_RELAYS": written}).relays
    assert read == (Relay("relaybot"), Relay("telebot", "libera", "[t] NAME:"))


def test_relays_may_be_a_list_in_toml(home: Path) -> None:
    (home / "terrarium.toml").write_text('TERRARIUM_RELAYS = ["a", "b=NAME, "]\n', "utf-8")
    assert load_settings(environ={}).relays == (Relay("a"), Relay("b", head="NAME,"))


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("two words", "'two words' is not a nick such as relaybot or libera/relaybot"),
        ("bot=<nick>", "'<nick>' must say how its lines begin, with NAME for the speaker"),
    ],
)
def test_a_relay_that_is_none_is_refused_with_the_reason(written: str, reason: str) -> None:
    with pytest.raises(BadSetting, match="TERRARIUM_RELAYS") as refused:
        load_settings(environ={"TERRARIUM_RELAYS": written})
    assert reason in str(refused.value)


@pytest.mark.parametrize("written", ["spam*, *!*@bad.example", "spam* *!*@bad.example"])
def test_people_to_ignore_are_nicks_and_masks(written: str) -> None:
    settings = load_settings(environ={"TERRARIUM_IGNORE": written})
    assert settings.ignore == (Mask("spam*"), Mask("*!*@bad.example"))
    assert load_settings(environ={}).ignore == ()


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("TERRARIUM_PRIVATE", "everybody", "'members', 'anyone' or 'off'"),
        ("TERRARIUM_ASK_BURST", "0", "must be 1 or more"),
        ("TERRARIUM_ASK_EVERY", "inf", "finite"),
        ("TERRARIUM_CHANNEL_QUESTIONS", "0", "must be 1 or more"),
    ],
)
def test_a_limit_that_is_none_is_refused(name: str, value: str, reason: str) -> None:
    with pytest.raises(BadSetting, match=reason) as refused:
        load_settings(environ={name: value})
    assert name in str(refused.value)


def test_admins_and_guardians_are_words_or_a_list(home: Path) -> None:
    read = load_settings(environ={"TERRARIUM_ADMINS": "countess, *!*@staff.example"})
    assert read.admins == ("countess", "*!*@staff.example")
    (home / "terrarium.toml").write_text('TERRARIUM_GUARDIANS = ["ada", "bo!*@*"]\n', "utf-8")
    assert load_settings(environ={}).guardians == ("ada", "bo!*@*")


@pytest.mark.parametrize("mask", ["b!!", "*!*@", "!u@h", "@"])
def test_a_mask_to_ignore_that_can_mean_nobody_is_refused(mask: str) -> None:
    with pytest.raises(BadSetting, match="TERRARIUM_IGNORE") as refused:
        load_settings(environ={"TERRARIUM_IGNORE": f"spam* {mask}"})
    assert f"{mask} cannot match anyone: a mask is nick!user@host" in str(refused.value)


@pytest.mark.parametrize(
    ("mask", "whom"),
    [
        ("ada!*@*", "anyone who takes the nick"),
        ("ada!~ada@*.*", "anyone who takes the nick"),
        ("*!*@*", "everybody"),
        ("*@*", "everybody"),
    ],
)
def test_an_admin_whom_anybody_could_be_is_refused_with_the_way_out(mask: str, whom: str) -> None:
    with pytest.raises(BadSetting, match="TERRARIUM_ADMINS") as refused:
        load_settings(environ={"TERRARIUM_ADMINS": f"countess {mask}"})
    assert f"{mask} is met by {whom}. Name a services account" in str(refused.value)


@pytest.mark.parametrize(
    ("network", "channel", "days"),
    [("libera", "#tea", 30), ("libera", "#TEA", 30), ("oftc", "#tea", 7), ("oftc", "#mate", 365)],
)
def test_days_are_those_of_the_room_else_of_the_channel_else_of_all(
    network: str, channel: str, days: int
) -> None:
    by_channel = (RoomDays("libera/#tea", 30), RoomDays("#tea", 7))
    settings = Settings(retention_days=365, retention_by_channel=by_channel)
    assert settings.days_kept(network, channel) == days


def test_days_of_a_channel_are_found_as_its_network_compares_names() -> None:
    settings = Settings(retention_by_channel=(RoomDays("#tea[", 7),))
    assert settings.days_kept("libera", "#TEA{") == 7
    assert settings.days_kept("libera", "#TEA{", "ascii") == 0
    assert settings.days_kept("libera", "#TEA[", "ascii") == 7


@pytest.mark.parametrize(
    ("url", "is_here"),
    [
        ("http://localhost:8080", True),
        ("http://[::1]:8080/v1", True),
        ("http://127.0.0.2", True),
        ("https://localhost.example", False),
        ("http://192.0.2.7:8080", False),
    ],
)
def test_a_model_on_this_machine_is_told_from_one_elsewhere(url: str, is_here: bool) -> None:
    assert Settings(agent_api_url=url).asks_model_here is is_here


@pytest.mark.parametrize("quoted", ['"#tea,#mate"', "'#tea,#mate'", '"tea" '])
@pytest.mark.parametrize("name", ["IRC_CHANNELS", "DB_PATH", "TERRARIUM_SERVER_PASSWORD"])
def test_quotes_around_a_variable_are_no_part_of_its_value(name: str, quoted: str) -> None:
    told = complaint(environ={name: quoted})
    assert told.startswith(f"{name} in the environment has quotes around its value")
    assert "docker run --env-file" in told
    assert quoted not in told


def test_quotes_within_a_value_and_in_a_file_are_meant(home: Path) -> None:
    (home / ".env").write_text("""TERRARIUM_SERVER_PASSWORD='"quoted"'\n""")
    settings = load_settings(environ={"TERRARIUM_CONTACT": '"ada" or "bo'})
    assert settings.contact == '"ada" or "bo'
    assert settings.server_password == '"quoted"'  # noqa: S105 -- an example


def test_blanks_around_a_variable_are_no_part_of_its_value() -> None:
    settings = load_settings(environ={"DB_PATH": " x.db \r", "IRC_NICK": "  "})
    assert (settings.db_path, settings.irc_nick) == (Path("x.db"), "Terra")


def test_a_path_may_begin_at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home / "ada"))
    (home / "ada").mkdir()
    expected = home / "ada" / "x.db"
    assert load_settings({"DB_PATH": Path("~/x.db")}, environ={}).db_path == expected
    assert load_settings(environ={"DB_PATH": "~/x.db"}).db_path == expected
    (home / ".env").write_text("DB_PATH=~/x.db\n")
    assert load_settings(environ={}).db_path == expected
    (home / ".env").write_text("DB_PATH=./~/x.db\n")
    assert load_settings(environ={}).db_path == Path("~/x.db")
    told = complaint(environ={"DB_PATH": "~no-such-account/x.db"})
    assert told.startswith("DB_PATH in the environment is ~no-such-account/x.db: no home folder")


def test_a_byte_order_mark_is_no_part_of_a_settings_file(home: Path) -> None:
    (home / "terrarium.toml").write_text('IRC_NICK = "Fern"\n', "utf-8-sig")
    (home / ".env").write_text("IRC_SERVER=irc.example.org\n", "utf-8-sig")
    settings = load_settings(environ={})
    assert (settings.irc_nick, settings.irc_server) == ("Fern", "irc.example.org")
