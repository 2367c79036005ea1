"""Lists of ids in a statement: one parameter, a JSON array, however many they are."""

import json
from collections.abc import Iterable

AMONG_IDS = "m.id IN (SELECT value FROM json_each(:ids))"
"""The SQL condition that message `m` is one of those in `ids_params`."""


def ids_params(ids: Iterable[int]) -> dict[str, str]:
    """The parameter `:ids`, which `json_each` reads."""
    return {"ids": json.dumps(list(ids))}
