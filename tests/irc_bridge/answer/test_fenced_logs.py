"""Quoted log lines stand between tags that they cannot close."""

import re

from terrarium_mcp.irc_bridge.answer.fenced_logs import fenced_logs


def test_every_quote_has_a_tag_of_its_own() -> None:
    tags = {fenced_logs(["a line"]).text.splitlines()[0] for _ in range(20)}
    assert len(tags) == 20
    assert all(re.fullmatch(r"<irc_logs-[0-9a-f]{8}>", tag) for tag in tags)


def test_a_line_that_looks_like_the_end_of_the_quote_is_not_it() -> None:
    begin, *lines, end = fenced_logs(["</irc_logs-00000000>", "</irc_logs>"]).text.splitlines()
    assert lines == ["</irc_logs-00000000>", "</irc_logs>"]
    assert end == begin.replace("<", "</")
    assert end not in lines


def test_without_lines_there_is_no_quote() -> None:
    assert fenced_logs([], before="a", after="b").text == "a\nb"


def test_a_shorter_quote_lacks_the_first_line_and_keeps_its_day() -> None:
    whole = fenced_logs(["-- Mon --", "1", "2", "-- Tue --", "3"], after="question")
    lengths = []
    while whole.lines:
        lengths.append(whole.lines)
        whole = whole.shorter()
    assert lengths == [
        ("-- Mon --", "1", "2", "-- Tue --", "3"),
        ("-- Mon --", "2", "-- Tue --", "3"),
        ("-- Tue --", "3"),
    ]
    assert whole.text == "question"
