"""A model over HTTP that answers at once: with a search if it is told to, then with a sentence."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

WORDS = "Nobody knows that better than the log."


class PromptModel:
    """What the model does with the next question, and the seconds that it spent on it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.query = ""
        """What to search for before the answer; empty: nothing."""
        self.seconds = 0.0

    def will(self, query: str) -> None:
        """Be asked a new question."""
        self.query, self.seconds = query, 0.0

    def message(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request; one without tools is for the notes on the talk so far."""
        *_, newest = request["messages"]  # earlier ones may be of questions before
        if not self.query or "tools" not in request or newest["role"] == "tool":
            return {"role": "assistant", "content": WORDS}
        arguments = json.dumps({"query": self.query})
        function = {"name": "search_irc_history", "arguments": arguments}
        call = {"id": "call_1", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


@contextmanager
def prompt_model() -> Iterator[PromptModel]:
    """A model beside the block, in a thread for each request."""

    class _Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            """Serve a connection."""
            self._began = time.perf_counter()
            super().handle()

        def do_GET(self) -> None:
            if self.path == "/v1/models":
                self._send({"object": "list", "data": [{"id": "prompt", "object": "model"}]})
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            message = model.message(json.loads(body))
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            self._send({"object": "chat.completion", "choices": [choice]})

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as above
            pass

        def _send(self, answer: dict[str, Any]) -> None:
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            # Before the answer leaves: whoever asked may read the time as soon as it has come.
            model.seconds += time.perf_counter() - self._began
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        model = PromptModel(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()
