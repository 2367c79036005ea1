"""A settings file that `init` writes is read back as it was meant, and keeps what was there."""

import io

import pytest
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.cli.starting.env_file import HEADER, merged, secrets_hidden
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import setting_names


def values_in(text: str) -> dict[str, str | None]:
    return dotenv_values(stream=io.StringIO(text))


def test_a_new_file_explains_every_setting_in_it() -> None:
    assert merged("", {"IRC_SERVER": "h", "IRC_PORT": "", "TERRARIUM_CONTACT": "ada on this"}) == (
        f"{HEADER}\n# IRC server: a host, host:port, or ircs://host:port/channel\nIRC_SERVER=h\n"
        "\n# contact of the bot's owner; required unless the server is on this machine\n"
        "TERRARIUM_CONTACT='ada on this'\n"
    )


def test_only_the_lines_of_the_settings_change() -> None:
    old = "# mine\nexport IRC_SERVER = old  # of ada\nIRC_PORT=7000\nEDITOR=vi\nIRC_NICK=Fern"
    assert merged(old, {"IRC_SERVER": "new", "IRC_PORT": "", "AGENT_MODEL": "m"}) == (
        "# mine\nIRC_SERVER=new\n#IRC_PORT=7000\nEDITOR=vi\nIRC_NICK=Fern\n"
        "\n# model to use; unset: the endpoint's first\nAGENT_MODEL=m\n"
    )


def test_a_setting_is_found_in_any_case_and_over_several_lines() -> None:
    old = 'irc_use_ssl=off\n\n  Irc_Channels = "tea,\nmate"  # both\n\nEDITOR=vi\n'
    new = merged(old, {"IRC_USE_SSL": "", "IRC_CHANNELS": "tea,mate"})
    assert new == "#irc_use_ssl=off\n\n  IRC_CHANNELS=tea,mate\n\nEDITOR=vi\n"
    assert merged(old, {"IRC_CHANNELS": ""}) == (
        'irc_use_ssl=off\n\n  #Irc_Channels = "tea,\n#mate"  # both\n\nEDITOR=vi\n'
    )


def test_a_setting_that_was_left_out_gets_its_line_again() -> None:
    old = merged("", {"AGENT_MODEL": "m", "IRC_SERVER": "h"})
    without = merged(old, {"AGENT_MODEL": ""})
    assert "\n#AGENT_MODEL=m\n" in without
    assert merged(without, {"AGENT_MODEL": "it's \\ n"}) == old.replace(
        "AGENT_MODEL=m", "AGENT_MODEL='it\\'s \\\\ n'"
    )


def test_a_file_of_windows_keeps_its_line_breaks_and_gets_no_others() -> None:
    old = '# mine\nIRC_PORT=7\n#IRC_NICK=Fern\n\nIRC_CHANNELS="tea,\nmate"\nEDITOR=vi'
    values = {"IRC_PORT": "", "IRC_NICK": "Luna", "IRC_CHANNELS": "tea", "AGENT_MODEL": "m"}
    as_on_windows = old.replace("\n", "\r\n")
    assert merged(as_on_windows, values) == merged(old, values).replace("\n", "\r\n")


def test_the_same_settings_again_change_nothing() -> None:
    values = {"IRC_SERVER": "h", "IRC_PORT": "", "TERRARIUM_CONTACT": "it's \\ me"}
    once = merged("", values)
    assert merged(once, values) == once


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), min_size=1)


@given(st.dictionaries(st.sampled_from(setting_names()), LINES, min_size=1), st.booleans())
def test_every_value_is_read_back_as_it_was(values: dict[str, str], twice: bool) -> None:
    if any("${" in value for value in values.values()):
        with pytest.raises(TerrariumError, match=r"which a settings file cannot hold"):
            merged("", values)
        return
    text = merged(merged("", values), values) if twice else merged("", values)
    assert values_in(text) == values


@pytest.mark.parametrize("value", ["two\nlines", "a\0b", "cr\r", "pass${WORD}"])
def test_a_value_that_no_such_file_can_hold_is_refused(value: str) -> None:
    with pytest.raises(TerrariumError, match=r"^AGENT_API_KEY has a line break or "):
        merged("", {"AGENT_API_KEY": value})


def test_a_screen_shows_no_secret() -> None:
    text = "AGENT_API_KEY=hunter2\nexport SEARCH_API_KEY = 'hunter3'\nIRC_NICK=x\n"
    hidden = secrets_hidden(text)
    assert "hunter" not in hidden
    assert hidden.splitlines()[2] == "IRC_NICK=x"


def test_a_screen_shows_no_secret_in_any_case_nor_its_second_line() -> None:
    text = (
        "agent_api_key=hunter2\n\n#Search_Api_Key='hunter3'\nTERRARIUM_SASL_PASSWORD='a\nhunter4'\n"
    )
    assert secrets_hidden(text) == (
        "agent_api_key= (not shown)\n\n#Search_Api_Key= (not shown)\n"
        "TERRARIUM_SASL_PASSWORD= (not shown)\n"
    )
    assert "secret" not in secrets_hidden('irc_channels="#tea secret,\n#mate secret"\n')


def test_a_screen_shows_an_address_without_its_password_and_its_key() -> None:
    text = "AGENT_API_URL='http://ada:hunter2@h:1/v1'\n#SEARCH_API_URL=http://h/s?key=hunter3\n"
    assert secrets_hidden(text) == "AGENT_API_URL=http://h:1/v1\n#SEARCH_API_URL=http://h/s\n"
