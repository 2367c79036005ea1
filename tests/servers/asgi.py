"""An ASGI application over real HTTP on loopback, within a test's own event loop."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import uvicorn


@asynccontextmanager
async def served(application: Any) -> AsyncIterator[str]:
    """Serve it inside the block, which gets the address.

    Without uvicorn's main loop, which would take over the signals of the test run.
    """
    config = uvicorn.Config(application, lifespan="off", ws="none", log_config=None)
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        await server.startup(sockets=[listener])
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            with anyio.CancelScope(shield=True):
                await server.shutdown(sockets=[listener])
