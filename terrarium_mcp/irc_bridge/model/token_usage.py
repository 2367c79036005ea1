"""Counts the tokens of a request where the endpoint does not: terrarium-agent reports zeros."""

import json

from terrarium_mcp.chat.tokens import FRAME, estimated_tokens
from terrarium_mcp.irc_bridge.model.adaptations import RequestBody
from terrarium_mcp.irc_bridge.model.chat_types import ModelMessage, TokenUsage


def completed_usage(body: RequestBody, said: ModelMessage) -> TokenUsage:
    """The usage of `said`, with our estimate for what its endpoint did not count.

    Only an endpoint that counts includes reasoning.
    """
    counted = said.usage
    if counted.prompt and counted.completion:
        return counted
    return TokenUsage(
        prompt=counted.prompt or _prompt_tokens(body),
        completion=counted.completion or _completion_tokens(said),
        estimated=True,
    )


def _prompt_tokens(body: RequestBody) -> int:
    """The tokens of the messages, with their calls, and of the tools as JSON."""
    sent = [one["content"] for one in body["messages"]]
    sent += [
        call["function"]["name"] + call["function"]["arguments"]
        for one in body["messages"]
        for call in one.get("tool_calls", ())
    ]
    tools = json.dumps(body["tools"], ensure_ascii=False) if "tools" in body else ""
    return sum(FRAME + estimated_tokens(text) for text in sent) + estimated_tokens(tools)


def _completion_tokens(said: ModelMessage) -> int:
    calls = sum(FRAME + estimated_tokens(call.name + call.arguments) for call in said.calls)
    return estimated_tokens(said.text) + calls
