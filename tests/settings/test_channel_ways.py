"""[channel] tables and the settings they override: role, askers, persona; mistakes are named."""

from pathlib import Path

import pytest

from terrarium_mcp.settings import BadSetting, ChannelWays, Settings, changed, read_settings
from terrarium_mcp.settings.channel_ways import ChannelTable

TWO = """
TERRARIUM_ASKERS = "account"

[channel."#tea"]
role = "record"

[channel."home/#tea"]
askers = "voiced"

[[network]]
TERRARIUM_NETWORK = "libera"
IRC_SERVER = "irc.libera.chat"
IRC_CHANNELS = ["#tea", "#mate"]

[[network]]
TERRARIUM_NETWORK = "home"
IRC_SERVER = "127.0.0.1"
IRC_CHANNELS = ["#tea"]
TERRARIUM_ROLE = "answer"
TERRARIUM_ASKERS = "anyone"
TERRARIUM_PERSONA = "host.txt"
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be started in, with a persona."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "host.txt").write_text("You are the host.")
    return tmp_path


def settings_in(toml: str, **environ: str) -> Settings:
    Path("terrarium.toml").write_text(toml)
    return read_settings(environ=environ).settings


def ways_in(toml: str, channel: str = "#tea", **environ: str) -> ChannelWays:
    return settings_in(toml, IRC_CHANNELS="tea,mate", **environ).channel_ways(channel)


def complaint(toml: str, **environ: str) -> str:
    with pytest.raises(BadSetting) as refused:
        settings_in(toml, **{"IRC_CHANNELS": "tea,mate", **environ})
    return str(refused.value)


def test_without_a_word_about_it_a_channel_is_recorded_and_anyone_may_ask() -> None:
    ways = ways_in("")
    assert ways == ChannelWays("both", "anyone", "")
    assert (ways.is_recorded, ways.is_answered) == (True, True)


@pytest.mark.parametrize(
    ("role", "is_recorded", "is_answered"),
    [("both", True, True), ("record", True, False), ("answer", False, True)],
)
def test_a_role_says_whether_a_channel_is_recorded_and_answered_in(
    role: str, is_recorded: bool, is_answered: bool
) -> None:
    ways = ways_in(f'[channel."#tea"]\nrole = "{role}"\n')
    assert (ways.is_recorded, ways.is_answered) == (is_recorded, is_answered)
    assert ways_in(f'[channel."#tea"]\nrole = "{role}"\n', "#mate") == ChannelWays()


def test_a_table_overrides_what_it_names_and_leaves_the_rest_to_the_network() -> None:
    libera, home = settings_in(TWO).networks
    assert libera.channel_ways("#tea") == ChannelWays("record", "account")
    assert libera.channel_ways("#mate") == ChannelWays("both", "account")
    assert home.channel_ways("#tea") == ChannelWays("answer", "voiced", "You are the host.")
    assert home.channel_ways("#mate") == ChannelWays("answer", "anyone", "You are the host.")


def test_a_private_chat_has_the_askers_and_persona_of_its_network_and_no_role() -> None:
    libera, home = settings_in(TWO).networks
    assert home.channel_ways("") == ChannelWays("both", "anyone", "You are the host.")
    assert libera.channel_ways("") == ChannelWays("both", "account", "")


def test_plain_settings_come_from_every_source_and_the_table_precedes_them() -> None:
    environ = {
        "TERRARIUM_ROLE": "record",
        "TERRARIUM_ASKERS": "voiced",
        "TERRARIUM_PERSONA": "host.txt",
    }
    assert ways_in("", **environ) == ChannelWays("record", "voiced", "You are the host.")
    toml = '[channel."#tea"]\nrole = "both"\naskers = "anyone"\n'
    assert ways_in(toml, **environ) == ChannelWays("both", "anyone", "You are the host.")


@pytest.mark.parametrize(
    ("mapping", "spelling", "is_same"),
    [("rfc1459", "#TEA{", True), ("ascii", "#TEA{", False), ("ascii", "#TEA[", True)],
)
def test_channels_compare_as_on_their_network(mapping: str, spelling: str, is_same: bool) -> None:
    toml = 'IRC_CHANNELS = ["#tea["]\n[channel."#Tea["]\nrole = "answer"\n'
    ways = settings_in(toml).channel_ways(spelling, mapping)
    assert ways.is_recorded is not is_same


def test_two_tables_may_name_channels_that_are_one_on_some_networks_only() -> None:
    toml = 'IRC_CHANNELS = ["#tea[", "#tea{"]\n[channel."#tea["]\nrole = "answer"\n'
    settings = settings_in(toml + '[channel."#tea{"]\nrole = "record"\n')
    roles = [settings.channel_ways(name, "ascii").role for name in ("#tea[", "#tea{")]
    assert roles == ["answer", "record"]


@pytest.mark.parametrize("name", ["tea", "#TEA", "irc/tea", "irc/#tea", "IRC/#Tea"])
def test_a_channel_may_be_written_with_its_network_and_without_its_prefix(name: str) -> None:
    assert ways_in(f'[channel."{name}"]\nrole = "record"\n').role == "record"


def test_a_slash_belongs_to_a_channel_that_has_one() -> None:
    settings = settings_in('IRC_CHANNELS = ["#a/b"]\n[channel."#a/b"]\nrole = "record"\n')
    assert settings.channel_ways("#a/b").role == "record"
    settings = settings_in('IRC_CHANNELS = ["#a/b"]\n[channel."irc/#a/b"]\nrole = "record"\n')
    assert settings.channel_ways("#a/b").role == "record"


def test_a_persona_is_beside_the_settings_file_that_names_it(tmp_path: Path) -> None:
    elsewhere = tmp_path / "etc"
    elsewhere.mkdir()
    (elsewhere / "terse.txt").write_text("Be terse.")
    toml = 'IRC_CHANNELS = "tea,mate"\nTERRARIUM_PERSONA = "terse.txt"\n'
    (elsewhere / "bot.toml").write_text(toml + '[channel.mate]\npersona = "../host.txt"\n')
    settings = read_settings(config=elsewhere / "bot.toml", environ={}).settings
    assert settings.channel_ways("#tea").persona == "Be terse."
    assert settings.channel_ways("#mate").persona == "You are the host."


def test_the_persona_of_a_channel_may_be_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "ada"))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "terse.txt").write_text("Be terse.")
    toml = 'IRC_CHANNELS = "tea"\n[channel."#tea"]\npersona = "~/terse.txt"\n'
    assert settings_in(toml).channel_ways("#tea").persona == "Be terse."
    with pytest.raises(
        BadSetting, match=r'persona in \[channel\."#tea"\].*: no home folder is known'
    ):
        settings_in(toml.replace("~/", "~no-such-account/"))


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        (
            '[channel."#tea"]\nroll = "both"\n',
            (
                'roll in [channel."#tea"] in terrarium.toml is not a setting of a channel.'
                " Did you mean role?"
            ),
        ),
        (
            '[channel."#tea"]\nIRC_NICK = "Tea"\n',
            (
                'irc_nick in [channel."#tea"] in terrarium.toml is not a setting of a channel.'
                " Choose from role, askers, persona."
            ),
        ),
        (
            '[channel."#tea"]\nrole = "reader"\n',
            (
                "role in [channel.\"#tea\"] in terrarium.toml is 'reader'."
                " Choose one of both, record, answer."
            ),
        ),
        (
            '[channel."#tea"]\naskers = ["ada"]\n',
            (
                "askers in [channel.\"#tea\"] in terrarium.toml is ['ada']."
                " Choose one of anyone, voiced, account."
            ),
        ),
        (
            '[channel."#tea"]\npersona = ""\n',
            (
                "persona in [channel.\"#tea\"] in terrarium.toml is ''."
                " Name a text file, such as librarian.txt."
            ),
        ),
        (
            '[channel."#tea"]\npersona = "ghost.txt"\n',
            (
                'persona in [channel."#tea"] in terrarium.toml: there is no file ghost.txt.'
                " Name one that exists."
            ),
        ),
        (
            '[channel."#te"]\nrole = "both"\n',
            '[channel."#te"] in terrarium.toml: #te is not in IRC_CHANNELS. Did you mean #tea?',
        ),
        (
            '[channel."#coffee"]\nrole = "both"\n',
            '[channel."#coffee"] in terrarium.toml: #coffee is not in IRC_CHANNELS. Add it there.',
        ),
        (
            '[channel."oftc/#tea"]\nrole = "both"\n',
            '[channel."oftc/#tea"] in terrarium.toml: no network is called oftc.',
        ),
        (
            '[channel."#tea"]\nrole = "both"\n[channel.TEA]\nrole = "record"\n',
            (
                '[channel."#tea"] and [channel."#TEA"] in terrarium.toml are the same channel:'
                " keep one of them."
            ),
        ),
        (
            'channel = "tea"\n',
            (
                "channel in terrarium.toml must be tables: begin each with its channel,"
                ' [channel."#tea"].'
            ),
        ),
        (
            '[channel]\nrole = "both"\n',
            (
                "channel in terrarium.toml must be tables: begin each with its channel,"
                ' [channel."#tea"].'
            ),
        ),
        (
            '[channel."/#tea"]\nrole = "both"\n',
            '[channel."/#tea"] in terrarium.toml names no channel: write #tea, or libera/#tea.',
        ),
        (
            '[channel."irc/"]\nrole = "both"\n',
            '[channel."irc/"] in terrarium.toml names no channel: write #tea, or libera/#tea.',
        ),
        (
            '[channel."#te\\na"]\nrole = "both"\n',
            '[channel."#te a"] in terrarium.toml: #te a is not in IRC_CHANNELS. Did you mean #tea?',
        ),
        (
            '[channel."#te\\na"]\n"ro\\nll" = "both"\n',
            (
                'ro ll in [channel."#te a"] in terrarium.toml is not a setting of a channel.'
                " Did you mean role?"
            ),
        ),
        ('"a\\u001b[2K\\nb" = 1\n', "a[2K b in terrarium.toml is not a setting."),
    ],
)
def test_a_mistake_in_a_table_is_named_with_the_way_out(toml: str, told: str) -> None:
    assert complaint(toml) == told


def test_a_process_that_joins_no_channel_reads_the_tables_of_a_bridge_that_does() -> None:
    settings = settings_in('[channel."#tea"]\nrole = "answer"\n')
    assert [table.title for table in settings.channel_tables] == ['[channel."#tea"]']


def test_a_channel_of_one_network_is_not_one_of_the_other() -> None:
    toml = TWO.replace("home/#tea", "home/#mate")
    with pytest.raises(BadSetting) as refused:
        settings_in(toml)
    assert '[channel."home/#mate"] in terrarium.toml: #mate is not in IRC_CHANNELS.' in str(
        refused.value
    )


def test_a_table_inside_a_network_is_shown_its_place() -> None:
    with pytest.raises(BadSetting) as refused:
        settings_in(TWO + '[network.channel."#tea"]\nrole = "both"\n')
    assert str(refused.value).endswith('must stand outside of it: [channel."home/#tea"].')


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("TERRARIUM_ROLE", "reader", "TERRARIUM_ROLE='reader' (from the environment): "),
        ("TERRARIUM_ASKERS", "ops", "TERRARIUM_ASKERS='ops' (from the environment): "),
        (
            "TERRARIUM_PERSONA",
            "ghost.txt",
            (
                "TERRARIUM_PERSONA='ghost.txt' (from the environment): there is no file ghost.txt."
                " Name one that exists."
            ),
        ),
    ],
)
def test_a_plain_setting_that_cannot_be_used_is_named(name: str, value: str, told: str) -> None:
    assert complaint("", **{name: value}).startswith(told)


def test_a_reload_changes_roles_askers_and_personas_at_once() -> None:
    old = settings_in("")
    toml = '[channel."#tea"]\nrole = "record"\npersona = "host.txt"\n'
    new = settings_in(toml, IRC_CHANNELS="tea", TERRARIUM_ASKERS="voiced")
    change = changed(old, new)
    assert change.live == ("IRC_CHANNELS", "TERRARIUM_ASKERS", "[channel]")
    assert change.after_restart == ()
    ways = ChannelWays("record", "voiced", "You are the host.")
    assert change.settings.channel_ways("#tea") == ways


def test_a_persona_file_that_says_something_else_is_a_change() -> None:
    toml = 'IRC_CHANNELS = "tea"\nTERRARIUM_PERSONA = "host.txt"\n[channel.tea]\n'
    toml += 'persona = "host.txt"\n'
    old = settings_in(toml)
    assert changed(old, settings_in(toml)).live == ()
    Path("host.txt").write_text("You are another.")
    change = changed(old, settings_in(toml))
    assert change.live == ("TERRARIUM_PERSONA", "[channel]")
    for channel in ("#tea", ""):
        assert change.settings.channel_ways(channel).persona == "You are another."


def test_every_network_has_the_new_tables_after_a_reload() -> None:
    old = settings_in(TWO)
    new = settings_in(TWO.replace('role = "record"', 'role = "answer"'))
    change = changed(old, new)
    assert (change.live, change.after_restart) == (("[channel]",), ())
    for one in change.settings.networks:
        assert one.channel_ways("#tea").role == "answer"


def test_where_a_table_stands_is_no_difference() -> None:
    here, there = (ChannelTable("", "#tea", "record", source=name) for name in ("a", "b"))
    assert here == there
