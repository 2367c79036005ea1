"""The web application: both HTTP transports and the health page, in one lifespan."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, TypeAlias

import anyio
from mcp.server import MCPServer
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from terrarium_mcp import sdk
from terrarium_mcp.serving.absolute_form import AbsoluteForm
from terrarium_mcp.serving.address import MCP_PATH, SSE_PATH, Listening
from terrarium_mcp.serving.bounded_calls import CALLS_IN_ALL, BoundedCalls, hold_slot
from terrarium_mcp.serving.direct_answers import DirectAnswers
from terrarium_mcp.serving.handshakes import TooLargeHandshake, posted_message_in
from terrarium_mcp.serving.host_check import HostCheck, allowed_hosts
from terrarium_mcp.serving.open_calls import OpenCalls, bounded
from terrarium_mcp.serving.posted_messages import PostedMessages
from terrarium_mcp.serving.resumption import FreshStreams
from terrarium_mcp.serving.returning import greeted
from terrarium_mcp.serving.session_room import MAX_SESSIONS, SessionRoom
from terrarium_mcp.serving.shutdown import Shutdown, ShutdownMiddleware
from terrarium_mcp.serving.unreadable import UnreadableMessage
from terrarium_mcp.serving.uploads import WholeRequests, replayed

HealthCheck: TypeAlias = Callable[[], Awaitable[Mapping[str, object]]]

IDLE_SECONDS = 900
"""Seconds after which a session without requests ends, if its room is not needed before."""


def build_application(
    server: MCPServer[Any], listening: Listening, health: HealthCheck, shutdown: Shutdown
) -> Starlette:
    """Streamable HTTP at /mcp, HTTP+SSE at /sse and /messages/, health at /healthz."""
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by `HostCheck`
    server.middleware.append(hold_slot)
    streamable = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        transport_security=checked,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MAX_SESSIONS + CALLS_IN_ALL,  # so many may be opened at the same moment
    )
    events = SseServerTransport("/messages/", security_settings=checked)
    routes: list[BaseRoute] = [
        *streamable.routes,
        Route(SSE_PATH, EventStream(server, events, shutdown), methods=["GET"]),
        Mount("/messages/", app=MessagePosts(events)),
        Route("/healthz", _health_page(health), methods=["GET"]),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(AbsoluteForm),
            Middleware(ShutdownMiddleware, shutdown=shutdown),
            Middleware(HostCheck, allowed=allowed_hosts(listening)),
            Middleware(WholeRequests),
            Middleware(PostedMessages, deadline=shutdown.calls),
            Middleware(BoundedCalls),
            Middleware(DirectAnswers, server=server),
            Middleware(SessionRoom, server=server),
            Middleware(FreshStreams),
        ],
        lifespan=lambda _: server.session_manager.run(),
    )


class EventStream:
    """The /sse endpoint: one client's stream of messages, as an ASGI application.

    Not the SDK's `sse_app`, which enters the lifespan for every connection; and not a function,
    because Starlette would send its return value as a second response.
    """

    def __init__(
        self, server: MCPServer[Any], transport: SseServerTransport, shutdown: Shutdown
    ) -> None:
        self._server = server
        self._transport = transport
        self._shutdown = shutdown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream to one client until it disconnects, or the server stops and no call is open."""
        if scope["method"] == "HEAD":  # which Starlette adds to GET: a probe, not a session
            await Response(media_type="text/event-stream")(scope, receive, send)
            return
        calls = OpenCalls()
        receive = partial(self._shutdown.receive, receive, calls.all_ended)
        async with self._transport.connect_sse(scope, receive, send) as streams:
            await sdk.serve_http_client(self._server, *greeted(*bounded(calls, *streams)))


class MessagePosts:
    """The /messages/ endpoint: what one client sends, as an ASGI application.

    The bodies of its requests must be complete: `WholeRequests` comes before it.
    """

    def __init__(self, transport: SseServerTransport) -> None:
        self._transport = transport

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Accept a message and hand it on, unless its stream ends meanwhile."""
        body = await receive()
        if scope["method"] == "POST" and (problem := _problem_of(body["body"])):
            # The transport would refuse most of these too, with a traceback in the log.
            refusal = PlainTextResponse(problem, HTTPStatus.BAD_REQUEST)
            await refusal(scope, receive, send)
            return
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._transport.handle_post_message(scope, replayed(body, receive), send)


def _problem_of(body: bytes) -> str:
    """Why a body is not accepted; "" if it is."""
    try:
        posted_message_in(body)
    except TooLargeHandshake as too_large:
        return str(too_large)
    except UnreadableMessage:
        return "Not one JSON-RPC message."
    return ""


def _health_page(health: HealthCheck) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def page(_: Request) -> JSONResponse:
        found = await health()
        is_well = found.get("ok", True)
        return JSONResponse(
            dict(found), HTTPStatus.OK if is_well else HTTPStatus.SERVICE_UNAVAILABLE
        )

    return page
