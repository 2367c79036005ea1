"""What a reload changes at once, and what it leaves for a restart."""

from terrarium_mcp.settings import Settings, changed
from terrarium_mcp.settings.changes import LIVE
from terrarium_mcp.settings.channels import ConfiguredChannel

TEA, MATE = ConfiguredChannel("#tea"), ConfiguredChannel("#mate")


def test_what_can_change_at_once_does_and_the_rest_keeps_its_old_value() -> None:
    old = Settings(irc_server="a.example", irc_channels=(TEA,), irc_nick="Terra")
    new = Settings(irc_server="b.example", irc_channels=(MATE,), irc_nick="Luna")
    change = changed(old, new)
    assert change.live == ("IRC_CHANNELS",)
    assert change.after_restart == ("IRC_SERVER", "IRC_NICK")
    assert change.settings == Settings(
        irc_server="a.example", irc_channels=(MATE,), irc_nick="Terra"
    )


def test_nothing_has_changed_where_nothing_differs() -> None:
    change = changed(Settings(retention_days=3), Settings(retention_days=3))
    assert (change.live, change.after_restart) == ((), ())


def test_what_waits_for_a_restart_is_named_again_until_it_comes() -> None:
    old, new = Settings(), Settings(irc_nick="Luna")
    again = changed(changed(old, new).settings, new)
    assert again.after_restart == ("IRC_NICK",)


def test_every_live_setting_exists() -> None:
    assert not LIVE - set(Settings.model_fields)


def networks_with(channel: ConfiguredChannel, nick: str) -> Settings:
    tables = [
        Settings(irc_server=f"{name}.example", irc_channels=(channel,), irc_nick=nick)
        for name in ("one", "two")
    ]
    return Settings().with_networks(tables)


def test_what_changes_in_each_network_is_named_once() -> None:
    change = changed(networks_with(TEA, "Terra"), networks_with(MATE, "Luna"))
    assert change.live == ("IRC_CHANNELS",)
    assert change.after_restart == ("IRC_NICK",)
    assert change.settings.networks == networks_with(MATE, "Terra").networks


def test_another_network_waits_for_a_restart() -> None:
    old = networks_with(TEA, "Terra")
    change = changed(old, old.with_networks(old.networks[:1]))
    assert (change.live, change.after_restart) == ((), ("[[network]]",))
    assert change.settings.networks == old.networks
