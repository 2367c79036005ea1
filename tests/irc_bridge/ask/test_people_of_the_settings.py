"""Admins and guardians: whom the settings mean, and whom they do not."""

import pytest

from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.irc_bridge.ask.admins import Admins
from terrarium_mcp.irc_bridge.ask.guardians import Guardians

ADA = Identity("net", "ada", "~ada", "staff.example", "countess")
STRANGER = Identity("net", "countess", "~eve", "elsewhere")


@pytest.mark.parametrize(
    ("who", "is_admin"),
    [
        (ADA, True),
        (ADA._replace(account="Countess", host="elsewhere"), True),
        (ADA._replace(account=""), True),
        (STRANGER, False),
        (Identity("net", "ada", account="ada"), False),
        (Identity("net", "countess"), False),
    ],
)
def test_an_admin_is_known_by_account_or_mask_and_never_by_nick(
    who: Identity, is_admin: bool
) -> None:
    assert Admins(["countess", "*!*@staff.example"]).include(who) is is_admin


def test_without_the_setting_nobody_is_an_admin() -> None:
    assert not Admins().include(ADA)


@pytest.mark.parametrize(
    ("named", "accompanied"),
    [
        ("countess", True),
        ("ADA", True),
        ("*!*@staff.example", True),
        ("ada!*@*", True),
        ("bo", False),
        ("*!*@elsewhere", False),
    ],
)
def test_a_guardian_is_known_by_account_nick_or_mask(named: str, accompanied: bool) -> None:
    assert Guardians([named]).accompany([Identity("net", "Terra"), ADA]) is accompanied


def test_without_the_setting_no_guardian_is_needed_and_with_it_one_is() -> None:
    assert Guardians().accompany([])
    assert not Guardians(["ada"]).accompany([])
