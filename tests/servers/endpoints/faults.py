"""Answers that any endpoint, or what is in between, may give on a bad day."""

import json
from dataclasses import replace

from tests.servers.endpoints.http import Answer, response_bytes
from tests.servers.endpoints.stand_in import Said, StandIn


def cut_off(whole: Answer) -> Answer:
    """The connection ends in the middle of the body."""
    sent = response_bytes(whole)
    return Answer(wire=sent[: len(sent) - len(whole.body) // 2])


def closed() -> Answer:
    """The connection ends without a byte."""
    return Answer(wire=b"")


def reset() -> Answer:
    """The connection is reset."""
    return Answer(wire=b"", resets=True)


def endless() -> Answer:
    """A body that never ends."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
    return Answer(wire=head + b'{"choices": [{"message": {"content": "', flood=b"tea " * 16_000)


def trickling() -> Answer:
    """A byte now and then."""
    return replace(endless(), flood=b".", pause=0.02)


def miscounted(whole: Answer) -> Answer:
    """A content-length that is less than the body."""
    return Answer(wire=response_bytes(replace(whole, headers=(("content-length", "40"),))))


def garbled_gzip(whole: Answer) -> Answer:
    """A body that is said to be compressed, and is not."""
    return replace(whole, headers=(("content-encoding", "gzip"),))


def html(status: int = 200) -> Answer:
    """The page of some proxy in between."""
    page = b"<!doctype html><html><title>Bad gateway</title><h1>nginx</h1></html>"
    return Answer(status, page, "text/html")


def redirect(to: str) -> Answer:
    """A redirect that would keep the method and the body."""
    return Answer(307, headers=(("location", to),))


def retry_after(seconds: str, answer: Answer) -> Answer:
    """The same, with the pause that the endpoint asks for."""
    return replace(answer, headers=(("retry-after", seconds),))


def hanging(endpoint: StandIn) -> Answer:
    """No answer."""
    return replace(endpoint.completion(Said("too late")), waits=True)


def streamed(said: Said) -> Answer:
    """Server-sent events although nobody asked for them, a few letters each."""
    text = said.text or ""
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": said.finish}]}
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in [*chunks, end]]
    body = "".join([*events, "data: [DONE]\n\n"]).encode()
    return Answer(body=body, content_type="text/event-stream")
