"""What is in work in each session of the handshake era, so that one id means one request.

There a session answers by the id of the request alone, and ends whatever else is going on in it.
The SDK leaves it to clients to keep both apart: of two requests with one id only one would ever be
answered, and a message that arrives while its session ends would be a traceback in the log.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import anyio
from mcp.types import RequestId


@dataclass
class _SessionWork:
    """Its requests by their ids, of which the SDK keeps the text; and all messages in work."""

    ids: set[str] = field(default_factory=set)
    messages: set[anyio.CancelScope] = field(default_factory=set)
    is_ending: bool = False
    is_quiet: anyio.Event = field(default_factory=anyio.Event)


class SessionCalls:
    """The sessions in which anything is in work, by name."""

    def __init__(self) -> None:
        self._sessions: dict[str, _SessionWork] = {}

    def is_ending(self, session: str) -> bool:
        """Whether a session is being ended."""
        return session in self._sessions and self._sessions[session].is_ending

    def is_in_work(self, session: str, call: RequestId) -> bool:
        """Whether a request with this id is not answered yet."""
        return session in self._sessions and str(call) in self._sessions[session].ids

    @contextmanager
    def in_work(self, session: str, call: RequestId | None) -> Iterator[anyio.CancelScope]:
        """A message is in work inside the block; the scope is cancelled if its session ends.

        `call` is the id of a request, which no other may have meanwhile.
        """
        its = self._sessions.setdefault(session, _SessionWork())
        ids = set() if call is None else {str(call)}
        its.ids |= ids
        try:
            with anyio.CancelScope() as scope:
                its.messages.add(scope)
                yield scope
        finally:
            its.messages.discard(scope)
            its.ids -= ids
            if not its.messages:
                its.is_quiet.set()
                if not its.is_ending:
                    del self._sessions[session]

    @asynccontextmanager
    async def ended(self, session: str) -> AsyncIterator[None]:
        """A session is ended inside the block, in which no message of it is in work any more."""
        its = self._sessions.setdefault(session, _SessionWork())
        its.is_ending = True
        try:
            for scope in its.messages:
                scope.cancel()
            if its.messages:
                await its.is_quiet.wait()
            yield
        finally:
            if self._sessions.get(session) is its:
                del self._sessions[session]
