"""A model that knows terrarium-irc's tools is understood."""

import pytest

from terrarium_mcp.irc_bridge.model.legacy_tools import current_call


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ({"query": "gate"}, {"query": "gate"}),
        ({"query": "gate", "user": "ada"}, {"query": "from:ada gate"}),
        ({"user": "ada"}, {"query": "from:ada"}),
        ({"query": "gate", "user": None, "hours": 24}, {"query": "gate", "hours": 24}),
        ({}, {"query": ""}),
        ({"query": "user:ada gate+lock hours:48"}, {"query": "from:ada gate lock", "hours": 48}),
        ({"query": "gate hours:48", "hours": 2}, {"query": "gate", "hours": 2}),
        ({"query": "gate hours:soon"}, {"query": "gate hours:soon"}),
    ],
)
def test_the_old_search_has_its_user_in_the_query(
    then: dict[str, object], now: dict[str, object]
) -> None:
    assert current_call("search_chat_logs", then) == ("search_irc_history", now)


def test_other_calls_stay_as_they_are() -> None:
    assert current_call("get_current_users", {"user": "ada"}) == (
        "get_current_users",
        {"user": "ada"},
    )
