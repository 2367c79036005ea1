"""Several networks: each [[network]] table is a network, and mistakes are named."""

from pathlib import Path

import pytest

from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.settings import (
    BadSetting,
    Settings,
    changed_voice_rules,
    read_settings,
    voice_rules_of,
)

TWO = """
IRC_NICK = "Terra"
TERRARIUM_CONTACT = "ada"
AGENT_MODEL = "one"

[[network]]
TERRARIUM_NETWORK = "libera"
IRC_SERVER = "irc.libera.chat"
IRC_CHANNELS = ["#tea"]
TERRARIUM_SASL_PASSWORD = "hunter2"

[[network]]
TERRARIUM_NETWORK = "home"
IRC_SERVER = "irc://127.0.0.1:6667/mate"
IRC_NICK = "Teapot"
"""

HOLD_FOR_ALL = {
    **dict.fromkeys(["DB_PATH", "TERRARIUM_TALK_LOG"], '"some.file"'),
    **dict.fromkeys(["AGENT_API_URL", "SEARCH_API_URL"], '"http://127.0.0.1"'),
    **dict.fromkeys(["AGENT_API_KEY", "AGENT_MODEL", "SEARCH_API_KEY"], '"two"'),
    **dict.fromkeys(["AGENT_MAX_TOKENS", "AGENT_TIMEOUT", "SEARCH_MAX_RESULTS"], "3"),
    **dict.fromkeys(["AGENT_TEMPERATURE", "TERRARIUM_RETENTION_DAYS"], "1"),
    **dict.fromkeys(["TERRARIUM_TIMEZONE", "TERRARIUM_SOURCE_TIMEZONE"], '"UTC"'),
    **dict.fromkeys(["TERRARIUM_TOOLS", "TERRARIUM_BRIDGE_TOOLS"], '"all"'),
    "TERRARIUM_RETENTION_BY_CHANNEL": '"#tea=3"',
    "TERRARIUM_WRITE_TOOLS": "false",
}
"""The settings of the history, the model and the web, with a value as TOML."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be started in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings_in(toml: str, **environ: str) -> Settings:
    Path("terrarium.toml").write_text(toml)
    return read_settings(environ=environ).settings


def complaint(toml: str, **environ: str) -> str:
    with pytest.raises(BadSetting) as refused:
        settings_in(toml, **environ)
    return str(refused.value)


def test_each_table_is_a_network_and_takes_from_above_what_it_leaves_out() -> None:
    libera, home = settings_in(TWO).networks
    assert (libera.network_name, libera.irc_server, libera.server_port) == (
        "libera",
        "irc.libera.chat",
        6697,
    )
    assert (home.network_name, home.irc_server, home.server_port) == ("home", "127.0.0.1", 6667)
    assert [str(*one.irc_channels) for one in (libera, home)] == ["#tea", "#mate"]
    assert (libera.irc_nick, home.irc_nick) == ("Terra", "Teapot")
    assert (libera.contact, home.contact, home.agent_model) == ("ada", "ada", "one")
    assert home.networks == (home,)


def test_the_example_of_the_documentation_is_two_networks() -> None:
    page = (Path(__file__).parents[2] / "docs" / "networks.md").read_text("utf-8")
    libera, home = settings_in(page.partition("```toml\n")[2].partition("```")[0]).networks
    assert [str(channel) for channel in libera.irc_channels] == ["#tea", "#mate ***"]
    assert (libera.irc_server, libera.uses_tls, libera.irc_nick) == (
        "irc.libera.chat",
        True,
        "Terra",
    )
    assert (home.irc_server, home.uses_tls, home.irc_nick) == ("127.0.0.1", False, "Teapot")
    assert (libera.sasl_password, home.sasl_password) == ("a password", "")
    text = page.partition('`IRC_CHANNELS="')[2].partition('"')[0]
    (listed,) = settings_in(f'[[network]]\nIRC_CHANNELS = "{text}"').networks
    assert [str(channel) for channel in listed.irc_channels] == ["#tea", "#mate ***", "#coffee"]


def test_without_tables_the_settings_are_their_only_network() -> None:
    settings = settings_in('IRC_SERVER = "irc.libera.chat"')
    assert settings.networks == (settings,)
    assert settings_in("").networks[0].irc_server == ""


def test_no_password_of_one_network_reaches_another() -> None:
    libera, home = settings_in(TWO).networks
    assert (libera.sasl_password, home.sasl_password) == ("hunter2", "")


def test_a_table_counts_before_the_environment() -> None:
    libera, home = settings_in(TWO, IRC_NICK="Kettle").networks
    assert (libera.irc_nick, home.irc_nick) == ("Kettle", "Teapot")


def test_rows_without_a_network_belong_to_the_first() -> None:
    assert settings_in(TWO).network_name == "libera"


def test_a_relative_path_in_a_table_counts_from_its_file(home: Path) -> None:
    (home / "there").mkdir()
    file = home / "there" / "my.toml"
    file.write_text('[[network]]\nIRC_SERVER = "irc.example"\nTERRARIUM_TLS_CAFILE = "ca.pem"')
    (network,) = read_settings(config=file, environ={}).settings.networks
    assert network.tls_cafile == home / "there" / "ca.pem"


@pytest.mark.parametrize(
    "above",
    [
        *["IRC_SERVER=irc.example", "IRC_PORT=6697", "IRC_USE_SSL=on", "IRC_CHANNELS=tea"],
        *["TERRARIUM_NETWORK=libera", "TERRARIUM_SERVER_PASSWORD=hunter2"],
        *["TERRARIUM_SASL_USERNAME=terra", "TERRARIUM_SASL_PASSWORD=hunter2"],
        *["TERRARIUM_TLS_CERT=cert.pem", "TERRARIUM_TLS_KEY=key.pem"],
    ],
)
def test_what_belongs_to_one_network_is_refused_beside_tables(above: str) -> None:
    name, value = above.split("=")
    assert complaint(TWO, **{name: value}) == (
        f"{name} (from the environment) belongs to one network, and there are [[network]] tables:"
        " move it into one of them."
    )


@pytest.mark.parametrize("name", sorted(HOLD_FOR_ALL))
def test_what_holds_for_all_networks_is_refused_in_a_table(name: str) -> None:
    assert complaint(TWO + f"{name} = {HOLD_FOR_ALL[name]}") == (
        f"{name} in [[network]] home of terrarium.toml holds for all networks:"
        " move it above the first [[network]]."
    )


def test_an_unknown_key_of_a_table_is_named_with_the_nearest() -> None:
    assert complaint(TWO + 'IRC_NIK = "x"') == (
        "IRC_NIK in [[network]] home of terrarium.toml is not a setting. Did you mean IRC_NICK?"
    )


def test_a_key_of_a_table_that_resembles_none_is_refused_with_how_they_are_written() -> None:
    assert complaint(TWO + 'name = "x"') == (
        "name in [[network]] home of terrarium.toml is not a setting. The keys of a table are"
        ' settings by their full names, such as TERRARIUM_NETWORK = "libera" and'
        ' IRC_SERVER = "irc.libera.chat".'
    )


def test_an_unusable_value_is_named_with_its_table() -> None:
    wrong = complaint(TWO.replace('"irc://127.0.0.1:6667/mate"', '"127.0.0.1"\nIRC_PORT = 70000'))
    assert wrong.startswith("IRC_PORT=70000 (from [[network]] home of terrarium.toml): ")


def test_several_networks_need_names_and_each_its_own() -> None:
    unnamed = complaint(TWO.replace('TERRARIUM_NETWORK = "libera"\n', ""))
    assert unnamed == (
        "[[network]] 1 of terrarium.toml has no name. Give it one that stays the same, e.g."
        ' TERRARIUM_NETWORK = "libera".'
    )
    twice = complaint(TWO.replace('"home"', '"Libera"'))
    assert twice == (
        "[[network]] libera of terrarium.toml and [[network]] Libera of terrarium.toml have the"
        " same name: choose another TERRARIUM_NETWORK for one of them."
    )


def test_names_that_differ_in_case_alone_are_the_same_in_other_alphabets_too() -> None:
    wrong = complaint(TWO.replace('"libera"', '"Stra\u00dfe"').replace('"home"', '"STRASSE"'))
    assert "have the same name" in wrong


def test_a_single_table_needs_no_name() -> None:
    (network,) = settings_in('[[network]]\nIRC_SERVER = "irc.libera.chat"').networks
    assert network.network_name == "libera"


@pytest.mark.parametrize("name", ["#tea", "a/b", "&x", "/"])
def test_a_name_that_would_read_as_a_channel_is_refused(name: str) -> None:
    assert "has no / and begins like no channel" in complaint("", TERRARIUM_NETWORK=name)


@pytest.mark.parametrize("toml", ['[network]\nIRC_SERVER = "a"', "network = 5", "Network = [1]"])
def test_what_is_no_list_of_tables_is_refused_with_how_to_write_it(toml: str) -> None:
    assert complaint(toml) == (
        "network in terrarium.toml must be tables: begin each with [[network]]."
    )


def test_voice_rules_follow_for_each_network() -> None:
    relayed = 'TERRARIUM_RELAYS = "everybot, home/homebot, away/awaybot"\n' + TWO
    settings = settings_in(relayed + 'COMMAND_PREFIX = "?"\n')
    told = changed_voice_rules(settings, {})
    assert told == {
        "libera": VoiceRules(relays=(Relay("everybot", "libera"),)),
        "home": VoiceRules("Teapot", "?", (Relay("everybot", "home"), Relay("homebot", "home"))),
        "away": VoiceRules(relays=(Relay("awaybot", "away"),)),
    }
    assert [voice_rules_of(one) for one in settings.networks] == [told["libera"], told["home"]]
    assert changed_voice_rules(settings, told) == {}


def test_a_table_names_only_relays_of_its_own_network() -> None:
    assert complaint(TWO + 'TERRARIUM_RELAYS = ["libera/bot"]') == (
        "TERRARIUM_RELAYS in [[network]] home of terrarium.toml names libera/bot, which is on"
        " another network: move it into that network's table."
    )
    own = settings_in(TWO + 'TERRARIUM_RELAYS = ["home/bot"]').networks[1]
    assert voice_rules_of(own).relays == (Relay("bot", "home"),)


def test_a_slip_in_the_environment_is_not_reported_where_a_table_has_the_setting() -> None:
    Path("terrarium.toml").write_text(TWO)
    assert read_settings(environ={"IRC_HOST": "x"}).slips() == []
    assert read_settings(environ={"IRC_TLS": "x"}).slips() == [
        "IRC_TLS in the environment is not a setting. Did you mean IRC_USE_SSL?"
    ]
