"""What is the same line, and which of two: the rule of store/recognition/once.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.records import SPEECH, MessageType
from terrarium_mcp.store.recognition.comparison import (
    ComparableLine,
    comparable,
    comparable_text,
)
from terrarium_mcp.store.recognition.once import JITTER, recognised

SECOND, MINUTE = 1_000, 60_000


def said(
    text: str,
    at: float = 0,
    nick: str = "ada",
    kind: MessageType = MessageType.PRIVMSG,
    resolution: int = SECOND,
) -> ComparableLine:
    """A line so many seconds after some moment."""
    return comparable(round(at * SECOND), resolution, nick, kind, text, "rfc1459")


def is_known(line: ComparableLine, stored: ComparableLine) -> bool:
    return recognised([line], [stored]) == [0] and recognised([stored], [line]) == [0]


def test_a_line_is_recognised_in_any_spelling_of_its_nick() -> None:
    assert is_known(said("hello", nick="Ada[1]"), said("hello", nick="ada{1}"))
    assert not is_known(said("hello", nick="bo"), said("hello", nick="ada"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\x02bold\x02 and \x0304,01red\x0f", "bold and red"),
        ("trailing  ", "trailing"),
        ("  leading", "leading"),
        ("a\ttab", "a tab"),
        ("one\u200bword", "oneword"),
        ("price: \x80 5", "price: \u20ac 5"),
        ("caf\xe9 na\xefve", "caf\ufffd na\ufffdve"),
        ("caf\ufffd \xe9k", "caf\xe9 \ufffdk"),
        ("bad \ufffd\ufffd\ufffd", "bad \xff\xfe\x81"),
    ],
)
def test_what_programs_lose_or_add_does_not_count(one: str, other: str) -> None:
    assert is_known(said(one), said(other))


@given(st.sampled_from(SPEECH), st.text(st.characters(codec="ascii")) | st.text())
def test_a_code_at_the_end_changes_nothing(kind: MessageType, text: str) -> None:
    assert comparable_text(kind, f"{text}\x02", "ascii") == comparable_text(kind, text, "ascii")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("yes", "Yes"),
        ("caf\xe9", "caf\xe8"),
        ("caf\ufffd", "caf"),
        ("\u65e5\u672c", "\u65e5\u8a9e"),
        ("caf\ufffd one", "caf\xe9 two"),
        ("", "x"),
    ],
)
def test_other_words_are_another_line(one: str, other: str) -> None:
    assert not is_known(said(one), said(other))


def test_reasons_of_quits_are_the_same_with_and_without_quotes() -> None:
    assert is_known(said('"bye"', kind=MessageType.QUIT), said("bye", kind=MessageType.QUIT))
    assert not is_known(said('"bye"'), said("bye"))


def test_a_part_is_the_same_whatever_a_program_kept_of_its_reason() -> None:
    for reason in ("", '"bye"', "bye ("):
        assert is_known(said("bye", kind=MessageType.PART), said(reason, kind=MessageType.PART))


@pytest.mark.parametrize(
    ("kind", "text", "acted"),
    [
        (MessageType.QUIT, "bye", "has quit (bye)"),
        (MessageType.NICK, "Ada2", "is now known as ada2"),
        (MessageType.TOPIC, "Tea, please", "has changed the topic to: Tea, please"),
        (MessageType.TOPIC, "", "has changed the topic to:"),
    ],
)
def test_an_event_that_a_program_wrote_like_an_action_is_the_event(
    kind: MessageType, text: str, acted: str
) -> None:
    assert is_known(said(acted, kind=MessageType.ACTION), said(text, kind=kind))
    assert not is_known(said(acted), said(text, kind=kind))


def test_a_kind_is_not_another() -> None:
    assert not is_known(said("x"), said("x", kind=MessageType.NOTICE))
    assert not is_known(said("x", kind=MessageType.JOIN), said("x", kind=MessageType.PART))


def test_an_empty_nick_equals_any() -> None:
    mine = said("psst", nick="", kind=MessageType.NOTICE)
    hers, his = (said("psst", nick=nick, kind=MessageType.NOTICE) for nick in ("ada", "bo"))
    assert is_known(mine, hers)
    assert recognised([mine, his], [hers, his]) == [0, 1]
    assert recognised([his, his, hers], [mine, his]) == [0, 1, None]


def test_a_repeat_stays_a_repeat() -> None:
    ok = [said("ok", at) for at in (1, 1, 2)]
    assert recognised(ok, ok) == [0, 1, 2]
    found = recognised(ok, ok[:2])
    assert found == [0, 1, None]


def test_repeats_are_paired_so_that_the_fewest_are_left_alone() -> None:
    assert recognised([said("ok", 10), said("ok", 14)], [said("ok", 7), said("ok", 11)]) == [0, 1]
    spread = [said("ok", at) for at in range(0, 60, 3)]
    late = [line._replace(at=line.at + 3 * SECOND) for line in spread]
    assert None not in recognised(late, spread)
    assert None not in recognised(spread, late)


@pytest.mark.parametrize(
    ("apart", "known"), [(3, True), (4, True), (4.001, False), (-4.001, False)]
)
def test_stamps_may_be_as_far_apart_as_lines_arrive(apart: float, known: bool) -> None:
    assert JITTER == 3 * SECOND
    assert is_known(said("hm", apart), said("hm", 0)) is known


def test_a_minute_is_all_of_its_seconds() -> None:
    minute = said("hm", 60, resolution=MINUTE)
    for at, known in ((56, True), (55, False), (119, True), (123, True), (124, False)):
        assert is_known(minute, said("hm", at)) is known, at
    assert is_known(minute, said("hm", 120, resolution=MINUTE))
    assert not is_known(minute, said("hm", 240, resolution=MINUTE))


def test_a_corrected_clock_is_less_exact() -> None:
    assert recognised([said("hm", 10)], [said("hm", 0)], margin=5 * SECOND) == [None]
    assert recognised([said("hm", 10)], [said("hm", 0)], margin=6 * SECOND) == [0]


def test_what_was_redacted_is_any_line_of_its_nick_and_time() -> None:
    gone = said("")._replace(is_redacted=True)
    assert recognised([said("just before"), said("secret")], [gone]) == [0, 0]
    assert recognised([said("secret", 5)], [gone]) == [None]
    assert recognised([said("a"), said("b")], [gone, said("b")]) == [0, 1]
    assert recognised([said("secret", nick="bo")], [gone]) == [None]
    assert recognised([said("secret", kind=MessageType.NOTICE)], [gone]) == [None]


def test_a_netsplit_of_thousands_is_recognised_at_once() -> None:
    joins = [said("", nick=f"n{n}", kind=MessageType.JOIN, resolution=MINUTE) for n in range(5_000)]
    assert recognised(joins, joins[::-1]) == [*range(4_999, -1, -1)]


def lines_of(*resolutions: int) -> st.SearchStrategy[list[ComparableLine]]:
    line = st.builds(
        said,
        st.sampled_from(["ok", "no", "caf\xe9", "caf\ufffd"]),
        st.integers(0, 20),
        st.sampled_from(["ada", "bo", ""]),
        resolution=st.sampled_from(resolutions),
    )
    return st.lists(line, max_size=12)


any_lines = lines_of(0, SECOND, 8 * SECOND)


@given(any_lines, any_lines)
def test_no_stored_line_is_taken_twice_and_all_that_could_be_are_alike(
    log: list[ComparableLine], stored: list[ComparableLine]
) -> None:
    found = recognised(log, stored)
    taken = [index for index in found if index is not None]
    assert len(taken) == len(set(taken))
    for line, index in zip(log, found, strict=True):
        if index is not None:
            assert is_known(line, stored[index])
    left = [other for index, other in enumerate(stored) if index not in taken]
    new = [line for line, index in zip(log, found, strict=True) if index is None]
    assert not any(is_known(line, other) for line in new for other in left)


@given(st.one_of(lines_of(SECOND), lines_of(8 * SECOND)), lines_of(0, SECOND))
def test_what_an_interrupted_import_stored_is_recognised_in_itself(
    log: list[ComparableLine], stored: list[ComparableLine]
) -> None:
    found = recognised(log, stored)
    added = [line for line, index in zip(log, found, strict=True) if index is None]
    assert None not in recognised(log, [*stored, *added])


def test_a_line_without_a_nick_moves_on_for_one_that_has_no_other() -> None:
    log = [said("tea", 0, ""), said("tea", 0, "bo")]
    stored = [said("tea", 1, "ada"), said("tea", 0, "bo")]
    assert recognised(log, stored) == [0, 1]
    assert recognised(log, stored[1:]) == [0, None]
