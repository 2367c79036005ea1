"""What is derived from `messages`: it can always be made again, and is checked against a recount.

Every derived structure is brought up to date by ids, in the order they were given, and has a
watermark of its own. Usually all stand at the newest id, since an append takes them along in its
own transaction; one that is being rebuilt lags behind, and its readers wait for it.
"""

from collections.abc import Sequence
from typing import Protocol

from terrarium_mcp.store.database import Writer

TABLES = """
-- Up to which id each derived structure has taken in the messages.
CREATE TABLE derived (name TEXT PRIMARY KEY, upto INTEGER NOT NULL) WITHOUT ROWID;
"""


class Derived(Protocol):
    """One derived structure. Every method runs inside a transaction of its caller."""

    name: str

    async def add(self, writer: Writer, first: int, last: int) -> None:
        """Take in the messages with the ids `first` to `last`, which it does not hold yet."""

    async def remove(self, writer: Writer, ids: Sequence[int]) -> None:
        """Give up messages that are about to be deleted or redacted; their rows are still whole."""

    async def clear(self, writer: Writer) -> None:
        """Hold nothing, as at first."""

    async def differences(self, writer: Writer) -> list[str]:
        """Compare with a recount; one sentence for each difference, none when all is well."""
