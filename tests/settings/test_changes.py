"""What a reload changes at once, and what it leaves for a restart."""

from terrarium_mcp.settings import Settings, changed
from terrarium_mcp.settings.changes import LIVE


def test_what_can_change_at_once_does_and_the_rest_keeps_its_old_value() -> None:
    old = Settings(irc_server="a.example", irc_channels=("#tea",), irc_nick="Terra")
    new = Settings(irc_server="b.example", irc_channels=("#mate",), irc_nick="Luna")
    change = changed(old, new)
    assert change.live == ("IRC_CHANNELS",)
    assert change.after_restart == ("IRC_SERVER", "IRC_NICK")
    assert change.settings == Settings(
        irc_server="a.example", irc_channels=("#mate",), irc_nick="Terra"
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
