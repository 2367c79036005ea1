"""Binds a request to the MCP SDK: a tool's `FromRequest` parameter reads the call's `_meta`."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Annotated, Any

from mcp.server.mcpserver import Context

from terrarium_mcp.policy import View, view_in
from terrarium_mcp.request import AppContext, Request, request_for

FromRequest = Annotated[Request, "made from the call"]
"""A tool's parameter that `taking_context` fills; it does not appear in the tool's schema."""


async def request_from_context(ctx: Context[AppContext]) -> Request:
    """The request that an MCP call makes, narrowed by the view in its `_meta`.

    Raises:
        BadView: the view is malformed, or another key of `_meta` looks like one of ours.
    """
    asked = ctx.request_context
    meta: Any = asked.meta
    view = view_in(meta) if isinstance(meta, Mapping) else View()
    return await request_for(asked.lifespan_context, view)


def taking_context(tool: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The tool as the SDK takes it: with the call's context in place of its `FromRequest`.

    The SDK's own `Resolve` would fill the parameter too, but prepares for questions to the client,
    and takes as long as a third of a bare call.
    """
    told = signature(tool, eval_str=True)
    (name,) = (one.name for one in told.parameters.values() if one.annotation == FromRequest)

    @wraps(tool)
    async def call(**arguments: Any) -> Any:
        return await tool(**arguments | {name: await request_from_context(arguments[name])})

    parameters = [
        one.replace(annotation=Context) if one.name == name else one
        for one in told.parameters.values()
    ]
    call.__signature__ = told.replace(parameters=parameters)  # type: ignore[attr-defined]  # PEP 362
    call.__annotations__ = {**tool.__annotations__, name: Context}
    return call
