"""The messages that clients POST to the Streamable HTTP endpoint, checked before the SDK has them.

Each is answered: the SDK accepts a request whose id is none as a notification, and leaves open the
stream of one whose id is in work already.
"""

from http import HTTPStatus

from mcp.types import INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCRequest, RequestId
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from terrarium_mcp.serving.address import MCP_PATH
from terrarium_mcp.serving.handshakes import posted_message_in
from terrarium_mcp.serving.session_calls import SessionCalls
from terrarium_mcp.serving.shutdown import Deadline
from terrarium_mcp.serving.tracked_response import TrackedResponse, as_event
from terrarium_mcp.serving.unreadable import UnreadableMessage
from terrarium_mcp.serving.uploads import replayed

MESSAGE = "terrarium_mcp.message"
"""Where the scope of a request has its message, for who comes after `PostedMessages`."""

_ID_IN_WORK = "Invalid request: a request with this id is in work."
_SESSION_ENDED = "The session has ended."
_STOPPING = "The server is stopping."


class PostedMessages:
    """ASGI middleware that passes on what is one message, and in a session has an id of its own.

    The bodies of its requests must be complete: `WholeRequests` comes before it.
    """

    def __init__(self, app: ASGIApp, deadline: Deadline) -> None:
        """Pass messages on to `app`; at the `deadline`, end what is in work in sessions."""
        self._app = app
        self._deadline = deadline
        self._calls = SessionCalls()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it here."""
        if scope["type"] != "http" or scope["path"] != MCP_PATH:
            await self._app(scope, receive, send)
            return
        session = Headers(scope=scope).get("mcp-session-id", "")
        if scope["method"] == "POST":
            await self._serve_message(session, scope, receive, send)
        elif scope["method"] == "DELETE" and session:
            async with self._calls.ended(session):
                await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve_message(
        self, session: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        body = await receive()
        response = _MessageResponse(scope, receive, send)
        try:
            message = posted_message_in(body["body"])
        except UnreadableMessage as unreadable:
            await response.end_with(unreadable.answer, HTTPStatus.BAD_REQUEST)
            return
        scope, whole = {**scope, MESSAGE: message}, replayed(body, receive)
        if not session:
            await self._app(scope, whole, send)
            return
        call = message.id if isinstance(message, JSONRPCRequest) else None
        if call is not None and self._calls.is_in_work(session, call):
            await response.end_with(_error(call, _ID_IN_WORK), HTTPStatus.BAD_REQUEST)
            return
        is_cut = self._calls.is_ending(session)
        if not is_cut:
            with self._calls.in_work(session, call) as work, self._deadline.cancelling(work):
                await self._app(scope, whole, response.send)
            is_cut = work.cancelled_caught
        if is_cut:
            why = _STOPPING if self._deadline.is_past else _SESSION_ENDED
            await response.end_with(_error(call, why), HTTPStatus.NOT_FOUND)


class _MessageResponse(TrackedResponse):
    """The response to one message, which can be ended with an error wherever it is."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(send)
        self._request = scope, receive

    async def end_with(self, error: JSONRPCError, status: HTTPStatus) -> None:
        """Answer with an error: as a response of its own, or as the last event of a stream."""
        json = error.model_dump_json(by_alias=True, exclude_unset=True)
        if not self.is_started:
            refusal = Response(json, status, media_type="application/json")
            await refusal(*self._request, self.send)
        elif not self.is_complete:
            event = as_event(json.encode())
            await self.send({"type": "http.response.body", "body": event, "more_body": False})


def _error(call: RequestId | None, text: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=call, error=ErrorData(code=INVALID_REQUEST, message=text))
