"""A stand-in for a language model: an OpenAI-compatible endpoint that follows two rules.

To a question it replies with a call of search_irc_history with the question's words. To the result
of that call it replies with the first line found. It understands nothing.
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
    that the to was we were what when where which who why will with you""".split()  # noqa: SIM905 -- saves fifty quotes
)

Narrate = Callable[[str], None]


def application(report: Narrate) -> Starlette:
    """The endpoint. `report` is called with what the stand-in does, one sentence at a time."""

    async def complete(request: Request) -> JSONResponse:
        body = await request.json()
        return JSONResponse(_completion(_reply(body["messages"], report)))

    async def models(_: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": NAME, "object": "model"}]})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", complete, methods=["POST"]),
            Route("/v1/models", models),
        ]
    )


def _reply(messages: Sequence[Mapping[str, Any]], report: Narrate) -> dict[str, Any]:
    """The next message, by the two rules."""
    last = messages[-1]
    if last["role"] == "user" and not _QUESTION.search(last["content"]):
        return {"role": "assistant", "content": "ready"}  # to the check at the start
    if last["role"] == "tool":
        report(f"the tool answered: {last['content'].partition(chr(10))[0]}")
        return {"role": "assistant", "content": _quote(last["content"])}
    words = " ".join(_words(last["content"]))
    report(f"the model (a rule-based stand-in) calls {TOOL}(query={words!r})")
    call = {"name": TOOL, "arguments": json.dumps({"query": words, "limit": 5})}
    calls = [{"id": "call_1", "type": "function", "function": call}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def _words(content: str) -> list[str]:
    """The words of the newest question, without the small ones unless there are only those."""
    words = re.findall(r"[\w'-]+", _QUESTION.findall(content)[-1])
    return [word for word in words if word.lower() not in _SMALL_WORDS] or words


def _quote(transcript: str) -> str:
    """The first line of a transcript, as a sentence."""
    day = ""
    for line in transcript.splitlines():
        if heading := _DAY.match(line):
            day = heading["day"]
        if message := _LINE.match(line):
            nick = message["nick"] or "someone"
            return f'On {day} at {message["time"]} {nick} said: "{message["text"]}"'
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
def model_server(report: Narrate) -> Iterator[str]:
    """Run the endpoint in a thread; yields its address."""
    config = uvicorn.Config(
        application(report), log_config=None, access_log=False, lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
