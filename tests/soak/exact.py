"""Exact search against a plain loop, with 500 random logs: test_exact.py at length.

LOGS in the environment sets how many.
"""

import os

from hypothesis import Phase, given, settings

from terrarium_mcp.chat.records import Origin
from tests.store.sqlite.search.test_exact import LOGS, Said, a_log, finds_what_reading_finds

MANY = int(os.environ.get("LOGS", "500"))


@given(*LOGS)
@settings(max_examples=MANY, deadline=None, phases=[Phase.generate])
async def test_what_is_found_is_what_reading_every_line_finds(
    groups: list[tuple[Origin, int, list[Said]]],
    strange: list[Said],
    redacted: set[int],
    questions: list[tuple[str, list[str], int | None, int]],
    few: int,
    casemapping: str,
) -> None:
    async with a_log(groups, strange, redacted, casemapping) as (store, file):
        await finds_what_reading_finds(store, file, questions, few, casemapping)
