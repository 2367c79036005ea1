"""What a request to the model cost, in tokens."""

import json
from collections.abc import Sequence

from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.irc_bridge.model.chat_types import ModelMessage, TalkMessage, ToolSchema
from terrarium_mcp.irc_bridge.model.openai_format import request_messages, request_tool
from terrarium_mcp.irc_bridge.talk_log.record import TokenCount


def token_count(
    talk: Sequence[TalkMessage], tools: Sequence[ToolSchema], said: ModelMessage
) -> TokenCount:
    """The tokens of a request and of the message that answered it, without its reasoning.

    Estimated from what was sent, since endpoints report zero or nothing (terrarium-agent does).
    """
    sent = [*request_messages(talk), *map(request_tool, tools)]
    calls = "".join(call.name + call.arguments for call in said.calls)
    return TokenCount(
        prompt=estimated_tokens(json.dumps(sent, ensure_ascii=False)),
        completion=estimated_tokens(said.text + calls),
        estimated=True,
    )
