"""Requests that name the whole URL, as a client sends them that takes the server for a proxy."""

from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

_SCHEME = b"http://"


class AbsoluteForm:
    """ASGI middleware under which `POST http://host:8765/mcp` is served like `POST /mcp`.

    A server must accept it, and must take the host from the URL, not from the Host header (RFC
    9112, 3.2.2). So it precedes whatever reads the path or checks the host.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, in the usual form."""
        is_absolute = scope["type"] == "http" and _is_absolute(scope["raw_path"])
        await self._app(_with_host_apart(scope) if is_absolute else scope, receive, send)


def _is_absolute(target: bytes) -> bool:
    """Whether a target begins with a scheme, whose case does not matter, and not with a slash."""
    return target[: len(_SCHEME)].lower() == _SCHEME


def _with_host_apart(scope: Scope) -> Scope:
    host, _, path = scope["raw_path"][len(_SCHEME) :].partition(b"/")
    others = [(name, value) for name, value in scope["headers"] if name != b"host"]
    return {
        **scope,
        "raw_path": b"/" + path,
        "path": unquote("/" + path.decode("ascii")),
        "headers": [(b"host", host), *others],
    }
