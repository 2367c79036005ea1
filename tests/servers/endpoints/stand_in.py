"""What the stand-ins for endpoints have in common: a script, and a strict look at each request."""

import json
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import anyio

from terrarium_mcp.irc_bridge.dialogue.summary_prompt import RULES
from terrarium_mcp.irc_bridge.model.check import CHECK
from tests.servers.endpoints.http import Answer, HttpRequest, serving

_MISTRALS_ID = re.compile("[a-zA-Z0-9]{9}")


@dataclass(frozen=True)
class Said:
    """A message of the model, before its endpoint puts it into words."""

    text: str | None = ""
    calls: tuple[tuple[str, str], ...] = ()
    finish: str = "stop"
    more: dict[str, Any] = field(default_factory=dict)
    """Further fields of the message."""


Scripted = Said | Answer | str


def called(name: str, /, **arguments: Any) -> Said:
    """The model calls one tool."""
    return Said(None, ((name, json.dumps(arguments)),), "tool_calls")


def sent_json(body: Any, status: int = 200) -> Answer:
    """Any JSON."""
    return Answer(status, json.dumps(body).encode())


@dataclass
class StandIn(ABC):
    """An endpoint with a script. Each kind refuses what the real one is known to refuse.

    Whatever no real endpoint of the kind would take from us is a complaint and fails the test.
    """

    name: ClassVar[str]
    model: ClassVar[str]
    url: str = ""
    key: str = ""
    """What it wants as a Bearer token; empty: anything."""
    listed: list[str] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    template_refuses: tuple[str, ...] = ()
    """What the model's chat template has no place for: system, tool, repetition, ids."""
    _script: deque[Scripted] = field(default_factory=deque)
    _released: anyio.Event = field(default_factory=anyio.Event)

    def will(self, *answers: Scripted) -> None:
        """Answer the coming requests so, one each, unless they are refused."""
        self._script.extend(answers)

    def release(self) -> None:
        """Let the answers go that hang."""
        self._released.set()

    async def respond(self, request: HttpRequest) -> Answer:
        """What it answers to a request."""
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return self.unauthorized()
        match request.method, request.path:
            case "POST", "/v1/chat/completions":
                return await self._complete(request.json())
            case "GET", "/v1/models":
                return sent_json({"object": "list", "data": [{"id": m} for m in self.models]})
            case "GET", "/health":
                return self.health()
        return self.unknown_page(request)

    @property
    def models(self) -> list[str]:
        """What it lists."""
        return self.listed or [self.model]

    async def _complete(self, body: dict[str, Any]) -> Answer:
        is_check = body["messages"][-1]["content"].endswith(CHECK)
        if str(body["messages"][0]["content"]).startswith(RULES[:40]):
            return self.completion(Said("We have talked."))  # a summary, which is in no script
        if not is_check:
            self.requests.append(body)
        self.complaints += complaints_of(body)
        is_known = body["model"] in self.models
        if refusal := (None if is_known else self.unknown_model(body["model"])):
            return refusal
        if refusal := self.refusal(body) or self._template_refusal(body):
            return refusal
        if is_check:
            return self.completion(Said("ready"))
        if not self._script:
            self.complaints.append(f"request {len(self.requests)} is beyond the script")
            return self.error(500, "beyond the script")
        scripted = self._script.popleft()
        if isinstance(scripted, str):
            scripted = Said(scripted)
        answer = self.completion(scripted) if isinstance(scripted, Said) else scripted
        if answer.waits:
            await self._released.wait()
        return answer

    def _template_refusal(self, body: dict[str, Any]) -> Answer | None:
        roles = [message["role"] for message in body["messages"]]
        if "system" in self.template_refuses and "system" in roles:
            return self.template_error("System role not supported")
        if "tool" in self.template_refuses and "tool" in roles:
            return self.template_error("Only user and assistant roles are supported!")
        spoken = [role for role in roles if role != "system"]
        alternates = all(a != b for a, b in pairwise(spoken))
        if "repetition" in self.template_refuses and not (alternates and spoken[0] == "user"):
            return self.template_error(
                "Conversation roles must alternate user/assistant/user/assistant/..."
            )
        ids = [one["tool_call_id"] for one in body["messages"] if one["role"] == "tool"]
        if "ids" in self.template_refuses and not all(map(_MISTRALS_ID.fullmatch, ids)):
            return self.template_error(
                "Tool call IDs should be alphanumeric strings with length 9!"
            )
        return None

    @abstractmethod
    def refusal(self, body: dict[str, Any]) -> Answer | None:
        """Its refusal of a request, if it refuses it."""

    @abstractmethod
    def completion(self, said: Said) -> Answer:
        """A message in its own form."""

    @abstractmethod
    def error(self, status: int, message: str) -> Answer:
        """An error in its own form."""

    @abstractmethod
    def context_error(self) -> Answer:
        """Its words for a request that exceeds the model's context."""

    @abstractmethod
    def unknown_model(self, model: str) -> Answer | None:
        """Its words for a model that it has not; None if it answers all the same."""

    @abstractmethod
    def health(self) -> Answer:
        """GET /health."""

    def template_error(self, message: str) -> Answer:
        """Its words for a chat template that raised an exception."""
        return self.error(400, message)

    def unauthorized(self) -> Answer:
        """Its answer to a request without the right key."""
        return self.error(401, "Unauthorized")

    def unknown_page(self, request: HttpRequest) -> Answer:
        """Its answer to a page that it does not know."""
        return self.error(404, f"Not Found: {request.path}")


AnyStandIn = TypeVar("AnyStandIn", bound=StandIn)


@asynccontextmanager
async def standing_in(endpoint: AnyStandIn) -> AsyncIterator[AnyStandIn]:
    """A running stand-in. At the end it raises what it had to complain about."""
    async with serving(endpoint.respond) as endpoint.url:
        try:
            yield endpoint
        finally:
            endpoint.release()
    assert not endpoint.complaints, "; ".join(endpoint.complaints)


def openai_message(said: Said) -> dict[str, Any]:
    """A message as OpenAI words it, which most others copy."""
    message = {"role": "assistant", "content": said.text, **said.more}
    if said.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for place, (name, arguments) in enumerate(said.calls, 1)
        ]
    return message


def openai_completion(
    model: str, message: dict[str, Any], finish: str, prompt: int = 11, completion: int = 7
) -> Answer:
    """A completion as OpenAI words it."""
    return sent_json(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }
    )


def complaints_of(body: dict[str, Any]) -> list[str]:
    """What is wrong with a request at any endpoint."""
    wrong = [f"content of {m['role']} is no string" for m in body["messages"] if not _worded(m)]
    wrong += ["max_tokens twice"] if {"max_tokens", "max_completion_tokens"} <= body.keys() else []
    for message in body["messages"]:
        for call in message.get("tool_calls", ()):
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                wrong.append("arguments are no object")
    return wrong + _orphans(body["messages"])


def _worded(message: dict[str, Any]) -> bool:
    return isinstance(message.get("content"), str)


def _orphans(messages: list[dict[str, Any]]) -> list[str]:
    """Results without their call, and calls without their result."""
    open_calls: list[str] = []
    wrong = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                wrong.append(f"a result without its call: {message['tool_call_id']}")
            else:
                open_calls.remove(message["tool_call_id"])
        else:
            wrong += [f"a call without its result: {one}" for one in open_calls]
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
    return wrong
