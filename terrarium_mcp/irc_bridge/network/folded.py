"""A mapping whose keys are nicks or channels, compared as the network compares them."""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any


class Folded(MutableMapping[str, dict[str, Any]]):
    """Takes the place of pydle's own, which knows only half of the case mappings."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._records: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str | None) -> dict[str, Any]:
        return self._records[
            self._fold(name or "")
        ]  # pydle asks for None where a line has no source

    def __setitem__(self, name: str, record: dict[str, Any]) -> None:
        self._records[self._fold(name)] = record

    def __delitem__(self, name: str) -> None:
        del self._records[self._fold(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)
