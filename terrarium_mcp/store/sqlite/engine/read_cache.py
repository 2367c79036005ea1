"""What a call reads every time and hardly ever changes: kept until any process commits."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from terrarium_mcp.store.sqlite.engine.database import Database

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_MOST = 64
"""Values kept at most; beyond these all are dropped."""


class ReadCache(Generic[Key, Value]):
    """Values that `read` returns, by their key, as they are in the newest commit.

    A value must not depend on who asks, nor on the clock.
    """

    def __init__(self, database: Database, read: Callable[[Key], Awaitable[Value]]) -> None:
        self._database = database
        self._read = read
        self._version: int | None = None
        self._values: dict[Key, Value] = {}

    async def get(self, key: Key) -> Value:
        """The value of this key.

        Raises:
            StoreFailed: the file cannot be read.
        """
        version = await self._database.version()
        if version != self._version or len(self._values) > _MOST:
            self._version, self._values = version, {}
        if key in self._values:
            return self._values[key]
        value = await self._read(key)
        # Another call may have met a newer commit meanwhile, of which this value knows nothing.
        if version is not None and version == self._version:
            self._values[key] = value
        return value
