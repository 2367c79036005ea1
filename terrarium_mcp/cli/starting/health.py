"""The answer of the HTTP server's `/healthz`."""

from collections.abc import Awaitable, Callable, Mapping

from terrarium_mcp import __version__
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import Store


def health_of(store: Store) -> Callable[[], Awaitable[Mapping[str, object]]]:
    """A function that returns the version, whether the history is open, and whether we keep it."""

    async def health() -> Mapping[str, object]:
        try:
            await store.opening.wait(0)
        except TerrariumError as error:
            return {"ok": False, "version": __version__, "history": str(error)}
        return {"ok": True, "version": __version__, "keeper": store.keeper.is_us}

    return health
