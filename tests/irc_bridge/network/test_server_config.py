"""From the settings of one network to its connection: what it takes over, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.irc_bridge.network.server_config import (
    ServerConfig,
    plain_text_warning,
    server_config,
)
from terrarium_mcp.settings import BadSetting, ConfiguredChannel, Settings

CHANNELS = (ConfiguredChannel("#tea", "sesame"), ConfiguredChannel("#mate"))
PASSWORDS: dict[str, Any] = {"server_password": "letmein", "sasl_password": "hunter2"}
USUAL: dict[str, Any] = {
    "irc_server": "irc.example",
    "irc_channels": CHANNELS,
    "contact": "ada on this network",
}


def test_every_setting_of_the_connection_is_taken_over() -> None:
    settings = Settings(
        **USUAL,
        network="labnet",
        irc_port=6698,
        irc_use_ssl=True,
        irc_nick="Lab",
        **PASSWORDS,
        sasl_username="lab",
        tls_cafile=Path("ca.pem"),
        tls_cert=Path("us.pem"),
        tls_key=Path("us.key"),
        history_hours=1,
    )
    assert server_config(settings) == ServerConfig(
        network="labnet",
        host="irc.example",
        port=6698,
        tls=True,
        tls_cafile="ca.pem",
        tls_certfile="us.pem",
        tls_keyfile="us.key",
        nick="Lab",
        realname="contact: ada on this network; records, LLM bot",
        password=PASSWORDS["server_password"],
        sasl_username="lab",
        sasl_password=PASSWORDS["sasl_password"],
        channels=CHANNELS,
        wants_history=True,
    )


def test_what_is_not_set_is_empty() -> None:
    config = server_config(Settings(irc_server="127.0.0.1", irc_channels=CHANNELS, history_hours=0))
    files = (config.tls_cafile, config.tls_certfile, config.tls_keyfile)
    assert (*files, config.password, config.sasl_password) == ("",) * 5
    assert config.wants_history is False
    assert config.realname == "terrarium-mcp: records, LLM bot"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (
            {"irc_server": ""},
            (
                "IRC_SERVER is not set. Set it to the IRC server to record, e.g. irc.libera.chat,"
                " or run terrarium-mcp init."
            ),
        ),
        (
            {"irc_channels": ()},
            "IRC_CHANNELS is not set. Set it to the channels to join, e.g. tea,mate.",
        ),
        (
            {"contact": ""},
            (
                "TERRARIUM_CONTACT is not set. Public networks require a contact for a bot. Name"
                " its owner, e.g. TERRARIUM_CONTACT='ada on this network'."
            ),
        ),
        (
            {"tls_key": Path("us.key")},
            (
                "TERRARIUM_TLS_KEY is set and TERRARIUM_TLS_CERT is not. Set it to the PEM file of"
                " the certificate that the key belongs to."
            ),
        ),
        (
            {"tls_cert": Path("us.pem"), "irc_use_ssl": False},
            (
                "TERRARIUM_TLS_CERT needs TLS, which is off. Set IRC_USE_SSL=on and IRC_PORT to the"
                " server's TLS port, usually 6697, or remove TERRARIUM_TLS_CERT."
            ),
        ),
        (
            {"sasl_username": "lab"},
            (
                "TERRARIUM_SASL_USERNAME is set and TERRARIUM_SASL_PASSWORD is not. Set it, or"
                " remove TERRARIUM_SASL_USERNAME."
            ),
        ),
        (
            {"sasl_username": "lab", "sasl_password": "hunter2", "irc_use_ssl": False},
            (
                "TERRARIUM_SASL_PASSWORD is sent over TLS only, which is off. Set IRC_USE_SSL=on"
                " and IRC_PORT to the server's TLS port, usually 6697, or remove"
                " TERRARIUM_SASL_PASSWORD."
            ),
        ),
    ],
)
def test_what_cannot_work_is_refused_with_the_way_out(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(BadSetting) as refused:
        server_config(Settings(**USUAL | changed))
    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"irc_use_ssl": False}, "(IRC_USE_SSL is off)"),
        ({"irc_use_ssl": False, "irc_port": 6667}, "(IRC_USE_SSL is off)"),
        ({"irc_port": 6667}, "(IRC_PORT is 6667, and IRC_USE_SSL is not set)"),
    ],
)
def test_a_connection_without_tls_is_warned_of_with_the_setting_that_makes_it_so(
    changed: dict[str, Any], why: str
) -> None:
    warning = plain_text_warning(Settings(**USUAL | changed))
    assert warning == f"the connection to irc.example is not encrypted {why}"
    assert plain_text_warning(Settings(**USUAL | changed | {"irc_server": "127.0.0.1"})) == ""


def test_a_connection_with_tls_is_not_warned_of() -> None:
    assert plain_text_warning(Settings(**USUAL)) == ""
    assert plain_text_warning(Settings(**USUAL, irc_port=6667, irc_use_ssl=True)) == ""


def test_no_secret_is_shown_and_all_are_known() -> None:
    config = server_config(Settings(**USUAL, **PASSWORDS, sasl_username="lab"))
    assert config.secrets == ("letmein", "hunter2", "sesame")
    assert not any(secret in repr(config) for secret in config.secrets)


def test_a_network_is_named_with_its_server_and_a_channel_with_its_network() -> None:
    named = server_config(Settings(**USUAL, network="labnet"))
    assert (named.display_name, named.label("#tea")) == ("labnet (irc.example)", "labnet/#tea")
    plain = ServerConfig(host="irc.example", port=6697, nick="Terra", realname="r")
    assert (plain.display_name, plain.label("#tea")) == ("irc.example", "#tea")
