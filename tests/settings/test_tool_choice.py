"""Which tools a setting selects."""

import pytest

from terrarium_mcp.settings.tool_choice import selected_tools, unknown_tools

CORE = [
    "search_irc_history",
    "get_recent_irc_messages",
    "get_message_context",
    "get_channel_stats",
    "get_current_users",
    "search_web",
    "create_enhancement_request",
    "list_enhancement_requests",
    "read_enhancement_request",
]
OTHERS = ["lookup_nick", "catch_up"]
EVERY = [*CORE, *OTHERS]


@pytest.mark.parametrize(
    ("setting", "selected"),
    [
        ("all", EVERY),
        ("core", CORE),
        ("catch_up, core", [*CORE, "catch_up"]),
        ("catch_up lookup_nick", OTHERS),
        ("core,search_web", CORE),
        ("search_web", ["search_web"]),
        ("", []),
        ("serch_web", []),
    ],
)
def test_a_setting_selects_the_tools_that_it_names_in_the_order_of_the_server(
    setting: str, selected: list[str]
) -> None:
    assert selected_tools(setting, EVERY) == selected


def test_words_that_select_nothing_are_told() -> None:
    assert unknown_tools("core, serch_web ALL all catch_up", EVERY) == ["serch_web", "ALL"]
