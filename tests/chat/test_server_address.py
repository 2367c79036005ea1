"""An IRC server's address is understood in every form that people write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.server_address import ServerAddress, parse_server, with_port


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("irc.libera.chat", ServerAddress("irc.libera.chat")),
        (" irc.libera.chat\n", ServerAddress("irc.libera.chat")),
        ("irc.libera.chat:6697", ServerAddress("irc.libera.chat", 6697)),
        ("irc.libera.chat:+6697", ServerAddress("irc.libera.chat", 6697, tls=True)),
        ("irc://irc.libera.chat", ServerAddress("irc.libera.chat")),
        ("IRC://irc.libera.chat:6667/", ServerAddress("irc.libera.chat", 6667)),
        ("ircs://irc.libera.chat", ServerAddress("irc.libera.chat", tls=True)),
        ("ircs://h:7000/tea", ServerAddress("h", 7000, tls=True, channels=("#tea",))),
        ("irc://h/#tea,mate", ServerAddress("h", channels=("#tea", "#mate"))),
        ("irc://h/%23tea,&local", ServerAddress("h", channels=("#tea", "&local"))),
        ("h/tea", ServerAddress("h", channels=("#tea",))),
        ("127.0.0.1:1", ServerAddress("127.0.0.1", 1)),
        ("::1", ServerAddress("::1")),
        ("2001:db8::1", ServerAddress("2001:db8::1")),
        ("[2001:db8::1]:65535", ServerAddress("2001:db8::1", 65535)),
        ("ircs://[::1]/tea", ServerAddress("::1", tls=True, channels=("#tea",))),
    ],
)
def test_an_address_says_what_it_says_and_leaves_the_rest_open(
    written: str, address: ServerAddress
) -> None:
    assert parse_server(written) == address


@pytest.mark.parametrize(
    "written",
    [
        "",
        "http://irc.libera.chat",
        "irc.libera.chat:tea",
        "irc.libera.chat:65536",
        "irc.libera.chat:0",
        "irc.libera.chat:",
        "two words",
        "irc://ada:secret@host",
        "irc://",
        "[::1",
        "host?x",
    ],
)
def test_anything_else_is_refused_with_examples(written: str) -> None:
    with pytest.raises(ValueError, match=r"such as irc\.libera\.chat, irc\.libera\.chat:6697 or"):
        parse_server(written)


@pytest.mark.parametrize(
    ("written", "port", "whole"),
    [
        ("irc.libera.chat", "6697", "irc.libera.chat:6697"),
        ("irc.libera.chat:6697", "6667", "irc.libera.chat:6697"),
        ("ircs://irc.libera.chat/tea,mate", "6697", "ircs://irc.libera.chat:6697/tea,mate"),
        ("::1", "6667", "[::1]:6667"),
        ("[::1]", "6667", "[::1]:6667"),
        ("irc.libera.chat", "", "irc.libera.chat"),
        ("irc.libera.chat", "0", "irc.libera.chat"),
        ("irc.libera.chat", "tea", "irc.libera.chat"),
        ("two words", "6667", "two words"),
    ],
)
def test_a_port_is_added_to_an_address_that_names_none(written: str, port: str, whole: str) -> None:
    assert with_port(written, port) == whole


@given(st.text())
def test_any_text_is_an_address_or_is_refused(written: str) -> None:
    try:
        address = parse_server(written)
    except ValueError:
        return
    assert address.host
    assert not set(address.host) & set(" /@?#[]\n")
    assert 0 <= address.port <= 65535
