"""Channel keys: they belong to their channel, and appear in no message and as no channel."""

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.cli.starting.env_file import secrets_hidden
from terrarium_mcp.settings import (
    BadSetting,
    ConfiguredChannel,
    Settings,
    settings_from,
)
from terrarium_mcp.settings.channels import keys_hidden
from tests.settings.loaded import load_settings

TEA, MATE, LOCKED = (
    ConfiguredChannel("#tea"),
    ConfiguredChannel("#mate"),
    ConfiguredChannel("#key", "s3cret"),
)


def channels(written: str) -> tuple[ConfiguredChannel, ...]:
    return settings_from({"IRC_CHANNELS": written}, "a test").irc_channels


def complaint(written: object) -> str:
    with pytest.raises(BadSetting) as refused:
        load_settings({"IRC_CHANNELS": written}, environ={})
    return str(refused.value)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("#key s3cret", (LOCKED,)),
        ("#tea,#key s3cret,mate", (TEA, LOCKED, MATE)),
        (" #tea ,#key   s3cret , mate", (TEA, LOCKED, MATE)),
        ("#tea #key s3cret #mate", (TEA, LOCKED, MATE)),
        ("#key s3cret #key s3cret,#KEY s3cret", (LOCKED,)),
        ("&key s3;cret", (ConfiguredChannel("&key", "s3;cret"),)),
        ("+key s3cret", (ConfiguredChannel("+key", "s3cret"),)),
        ("tea,,mate", (TEA, MATE)),
    ],
)
def test_a_word_after_a_channel_with_its_prefix_is_its_key(
    written: str, meant: tuple[ConfiguredChannel, ...]
) -> None:
    assert channels(written) == meant


@pytest.mark.parametrize(
    "written",
    [
        "key s3cret",
        "tea,key s3cret",
        "#key +s3cret",
        "#key !s3cret",
        "#key s3cret more",
        "#a b +s3cret",
    ],
)
def test_what_may_be_a_key_or_a_channel_is_refused_without_showing_it(written: str) -> None:
    told = complaint(written)
    assert "(from the command line): the word after a blank may be a key or a channel" in told
    assert "(#tea KEY)" in told
    assert "s3cret" not in told


@pytest.mark.parametrize("line", ["IRC_CHANNELS=#key s3cret", "IRC_CHANNELS='#key s3cret'"])
def test_a_channel_with_a_key_can_stand_in_a_dotenv(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text(line)
    assert load_settings(environ={}).irc_channels == (LOCKED,)


def test_in_a_list_of_toml_each_item_is_one_channel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("terrarium.toml").write_text('IRC_CHANNELS = ["#tea", "key s3cret", "#lock #s3cret"]')
    lock = ConfiguredChannel("#lock", "#s3cret")
    assert load_settings(environ={}).irc_channels == (TEA, LOCKED, lock)


@pytest.mark.parametrize("item", ["", "#key s3cret more", "#tea,s3cret", "#key s3,cret"])
def test_an_item_that_is_not_one_channel_is_refused_without_its_key(item: str) -> None:
    told = complaint(["#tea", item])
    assert "each item of the list is one channel" in told
    assert "more" not in told
    assert "cret" not in told.replace("#tea,s3cret", "")


def test_one_channel_with_two_keys_is_refused_without_showing_them() -> None:
    told = complaint("#key s3cret,#KEY hunter2")
    assert "#KEY is listed twice, with different keys" in told
    assert "s3cret" not in told
    assert "hunter2" not in told


def test_the_channel_of_an_address_may_have_a_key_among_the_channels() -> None:
    values = {"IRC_SERVER": "irc://h/key", "IRC_CHANNELS": "#key s3cret"}
    assert settings_from(values, "a test").irc_channels == (LOCKED,)
    with pytest.raises(BadSetting) as refused:
        settings_from(values | {"IRC_SERVER": "irc://h/tea"}, "a test")
    assert "IRC_CHANNELS='#key ***' (from a test) contradict each other" in str(refused.value)


def test_neither_text_nor_repr_nor_log_shows_a_key(caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(irc_channels=(TEA, LOCKED))
    logging.getLogger("test").warning("%s %r %s", settings, settings, settings.irc_channels)
    assert "s3cret" not in caplog.text
    assert (str(TEA), str(LOCKED)) == ("#tea", "#key ***")


@given(st.text("abc#&+!,; \t", max_size=30))
def test_what_is_shown_instead_has_every_channel_and_no_key(written: str) -> None:
    try:
        named = channels(written)
    except BadSetting:
        return
    shown = str(keys_hidden(written))
    for channel in named:
        assert channel.name.lstrip("#") in shown
    words = shown.replace(",", " ").split()
    assert words.count("***") >= len([channel for channel in named if channel.key])
    assert {word.lower() for word in words} - {"***"} <= {
        spelling.lower() for one in named for spelling in (one.name, one.name[1:])
    }


def test_a_changed_settings_file_shows_no_key_on_the_screen() -> None:
    assert secrets_hidden("IRC_NICK=a\nIRC_CHANNELS='#tea,#key s3cret' # s3cret\n") == (
        "IRC_NICK=a\nIRC_CHANNELS='#tea,#key *** # ***\n"
    )
