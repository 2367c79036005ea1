"""Which history is requested next: pages, limits, refusals."""

from datetime import UTC, datetime, timedelta

import pytest

from terrarium_mcp.irc_bridge.network.chathistory import (
    HistoryLine,
    HistoryPoint,
    first_request,
    next_request,
    request_after_failure,
)
from terrarium_mcp.irc_bridge.network.isupport import Isupport

SINCE = HistoryPoint(datetime(2026, 5, 1, 12, 0, 0, 250_000, tzinfo=UTC), "m1")


def page(count: int, first: int = 0, *, msgids: bool = True) -> list[HistoryLine]:
    """Consecutive lines, a second apart."""
    return [
        HistoryLine(SINCE.at + timedelta(seconds=n), f"m{n}" if msgids else "", "ada", f"line {n}")
        for n in range(first, first + count)
    ]


def said(*tokens: str) -> Isupport:
    """What a server says of itself with these tokens."""
    return Isupport().after(tokens)[0]


@pytest.mark.parametrize(
    ("isupport", "limit"),
    [
        (["CHATHISTORY=50"], 50),
        (["CHATHISTORY=5000"], 100),
        (["CHATHISTORY=1"], 1),
        (["CHATHISTORY=0"], 100),
        (["CHATHISTORY="], 100),
        (["CHATHISTORY=²"], 100),
        (["CHATHISTORY=-5"], 100),
        (["CHATHISTORY=" + "9" * 5000], 100),
        ([], 100),
    ],
)
def test_a_page_is_as_large_as_the_server_allows(isupport: list[str], limit: int) -> None:
    assert first_request("#tea", SINCE, said(*isupport)).limit == limit


@pytest.mark.parametrize(
    ("kinds", "point"),
    [
        ([], "msgid=m1"),
        (["MSGREFTYPES=timestamp,msgid"], "msgid=m1"),
        (["MSGREFTYPES=timestamp"], "timestamp=2026-05-01T11:59:59.250Z"),
    ],
)
def test_the_point_is_named_as_the_server_can_read_it(kinds: list[str], point: str) -> None:
    assert first_request("#tea", SINCE, said(*kinds)).params == ("AFTER", "#tea", point, "100")


def test_a_msgid_that_no_parameter_can_hold_is_not_requested_by() -> None:
    request = first_request("#tea", HistoryPoint(SINCE.at, "m 1"), said())
    assert request.params[2] == "timestamp=2026-05-01T11:59:59.250Z"
    assert request.answered(page(1)).follows is None
    assert request_after_failure(request, "MESSAGE_ERROR") is None


def test_a_point_without_a_msgid_is_named_by_a_time_that_whole_seconds_do_not_miss() -> None:
    request = first_request("#tea", HistoryPoint(SINCE.at), said())
    assert request.params[2] == "timestamp=2026-05-01T11:59:59.250Z"


def test_pages_follow_until_one_is_not_full() -> None:
    request = first_request("#tea", SINCE, said("CHATHISTORY=3"))
    second = next_request(request, page(3, 2))
    assert second
    assert second.params[2] == "msgid=m4"
    assert next_request(second, page(2, 5)) is None
    assert next_request(second, []) is None


def test_by_time_the_next_page_overlaps_so_that_no_millisecond_is_cut() -> None:
    request = first_request("#tea", SINCE, said("CHATHISTORY=3", "MSGREFTYPES=timestamp"))
    second = next_request(request, page(3, 0, msgids=False))
    assert second
    assert second.params[2] == "timestamp=2026-05-01T12:00:02.249Z"


def test_a_page_with_nothing_new_is_the_last_and_no_page_leads_round_in_a_circle() -> None:
    request = first_request("#tea", SINCE, said("CHATHISTORY=3"))
    second = next_request(request, page(3))
    assert second
    assert next_request(second, page(3)) is None
    third = next_request(second, page(3, 3))
    rounds = 3
    while third:  # a server that always has something to tell
        rounds += 1
        third = next_request(third, page(3, 3 * rounds))
    assert rounds == 101


def test_a_page_says_what_it_continues_and_whether_it_comes_up_to_now() -> None:
    by_msgid = first_request("#tea", SINCE, said("CHATHISTORY=3"))
    by_time = first_request("#tea", SINCE, said("CHATHISTORY=3", "MSGREFTYPES=timestamp"))
    assert by_msgid.answered([]).follows == SINCE
    assert by_time.answered(page(3)).follows is None
    second = next_request(by_time, page(3))
    assert second
    assert second.answered(page(1, 3)).follows == page(3)[-1].point
    assert [by_time.answered(page(n)).is_last for n in (0, 2, 3)] == [True, True, False]


@pytest.mark.parametrize(
    ("code", "again"),
    [
        *(("MESSAGE_ERROR", True), ("INVALID_MSGREFTYPE", True), ("", True)),
        *(("INVALID_TARGET", False), ("NEED_MORE_PARAMS", False), ("UNKNOWN_COMMAND", False)),
    ],
)
def test_a_refused_msgid_is_tried_once_by_its_time(code: str, again: bool) -> None:
    by_time = request_after_failure(first_request("#tea", SINCE, said()), code)
    assert (by_time is not None) is again
    if by_time:
        assert by_time.params[2].startswith("timestamp=")
        assert by_time.answered([]).follows is None
        assert request_after_failure(by_time, code) is None
