"""Own lines that are not recorded are known again when the network shows them, once each."""

import pytest

from terrarium_mcp.irc_bridge.record import unrecorded
from terrarium_mcp.irc_bridge.record.unrecorded import UnrecordedReplies


def test_a_line_counts_as_often_as_it_was_announced() -> None:
    replies = UnrecordedReplies()
    replies.add("#tea", "hello")
    replies.add("#tea", "hello")
    taken = [replies.take("#tea", "hello") for _ in range(3)]
    assert taken == [True, True, False]


@pytest.mark.parametrize(
    ("target", "text", "known"),
    [
        ("#TEA", "hello  you", True),
        ("#tea", "\x02hello\x02 you ", True),
        ("#mate", "hello you", False),
        ("#tea", "hello", False),
    ],
)
def test_a_network_may_change_case_formatting_and_spaces(
    target: str, text: str, known: bool
) -> None:
    replies = UnrecordedReplies()
    replies.add("#tea", "hello you ")
    assert replies.take(target, text) is known


def test_lines_that_are_never_said_are_forgotten_the_oldest_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unrecorded, "MOST", 2)
    replies = UnrecordedReplies()
    for text in ("one", "two", "three"):
        replies.add("#tea", text)
    assert [replies.take("#tea", text) for text in ("one", "two", "three")] == [False, True, True]
