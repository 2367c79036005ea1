"""Whatever a tool quotes of the log, its text says which message that is."""

from typing import Any

from terrarium_mcp.chat.quoted_lines import quoted_messages
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.transcript import RenderOptions, dated_line, line_of
from terrarium_mcp.irc_bridge.answer.tool_calls import BACKLOG_READER, MESSAGE_READERS
from tests.store.scene import NOON, SETTINGS, chat
from tests.store.scene import line_of as event
from tests.tools.scene import House

GATE = "bo: does xyzzy open https://xyzzy.example/gate or not?"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_irc_history", {"query": "xyzzy"}),
    ("search_irc_history", {"query": "xyzzy", "context": 2}),
    ("search_irc_history", {"query": "what about xyzzy?", "format": "json"}),
    ("search_irc_history", {"query": "xyzzyy"}),
    ("get_recent_irc_messages", {}),
    ("get_recent_irc_messages", {"include_events": True, "channel": "#tea"}),
    ("get_recent_irc_messages", {"format": "json"}),
    ("get_message_context", {"message_id": "2"}),
    ("get_message_context", {"message_id": "2", "scope": "conversation"}),
    ("get_channel_stats", {}),
    ("get_channel_stats", {"nick": "ada"}),
    ("get_channel_stats", {"query": "gate", "per": "day"}),
    ("get_current_users", {}),
    ("lookup_nick", {"nick": "ada"}),
    ("catch_up", {"nick": "bo", "since": "2026-05-01"}),
    ("catch_up", {"nick": "cy", "since": "2026-05-01"}),
    ("create_enhancement_request", {"title": "a gate", "summary": "which opens"}),
    ("list_enhancement_requests", {}),
]


async def test_of_every_line_that_a_tool_quotes_the_message_is_known(house: House) -> None:
    lines = chat(f"<bo> tea\n<ada> {GATE}\n* bo shrugs\n<bo> so?")
    lines.append(event("ada", "xyzzy out", NOON, kind=MessageType.QUIT))
    await house.store.messages.append([*lines, *chat("<ada> xyzzy, elsewhere", channel="#mate")])
    rooms = await house.store.rooms.all()
    said = (await house.store.messages.newest(rooms, 20, events=True)).messages
    about_it = {message.id for message in said if "xyzzy" in message.text}
    hers = next(message for message in said if message.text == GATE)
    shown = RenderOptions(zone=SETTINGS.zone, budget=1, rooms_named=True)
    ideas = [
        await house.store.backlog.create(title, summary, about={}, lines=lines)
        for title, summary, lines in (
            ("one", "what", [line_of(hers, shown)]),
            ("two", f"As ada said: {dated_line(hers, shown)}", []),
        )
    ]
    reads = [("read_enhancement_request", {"filename": idea.filename}) for idea, _ in ideas]
    quoting = set()
    for tool, arguments in [*CALLS, *reads]:
        told = await house.learns(tool, **arguments)
        for line in told.lines:
            if "xyzzy" in line:
                quoting.add(tool)
                assert len(quoted_messages(line) & about_it) == 1, line
    assert quoting == MESSAGE_READERS | {BACKLOG_READER}  # else a purge would miss a dialogue
    offered = {tool.name for tool in (await house.client.list_tools()).tools}
    assert offered - {"search_web"} == {tool for tool, _ in [*CALLS, *reads]}
