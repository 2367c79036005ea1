"""A stand-in for a language model: an OpenAI-compatible endpoint that follows two rules.

Asked a question, it calls search_irc_history with the question's words. Shown what was found, it
quotes the first line of it. It understands nothing.
"""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

NAME = "rule-based-stand-in"
TOOL = "search_irc_history"

_QUESTION = re.compile(r"<question[^>]*>(.*?)</question>", re.DOTALL)
_LINE = re.compile(r"^\d+ (?P<time>\d\d:\d\d) (?:#\S+ )?(?:<(?P<nick>[^>]+)>|\* \S+) (?P<text>.+)$")
_DAY = re.compile(r"^-- (?P<day>\S+) \w+ --$")
_SMALL_WORDS = frozenset(
    """a about an and are at can did do does for has have how i in is it me of on or say said tell
    that the to was we were what when where which who why will with you""".split()  # noqa: SIM905 -- fifty quotes less
)

Tell = Callable[[str], None]


def application(tell: Tell) -> Starlette:
    """The endpoint. `tell` hears what the stand-in does."""

    async def complete(request: Request) -> JSONResponse:
        asked = await request.json()
        return JSONResponse(_completion(_turn(asked["messages"], tell)))

    async def models(_: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": NAME, "object": "model"}]})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", complete, methods=["POST"]),
            Route("/v1/models", models),
        ]
    )


def _turn(messages: Sequence[Mapping[str, Any]], tell: Tell) -> dict[str, Any]:
    """The next message, by the two rules."""
    last = messages[-1]
    if last["role"] == "tool":
        tell(f"it was answered: {last['content'].partition(chr(10))[0]}")
        return {"role": "assistant", "content": _quoting(last["content"])}
    words = " ".join(_words(last["content"]))
    tell(f"the model (a rule-based stand-in) calls {TOOL}(query={words!r})")
    call = {"name": TOOL, "arguments": json.dumps({"query": words, "limit": 5})}
    calls = [{"id": "call_1", "type": "function", "function": call}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def _words(content: str) -> list[str]:
    found = _QUESTION.findall(content)
    words = re.findall(r"[\w'-]+", found[-1] if found else content)
    return [word for word in words if word.lower() not in _SMALL_WORDS] or words


def _quoting(found: str) -> str:
    """The first line of what a search found, in words."""
    day = ""
    for line in found.splitlines():
        if heading := _DAY.match(line):
            day = heading["day"]
        if said := _LINE.match(line):
            return f'On {day} at {said["time"]} {said["nick"] or "somebody"} said: "{said["text"]}"'
    return "I found nothing about that in the log."


def _completion(message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": "chatcmpl-demo",
        "object": "chat.completion",
        "created": 0,
        "model": NAME,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


@contextmanager
def model_server(tell: Tell) -> Iterator[str]:
    """The endpoint in a thread of its own; gives its address."""
    config = uvicorn.Config(
        application(tell), log_config=None, access_log=False, lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
