"""Days from one to another, as a question names them."""

import pytest

from tests.chat.times.scene import days


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("between 1 February 2023 and 10 February 2023", "2023-02-01", "2023-02-11"),
        ("between 2023-02-01 and 2023-02-10", "2023-02-01", "2023-02-11"),
        ("between 2023-02 and 2023-04", "2023-02-01", "2023-05-01"),
        ("between the 3rd and the 10th of May", "2026-05-03", "2026-05-11"),
        ("between May 3 and 10", "2026-05-03", "2026-05-11"),
        ("from February to April 2023", "2023-02-01", "2023-05-01"),
        ("from november to february 2023", "2022-11-01", "2023-03-01"),
        ("from 20 december 2022 until 6 january", "2022-12-20", "2023-01-07"),
        ("from december to january", "2025-12-01", "2026-02-01"),
        ("from may through june", "2026-05-01", "2026-07-01"),
        ("from june to august", "2025-06-01", "2025-09-01"),
        ("between 2011 and 2013", "2011-01-01", "2014-01-01"),
        ("from 2 may 2025 up to june", "2025-05-02", "2025-07-01"),
    ],
)
def test_both_ends_are_included_and_lend_each_other_what_is_left_out(
    text: str, since: str, until: str
) -> None:
    assert days(f"what was said {text}?") == [(since, until)]


@pytest.mark.parametrize(
    "text",
    [
        "from 9 to 5",
        "from 3 to May",
        "from 3 to 2016",
        "between 3 and 10",
        "between 31 and 32 may",
        "between 2013 and 2011",
        "from a",
    ],
)
def test_what_names_no_days_is_none(text: str) -> None:
    assert days(text) == []
