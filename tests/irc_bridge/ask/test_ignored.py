"""Services and servers are never answered, and nobody else is mistaken for them."""

import pytest

from terrarium_mcp.chat.irc_message import parse_source
from terrarium_mcp.chat.masks import Mask
from terrarium_mcp.irc_bridge.ask.ignored import IgnoreList


def ignored(mask: str, *masks: str, casemapping: str = "rfc1459") -> bool:
    return IgnoreList(tuple(map(Mask, masks))).covers(parse_source(mask), casemapping)


@pytest.mark.parametrize(
    "mask",
    [
        *("*status!znc@znc.in", "*playback!znc@znc.in", "*anything", "nick!ident@znc.in"),
        *("irc.example.net", "services.example.net"),
        *("NickServ!NickServ@services.libera.chat", "nickserv!x@y", "CHANSERV!service@dal.net"),
        *("MemoServ!s@s", "SaslServ!s@s", "Global!services@anything", "Global!x@services.int"),
        *("Q!TheQBot@CServe.quakenet.org", "L!TheLBot@lightweight.quakenet.org"),
        "X!cservice@undernet.org",
    ],
)
def test_services_bouncers_and_servers_are_ignored_by_default(mask: str) -> None:
    assert ignored(mask)


@pytest.mark.parametrize(
    "mask",
    [
        *("Q!picard@ada.users.quakenet.org", "Q!u@h", "X!u@ada.users.undernet.org", "L!u@h"),
        *("Global!~ada@home.example", "status!u@h", "mystatus!u@h", "Observ!u@h", "NickServ2!u@h"),
        *("ada!u@znc.in.example.org", "ada!~u@vps.services.example.org", "ada!u@", "ada@host"),
    ],
)
def test_people_with_such_a_nick_or_host_are_not(mask: str) -> None:
    assert not ignored(mask)


def test_the_settings_add_to_it_a_bare_word_is_a_nick_and_case_is_the_networks() -> None:
    assert ignored("Spam[1]!u@h", "spam{1}")
    assert not ignored("Spam[1]!u@h", "spam{1}", casemapping="ascii")
    assert ignored("ada!u@bad.example", "*!*@*.example")
    assert not ignored("spammer!u@h", "spam")
    assert ignored("NickServ!u@h", "spam")
