"""Who opted out stays out of a log that shows no hosts, under whatever nick they take there."""

from datetime import timedelta

import pytest

from terrarium_mcp.chat.followed_nicks import FollowedNicks
from terrarium_mcp.chat.identity import Identity
from terrarium_mcp.chat.opt_outs import Decision, OptOuts
from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import to_text
from tests.store.scene import NOON, line_of

ADA = Identity("net", "ada", "~ada", "host.example")
OUT = OptOuts({ADA: Decision("2026", "ada")})


def kept(*log: str, opt_outs: OptOuts = OUT) -> list[str]:
    """What may be written of a log: lines are `nick text`, events `nick KICK whom and why`."""
    followed = FollowedNicks()
    permitted = (followed.permitted(one, opt_outs) for one in map(said, range(len(log)), log))
    return [f"{one.nick} {one.text}" for one in permitted if one]


def said(second: int, line: str) -> NewMessage:
    nick, text = line.split(" ", 1)
    kind = MessageType.PRIVMSG
    if text.split(" ")[0].isupper():
        event, _, text = text.partition(" ")
        kind = MessageType(event)
    at = NOON + timedelta(seconds=second)
    return line_of(nick, text, at, kind=kind, origin=Origin.IMPORT)._replace(user="", host="")


def test_who_changes_nick_is_followed_until_they_leave() -> None:
    log = ["ada NICK away", "away hi", "Away NICK gone", "gone hi", "bo hi", "gone QUIT bye"]
    assert kept(*log, "gone hello") == ["bo hi", "gone hello"]


@pytest.mark.parametrize("end", ["away JOIN", "away PART", "op KICK away out"])
def test_who_comes_with_the_nick_of_one_who_left_is_somebody_else(end: str) -> None:
    assert kept("ada NICK away", end, "away hi")[-1] == "away hi"


def test_a_nick_that_others_give_up_or_take_is_theirs() -> None:
    assert kept("ada NICK away", "bo NICK away", "away hi") == ["bo away", "away hi"]
    assert kept("ada NICK away", "away NICK ada", "ada hi", "away hi") == ["away hi"]


def test_what_others_do_to_them_names_them_no_more_than_under_their_nick() -> None:
    modes = "op MODE +obb-v away away!*@* away* bo"
    log = ["ada NICK away", modes, "op KICK away out", "op KICK bo out"]
    assert kept(*log) == ["op +obb-v * * * bo", "op bo out"]


def test_a_log_of_before_the_change_or_of_elsewhere_is_not_concerned() -> None:
    followed = FollowedNicks()
    assert followed.permitted(said(10, "ada NICK away"), OUT) is None
    for other in (said(9, "away hi"), said(11, "away hi")._replace(channel="#mate")):
        assert followed.permitted(other, OUT) == other
    assert followed.permitted(said(11, "away hi"), OUT) is None


def test_who_opted_in_again_is_followed_for_the_time_between() -> None:
    until = to_text(NOON + timedelta(seconds=2))
    past = OptOuts(past=[(ADA, Decision("2026", "ada", until))])
    assert kept("ada NICK away", "away one", "away two", opt_outs=past) == ["away two"]
