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
        ("from May the 4th to May the 6th", "2026-05-04", "2026-05-07"),
        ("May the 4th - May the 6th", "2026-05-04", "2026-05-07"),
        ("from February to April 2023", "2023-02-01", "2023-05-01"),
        ("from november to february 2023", "2022-11-01", "2023-03-01"),
        ("from 20 december 2022 until 6 january", "2022-12-20", "2023-01-07"),
        ("from december to january", "2025-12-01", "2026-02-01"),
        ("from may through june", "2026-05-01", "2026-07-01"),
        ("from june to august", "2025-06-01", "2025-09-01"),
        ("in december and january", "2025-12-01", "2026-02-01"),
        ("in december or january 2024", "2023-12-01", "2024-02-01"),
        ("in may and march", "2026-03-01", "2026-06-01"),
        ("during May and March 2024", "2024-03-01", "2024-06-01"),
        ("between 2011 and 2013", "2011-01-01", "2014-01-01"),
        ("from 2 may 2025 up to june", "2025-05-02", "2025-07-01"),
        ("May-July 2025", "2025-05-01", "2025-08-01"),
        ("in march-may", "2026-03-01", "2026-06-01"),
        ("in december\u2013january", "2025-12-01", "2026-02-01"),
        ("6-7 May", "2026-05-06", "2026-05-08"),
        ("on the 6th - 7th of May 2025", "2025-05-06", "2025-05-08"),
        ("May 6-7", "2026-05-06", "2026-05-08"),
        ("May 6-7, 2024", "2024-05-06", "2024-05-08"),
        ("30 April - 2 May", "2026-04-30", "2026-05-03"),
        ("in 2012 or 2013", "2012-01-01", "2014-01-01"),
        ("in 2013, 2011 and in 2012", "2011-01-01", "2014-01-01"),
        ("in 2011-2013", "2011-01-01", "2014-01-01"),
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


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("on 3 may and 5 may", "2026-05-03", "2026-05-06"),
        ("on 3 and 5 may", "2026-05-03", "2026-05-06"),
        ("on the 3rd or the 5th of May 2024", "2024-05-03", "2024-05-06"),
        ("on May 3, 2024 and May 5", "2024-05-03", "2024-05-06"),
        ("on May the 3rd and May the 5th", "2026-05-03", "2026-05-06"),
        ("on may 5 and 3", "2026-05-03", "2026-05-06"),
        ("on 1, 3 and on 5 may", "2026-05-01", "2026-05-06"),
        ("on 31 december and 1 january", "2025-12-31", "2026-01-02"),
        ("on 2026-05-03 and 2026-05-05", "2026-05-03", "2026-05-06"),
        ("on the 3rd and the 5th", "2026-05-03", "2026-05-06"),
        ("on 3 and 5 july last year", "2025-07-03", "2025-07-06"),
    ],
)
@pytest.mark.parametrize("question", ["%s", "what was said %s?", "the kettle %s"])
def test_of_several_days_the_first_to_the_last_are_meant(
    text: str, since: str, until: str, question: str
) -> None:
    assert days(question % text) == [(since, until)]


@pytest.mark.parametrize("text", ["on 3 and 5", "on march 3 and 5 people", "on 30 and 31 june"])
def test_what_may_be_no_day_is_none_of_several(text: str) -> None:
    assert len(days(text)) == text.count("march")
