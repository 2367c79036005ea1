"""A strict stand-in for terrarium-agent: an OpenAI-compatible endpoint over real HTTP, scripted.

It is as unforgiving as the real one was measured to be: null or parts as content is a 422,
`tool_calls` of the history are dropped, and a long history is cut without a word.
"""

import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from terrarium_mcp.irc_bridge.dialogue.summary_prompt import RULES
from terrarium_mcp.irc_bridge.model.check import CHECK
from tests.servers.endpoints.http import Answer, HttpRequest, serving

__all__ = [
    "Answer",
    "StrictAgent",
    "calls",
    "calls_all",
    "context_error",
    "empty",
    "fails",
    "garbage",
    "hangs",
    "html",
    "is_summary",
    "reasons",
    "says",
    "sends",
    "strict_agent",
    "tools_error",
]

HISTORY_TOKENS = 6000  # terrarium-agent's, estimated as characters / 4
MAX_TOKENS = 2048  # its default, when the request names none
KEPT_FIELDS = ("role", "content", "tool_call_id", "name")


def says(text: str, *, finish: str = "stop") -> Answer:
    """The model speaks."""
    return _completion({"content": text}, finish)


def calls(name: str, /, **arguments: Any) -> Answer:
    """The model calls one tool."""
    return calls_all((name, json.dumps(arguments)))


def calls_all(*wanted: tuple[str, str]) -> Answer:
    """The model calls several tools in one message: names and arguments, as it wrote them."""
    return _completion(
        {
            "content": None,
            "tool_calls": [
                {
                    "id": f"call_{place}",
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                }
                for place, (name, arguments) in enumerate(wanted, 1)
            ],
        },
        "tool_calls",
    )


def reasons(thought: str = "Let me think.") -> Answer:
    """Nothing but reasoning, until the limit."""
    return _completion({"content": "", "reasoning_content": thought}, "length")


def fails(status: int, body: Any = None) -> Answer:
    """A status, and a JSON body in the form of terrarium-agent's own errors unless one is given."""
    error = {"error": {"message": "scripted failure", "type": "http_error", "code": status}}
    return Answer(status, json.dumps(error if body is None else body).encode())


def context_error() -> Answer:
    """The model's context is too small; terrarium-agent makes a 500 of every upstream error."""
    upstream = {"message": "This model's maximum context length is 8192 tokens.", "code": 400}
    return _upstream_error(json.dumps({"error": upstream}))


def tools_error() -> Answer:
    """A vLLM that was started without a tool parser, behind terrarium-agent."""
    return _upstream_error(
        '{"message": "\\"auto\\" tool choice requires --enable-auto-tool-choice'
        ' and --tool-call-parser to be set"}'
    )


def sends(body: bytes | str, *, content_type: str = "application/json") -> Answer:
    """Any bytes at all, with status 200."""
    return Answer(200, body.encode() if isinstance(body, str) else body, content_type)


def garbage() -> Answer:
    """Bytes that are no text."""
    return sends(b"\x00\xff\xfe\x9c{", content_type="application/octet-stream")


def html() -> Answer:
    """The page of some proxy in between."""
    return sends("<!doctype html><title>Welcome to nginx!</title>", content_type="text/html")


def empty() -> Answer:
    """No body."""
    return sends(b"")


def hangs(until_released: Answer | None = None) -> Answer:
    """No answer before `agent.release()`."""
    return replace(until_released or says("too late"), waits=True)


def is_summary(body: dict[str, Any]) -> bool:
    """Whether a request asks for a summary of the bot's own talk."""
    return bool(body["messages"][0]["content"].startswith(RULES[:40]))


