"""Clients that a server should survive, in a process of their own: `hostile.py PORT POSTS SECONDS`.

At the same time: 200 sessions opened and left; one client of HTTP+SSE that posts calls for all it
can get and reads nothing; fifty, one by one, that send a call and do not read its answer; and as
many half requests as the server lets in. After SECONDS, once all sessions were opened, it prints
how many of each there were, as JSON.
"""

import itertools
import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from tests.serving.processes import call
from tests.serving.raw import MODERN, connected, opened_session, post, request, unread_stream

SESSIONS = 200
SESSIONS_WITHIN = 60.0  # seconds: on a busy machine they take longer than the rest goes on
UNREAD_ANSWERS = 50
SPREAD = 10.0  # seconds in which these come
HALVES = 600
POSTERS = 8

MUCH = {"limit": 500, "format": "json"}
META = {"terrarium-mcp/view": {"max_tokens": 1_000_000}}


@dataclass(frozen=True)
class Door:
    """Where the server listens."""

    port: int


def greedy_call(number: int) -> dict[str, Any]:
    """A call with as large an answer as there is."""
    message = call(number, "get_recent_irc_messages", **MUCH)
    message["params"]["_meta"] |= META
    return message


class Crowd:
    """Everybody who misbehaves, until the time is over."""

    def __init__(self, door: Door, posts: int, seconds: float) -> None:
        self._door = door
        self._posts = itertools.count()
        self._most_posts = posts
        self._until = time.monotonic() + seconds
        self.count: Counter[str] = Counter()

    def run(self) -> None:
        """All of them at once."""
        jobs: list[Callable[[], None]] = [self._leave_sessions, self._read_no_answers]
        jobs += [self._send_halves, self._post_and_read_nothing]
        threads = [threading.Thread(target=job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @property
    def _goes_on(self) -> bool:
        return self._left > 0

    def _leave_sessions(self) -> None:
        give_up = time.monotonic() + SESSIONS_WITHIN
        while self.count["sessions"] < SESSIONS and time.monotonic() < give_up:
            with suppress(OSError):  # a connection beyond the most is reset: it comes again
                opened_session(self._door)
                self.count["sessions"] += 1

    def _post_and_read_nothing(self) -> None:
        while self._goes_on and self.count["posts"] < self._most_posts:
            with suppress(OSError, AssertionError), unread_stream(self._door) as (_, path):
                posters = [
                    threading.Thread(target=self._post, args=(path,)) for _ in range(POSTERS)
                ]
                for poster in posters:
                    poster.start()
                for poster in posters:
                    poster.join()

    def _post(self, path: str) -> None:
        """Post calls until the stream is gone."""
        with suppress(OSError, AssertionError):
            while self._goes_on and (number := next(self._posts)) < self._most_posts:
                status, _, _ = post(self._door, greedy_call(number), path)
                self.count["posts"] += 1
                self.count[f"posts answered {status}"] += 1
                if status == 404:
                    return

    def _read_no_answers(self) -> None:
        with ExitStack() as stack:
            for number in range(UNREAD_ANSWERS):
                client = stack.enter_context(connected(self._door, reads=4_096))
                body = json.dumps(modern(greedy_call(number))).encode()
                headers = {
                    **MODERN,
                    "mcp-method": "tools/call",
                    "mcp-name": "get_recent_irc_messages",
                }
                client.sendall(request(self._door, "/mcp", body, **headers))
                self.count["answers unread"] += 1
                self._pause(SPREAD / UNREAD_ANSWERS)
            self._pause(self._left)

    def _send_halves(self) -> None:
        """Keep as many half requests open as the server allows."""
        halves = list[socket.socket]()
        try:
            while self._goes_on:
                while len(halves) < HALVES:
                    half = socket.create_connection(("127.0.0.1", self._door.port))
                    half.settimeout(0)
                    body = b" " * (100_000 if len(halves) % 4 == 0 else 10)
                    with suppress(OSError):
                        half.send(request(self._door, "/mcp", body)[: -len(body) // 2])
                    halves.append(half)
                    self.count["halves"] += 1
                halves = [half for half in halves if not _is_cut(half)]
                time.sleep(0.05)
        finally:
            for half in halves:
                half.close()

    def _pause(self, seconds: float) -> None:
        time.sleep(min(seconds, self._left))

    @property
    def _left(self) -> float:
        return max(0.0, self._until - time.monotonic())


def modern(message: dict[str, Any]) -> dict[str, Any]:
    """A message of the handshake era, in the other one."""
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = message["params"]
    meta = {key: value for key, value in params["_meta"].items() if key != "progressToken"}
    return {**message, "params": {**params, "_meta": meta | envelope}}


def _is_cut(client: socket.socket) -> bool:
    try:
        is_cut = not client.recv(100)
    except BlockingIOError:
        return False
    except OSError:
        is_cut = True
    client.close()
    return is_cut


if __name__ == "__main__":
    crowd = Crowd(Door(int(sys.argv[1])), int(sys.argv[2]), float(sys.argv[3]))
    crowd.run()
    print(json.dumps(crowd.count))  # noqa: T201 -- the scene reads it
