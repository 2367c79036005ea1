"""A dictionary that does not grow: what strangers can make us remember has an end."""

from collections import UserDict
from typing import TypeVar

ItemKey = TypeVar("ItemKey")
ItemValue = TypeVar("ItemValue")


class BoundedDict(UserDict[ItemKey, ItemValue]):
    """A dictionary of at most `most` items, in the order in which they were set last.

    Beyond that the item set longest ago is forgotten.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: ItemKey, value: ItemValue) -> None:
        """Set an item, which is the last one then."""
        self.data.pop(key, None)
        self.data[key] = value
        if len(self.data) > self._most:
            del self.data[next(iter(self.data))]