@dataclass
class StrictAgent:
    """The agent's script, its moods, and what it was asked."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    forwarded: list[list[dict[str, Any]]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=lambda: ["glm-air-4.5"])
    models_asked: int = 0
    degraded: bool = False
    takes_tools: bool = True
    key: str = ""
    """What it wants as a Bearer token; empty: anything."""
    checks: int = 0
    """How often it was asked for the one word of `check_endpoint`, which is in no script."""
    speaks_of_health: bool = True
    thinks: Callable[[dict[str, Any]], Answer] | None = None
    """Answers a request by what it holds, in place of the script."""
    most_at_once: int = 0
    """Completions that it was working on side by side."""
    _at_once: int = 0
    _script: deque[Answer] = field(default_factory=deque)
    _released: anyio.Event = field(default_factory=anyio.Event)
    _arrived: anyio.Event = field(default_factory=anyio.Event)

    def will(self, *answers: Answer | str) -> None:
        """Answer the coming requests so, one each; a plain string is what the model says."""
        self._script.extend(says(one) if isinstance(one, str) else one for one in answers)

    def release(self) -> None:
        """Let the answers go that hang."""
        self._released.set()
        self._released = anyio.Event()

    async def asked(
        self, times: int, is_meant: Callable[[dict[str, Any]], bool] = lambda _: True
    ) -> None:
        """Wait until that many completions of a kind have been asked for, since the beginning."""
        while sum(map(is_meant, self.requests)) < times:
            await self._arrived.wait()

    async def respond(self, request: HttpRequest) -> Answer:
        """What it answers to a request."""
        match request.method, request.path:
            case "POST", "/v1/chat/completions":
                return self._refused(request) or await self._complete(request.json())
            case "GET", "/v1/models":
                return self._refused(request) or self._list_models()
            case "GET", "/health" if self.speaks_of_health:
                return self._health()
        return fails(404, {"detail": "Not Found"})

    async def _complete(self, body: dict[str, Any]) -> Answer:
        if body["messages"][-1]["content"] == CHECK:
            self.checks += 1
            refuses = body.get("tools") and not self.takes_tools
            return tools_error() if refuses else says("ready")
        if is_summary(body) and not self.thinks:
            return says("We have talked.")  # as often as there is much to summarise, in no script
        self.requests.append(body)
        self._arrived.set()
        self._arrived = anyio.Event()
        if faults := _faults(body):
            self.complaints += [f"422 for {fault['loc']}: {fault['msg']}" for fault in faults]
            return fails(422, {"detail": faults})
        self.forwarded.append(_forwarded(body))
        answer = self._next(body)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if answer.waits:
                await self._released.wait()
        finally:
            self._at_once -= 1
        return answer

    def _list_models(self) -> Answer:
        self.models_asked += 1
        models = [{"id": name, "object": "model", "created": 0} for name in self.models]
        return sends(json.dumps({"object": "list", "data": models}))

    def _health(self) -> Answer:
        """Status 200 whatever it says."""
        vllm = "disconnected" if self.degraded else "connected"
        status = "degraded" if self.degraded else "healthy"
        health = {"status": status, "vllm_status": vllm, "queue_length": 0}
        return sends(json.dumps(health))

    def _refused(self, request: HttpRequest) -> Answer | None:
        """The answer to a request without the right key."""
        if not self.key or request.headers.get("authorization") == f"Bearer {self.key}":
            return None
        return fails(401, {"error": {"message": "Incorrect API key provided"}})

    def _next(self, body: dict[str, Any]) -> Answer:
        if body.get("tools") and not self.takes_tools:
            return tools_error()
        if self.thinks:
            return self.thinks(body)
        if not self._script:
            self.complaints.append(f"request {len(self.requests)} is beyond the script")
            return fails(500)
        return self._script.popleft()


@asynccontextmanager
async def strict_agent() -> AsyncIterator[StrictAgent]:
    """A running agent. At the end it raises what it had to complain about."""
    agent = StrictAgent()
    async with serving(agent.respond) as agent.url:
        try:
            yield agent
        finally:
            agent.release()
    assert not agent.complaints, "; ".join(agent.complaints)


def _completion(message: dict[str, Any], finish: str) -> Answer:
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "glm-air-4.5",
        "choices": [
            {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
        ],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }
    return Answer(200, json.dumps(completion).encode())


def _upstream_error(said: str) -> Answer:
    message = f"Failed to generate response: vLLM API error (400): {said}"
    return fails(500, {"error": {"message": message, "type": "http_error", "code": 500}})


def _faults(body: dict[str, Any]) -> list[dict[str, Any]]:
    """What the agent's request model rejects, as FastAPI words it."""
    return [
        {
            "type": "string_type",
            "loc": ["body", "messages", place, name],
            "msg": "Input should be a valid string",
            "input": message.get(name),
        }
        for place, message in enumerate(body["messages"])
        for name in ("role", "content")
        if not isinstance(message.get(name), str)
    ]


def _forwarded(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The history that reaches the model: known fields only, the newest that fit.

    Of what is too old only the first system message is kept. Tool schemas count for nothing.
    """
    messages = [
        {name: message[name] for name in KEPT_FIELDS if name in message}
        for message in body["messages"]
    ]
    first = next((one for one in messages if one["role"] == "system"), None)
    left = HISTORY_TOKENS - (body.get("max_tokens") or MAX_TOKENS) - _tokens(first)
    kept: list[dict[str, Any]] = []
    for message in reversed([one for one in messages if one is not first]):
        left -= _tokens(message)
        if left < 0:
            break
        kept.insert(0, message)
    return [*([first] if first else []), *kept]


def _tokens(message: dict[str, Any] | None) -> int:
    return len(message["content"]) // 4 if message else 0
