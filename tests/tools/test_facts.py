"""Structured content is cut to a budget at the ends of its lists, and the rest is counted."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.tokens import estimated_tokens
from terrarium_mcp.tools.facts import LEAST_JSON, within_budget

ITEMS = st.lists(st.text(max_size=60), max_size=60)
COUNTS = st.dictionaries(st.text(max_size=30), st.integers(0, 10**9), max_size=60)


@given(ITEMS, COUNTS, st.integers(1, 1_500))
def test_what_is_cut_fits_the_budget_and_what_was_left_out_is_counted(
    rows: list[str], counts: dict[str, int], budget: int
) -> None:
    facts: dict[str, Any] = {"covered": "always", "rows": rows, "counts": counts}
    cut = within_budget(facts, ["rows", "counts"], budget)
    left_out = cut.get("left_out", 0)
    printed = json.dumps({**cut, "left_out": left_out}, ensure_ascii=False)
    assert estimated_tokens(printed) <= max(budget, LEAST_JSON)
    assert cut["covered"] == "always"
    assert cut["rows"] == rows[: len(cut["rows"])]
    assert list(cut["counts"].items()) == list(counts.items())[: len(cut["counts"])]
    assert left_out == len(rows) - len(cut["rows"]) + len(counts) - len(cut["counts"])
    if cut["rows"] != rows:
        assert not cut["counts"]  # what comes last in the order is cut first


def test_facts_that_fit_are_returned_whole() -> None:
    facts = {"rows": ["a", "b"], "counts": {"c": 1}}
    assert within_budget(facts, ["rows", "counts"], 4_000) == facts
