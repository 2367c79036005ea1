"""What a view hides, in 300 random histories: test_view_twins.py at length.

HISTORIES in the environment sets how many.
"""

import os
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from tests.tools.test_view_twins import PICKS, tells_nothing
from tests.tools.twins import History, histories, questions, views

MANY = int(os.environ.get("HISTORIES", "300"))


@given(histories(), views(), questions(), PICKS)
@settings(
    max_examples=MANY,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
async def test_with_and_without_the_hidden_lines_every_answer_is_the_same(
    history: History,
    view: dict[str, Any],
    calls: list[tuple[str, dict[str, Any]]],
    picks: list[int],
) -> None:
    await tells_nothing(history, view, calls, picks)
