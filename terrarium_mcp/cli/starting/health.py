"""What the HTTP server says of its health."""

from collections.abc import Awaitable, Callable, Mapping

from terrarium_mcp import __version__
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.store import Store


def health_of(store: Store) -> Callable[[], Awaitable[Mapping[str, object]]]:
    """What `/healthz` answers: the version, and whether the history is open."""

    async def health() -> Mapping[str, object]:
        try:
            await store.opening.wait(0)
        except TerrariumError as why:
            return {"ok": False, "version": __version__, "history": str(why)}
        return {"ok": True, "version": __version__, "keeper": store.keeper.is_us}

    return health
