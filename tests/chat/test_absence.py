"""Since when somebody was away."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.absence import GONE, SILENT, newest_absence
from terrarium_mcp.chat.records import Message, MessageType, Room
from tests.store.scene import NOON

TEA = Room(1, "net", "#tea")
KINDS = {"says": MessageType.PRIVMSG, "joins": MessageType.JOIN, "parts": MessageType.PART,
         "quits": MessageType.QUIT}  # fmt: skip


def signs(*told: str) -> list[Message]:
    """Signs such as `10:00 says`, newest first."""
    found = []
    for number, (time, did) in enumerate(one.split() for one in told):
        hours, minutes = map(int, time.split(":"))
        at = NOON.replace(hour=hours, minute=minutes)
        found.append(Message(number + 1, TEA, at, "ada", "", KINDS[did]))
    return found[::-1]


@pytest.mark.parametrize(
    ("told", "began"),
    [
        (["08:00 says", "17:30 says"], "08:00"),  # back, and talking
        (["08:00 says", "17:30 joins", "17:59 says"], "08:00"),
        (["08:00 says", "08:10 quits", "17:30 joins"], "08:10"),
        (["08:00 says"], "08:00"),  # not a word since
        (["08:00 says", "16:30 says"], "16:30"),  # silent up to now
        (["08:00 says", "17:10 says", "17:30 quits", "17:45 joins"], "17:30"),
        (["08:00 says", "17:10 says", "17:30 quits", "17:35 joins"], "08:00"),  # a lost connection
        (["16:00 joins", "17:00 says"], "17:00"),
        (["17:10 says", "17:40 says"], None),
        ([], None),
    ],
)
def test_the_newest_absence_of_somebody_at_six(told: Sequence[str], began: str | None) -> None:
    absence = newest_absence(signs(*told), NOON.replace(hour=18))
    assert (f"{absence.last.said_at:%H:%M}" if absence else None) == began


def test_an_absence_knows_how_long_it_was_and_whether_they_left() -> None:
    left = newest_absence(signs("08:00 says", "08:10 quits", "17:30 joins"), NOON.replace(hour=18))
    assert left
    assert (left.length, left.began_by_leaving) == (timedelta(hours=9, minutes=20), True)
    silent = newest_absence(signs("16:00 says"), NOON.replace(hour=18))
    assert silent
    assert (silent.length, silent.began_by_leaving) == (timedelta(hours=2), False)


@given(st.lists(st.tuples(st.integers(0, 5_000), st.sampled_from([*KINDS.values()])), max_size=30))
def test_no_later_pause_is_as_long(told: list[tuple[int, MessageType]]) -> None:
    now = NOON + timedelta(minutes=5_000)
    newest_first = [
        Message(n, TEA, NOON + timedelta(minutes=minutes), "ada", "", kind)
        for n, (minutes, kind) in enumerate(sorted(told, key=lambda one: -one[0]))
    ]
    absence = newest_absence(newest_first, now)
    later = newest_first if absence is None else newest_first[: newest_first.index(absence.last)]
    ends = [now, *(one.said_at for one in later)]
    for sign, end in zip(later, ends, strict=False):
        is_leaving = sign.kind in (MessageType.PART, MessageType.QUIT)
        assert end - sign.said_at < (GONE if is_leaving else SILENT)
    if absence:
        assert absence.until == ends[-1]
        assert absence.length >= GONE
