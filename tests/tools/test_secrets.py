"""`user` and `host` never leave through MCP."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from terrarium_mcp.chat.records import MessageType
from tests.store.scene import NOON, line_of
from tests.tools.scene import ERAS, Era, opened

USER, HOST = "~hidden-user", "hidden.host.example"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_irc_history", {"query": "tea", "context": 5}),
    ("search_irc_history", {"query": "tea", "context": 5, "format": "json"}),
    ("search_irc_history", {"query": USER}),
    ("search_irc_history", {"query": "hidden"}),
    ("search_irc_history", {"query": "", "format": "json"}),
    ("search_irc_history", {"query": f"from:{HOST}"}),
    ("get_recent_irc_messages", {"include_events": True}),
    ("get_recent_irc_messages", {"include_events": True, "format": "json"}),
    ("get_message_context", {"message_id": "2"}),
    ("get_message_context", {"message_id": "2", "format": "json"}),
    ("get_channel_stats", {}),
    ("get_current_users", {}),
    ("lookup_nick", {"nick": "ada"}),
    ("lookup_nick", {"nick": "ada_"}),
    ("catch_up", {"nick": "bo", "since": "2026-05-01"}),
    ("create_enhancement_request", {"title": "more tea", "summary": "please"}),
    ("list_enhancement_requests", {}),
]
IDEA = ("more tea", "please")


@pytest.mark.parametrize("era", ERAS)
async def test_no_tool_tells_a_user_or_a_host(tmp_path: Path, era: Era) -> None:
    async with opened(tmp_path, era=era) as house:
        await house.store.spans.begin("net", "#tea", datetime.now(UTC), "joined")
        await house.store.messages.append(
            [
                line_of("ada", text, NOON, kind=kind)._replace(user=USER, host=HOST)
                for kind, text in (
                    (MessageType.JOIN, ""),
                    (MessageType.PRIVMSG, "tea"),
                    (MessageType.ACTION, "drinks tea"),
                    (MessageType.NICK, "ada_"),
                    (MessageType.QUIT, "bye"),
                )
            ]
        )
        filename = (await house.store.backlog.create(*IDEA, about={}, lines=[]))[0].filename
        for tool, arguments in [*CALLS, ("read_enhancement_request", {"filename": filename})]:
            told = await house.learns(tool, **arguments)
            asked = str(arguments.get("query", "")) or "nothing"
            shown = told.everything.replace(f"search {asked}:", "")
            shown = shown.replace(f"no one called {HOST}", "")  # as whoever asked wrote it
            assert "hidden" not in shown, tool
            assert "~" not in shown, tool
