"""Binds a request to the MCP SDK: a tool's `FromRequest` parameter reads the call's `_meta`."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context, Resolve

from terrarium_mcp.policy import VIEW_KEY, parse_view
from terrarium_mcp.request import AppContext, Request, request_for


async def request_from_context(ctx: Context[AppContext]) -> Request:
    """The request that an MCP call makes, narrowed by the view in its `_meta`.

    Raises:
        BadView: the view is malformed.
    """
    meta: Any = ctx.request_context.meta
    view = parse_view(meta.get(VIEW_KEY) if isinstance(meta, dict) else None)
    return await request_for(ctx.request_context.lifespan_context, view)


FromRequest = Annotated[Request, Resolve(request_from_context)]
"""A tool's parameter that the SDK fills; it does not appear in the tool's schema."""
