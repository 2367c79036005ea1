"""Hostmasks: which people a setting means."""

import pytest

from terrarium_mcp.chat.masks import Mask, is_mask, means_nobody, restricts_host

ADA = "ada!~al@home.example"


@pytest.mark.parametrize(
    "pattern",
    ["ada", "ADA", "a*", "?da", "*!*@*", "*@home.example", "ada!*@*.example", "ada!~al", "*!~al@*"],
)
def test_a_mask_means_the_person(pattern: str) -> None:
    assert Mask(pattern).matches(ADA)
    assert not means_nobody(pattern)


@pytest.mark.parametrize(
    "pattern", ["bo", "ad", "ada?", "*@other.example", "ada!al@*", "home.example", "a.a", ""]
)
def test_a_mask_means_nobody_else(pattern: str) -> None:
    assert not Mask(pattern).matches(ADA)


def test_a_mask_compares_as_the_network_does() -> None:
    assert Mask("cy[1]").matches("cy{1}!u@h")
    assert not Mask("cy[1]").matches("cy{1}!u@h", "ascii")


def test_many_stars_cost_no_more_than_a_few() -> None:
    """A pattern of an operator's own cannot hold up the bot: the time does not multiply."""
    assert not Mask("*a" * 12 + "!*@nowhere").matches("a" * 60 + "!u@h")


@pytest.mark.parametrize(
    ("pattern", "restricted"),
    [
        ("*!*@staff.example", True),
        ("*@10.*", True),
        ("ada!*@*", False),
        ("ada!~ada@*.*", False),
        ("ada", False),
    ],
)
def test_a_mask_without_a_host_is_known_as_one(pattern: str, restricted: bool) -> None:
    assert restricts_host(pattern) is restricted


def test_a_mask_is_told_from_a_name() -> None:
    assert [is_mask(word) for word in ("ada", "ada!*@*", "*@host")] == [False, True, True]
