"""A cursor is read back whole, or it is a bad cursor."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.cursors import BadCursor, Cursor, fingerprint_of, read_cursor
from terrarium_mcp.chat.times.timestamps import Position

RUNGS = ("all words", "any word")
CURSOR = Cursor("q", 12, "any word", 3, Position("2026-05-01 12:00:00.000", 7), "2026-04-30")
CURSORS = st.builds(
    Cursor,
    st.just("q"),
    st.integers(0, 2**63 - 1),
    st.sampled_from(RUNGS),
    st.integers(0, 300),
    st.none() | st.builds(Position, st.just("2026-05-01 12:00:00.000"), st.integers(0, 2**63 - 1)),
    st.sampled_from(["", "2026-05-01 12:00:00.000"]),
    st.just(""),
    st.sampled_from(["", fingerprint_of(7, 5)]),
)


def forged(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts, separators=(",", ":")).encode()).decode()


@given(CURSORS)
def test_a_cursor_is_read_back_whole(cursor: Cursor) -> None:
    assert read_cursor(str(cursor), "q", RUNGS) == cursor
    assert read_cursor(f" {cursor}\n", "q", RUNGS) == cursor
    assert str(cursor).replace("-", "").replace("_", "").isalnum()


def test_a_cursor_of_another_question_is_refused() -> None:
    with pytest.raises(BadCursor, match="another question"):
        read_cursor(str(CURSOR), "other", RUNGS)


def test_a_refusal_says_what_to_do_with_the_cursor() -> None:
    with pytest.raises(BadCursor) as refused:
        read_cursor(str(CURSOR), "other", RUNGS)
    assert str(refused.value) == (
        "This cursor belongs to another question."
        " Repeat the arguments of the first page with it, or leave it out."
    )
    with pytest.raises(BadCursor) as refused:
        read_cursor("?", "q", RUNGS)
    assert str(refused.value) == (
        "This cursor is damaged. Leave it out to begin at the first page."
    )


def test_a_cursor_of_an_unknown_look_up_is_refused() -> None:
    with pytest.raises(BadCursor, match="damaged"):
        read_cursor(str(CURSOR), "q", ("all words",))


@given(st.text(max_size=40))
def test_any_other_text_is_a_bad_cursor(text: str) -> None:
    with pytest.raises(BadCursor):
        read_cursor(text, "q", RUNGS)


@given(st.integers(0, len(str(CURSOR)) - 1), st.sampled_from("Aa0_-!"))
def test_a_cursor_with_one_character_changed_is_never_another_kind_of_error(
    at: int, other: str
) -> None:
    text = str(CURSOR)
    changed = text[:at] + other + text[at + 1 :]
    try:
        cursor = read_cursor(changed, "q", RUNGS)
    except BadCursor:
        return
    assert str(cursor) == changed


PLACE = {"timestamp": "2026-05-01 12:00:00.000", "id": 7}


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (2,),
        (3, "q", 12, "any word", 3, None, "", "", ""),
        (4, "q", 2**63, "any word", 3, None, "", "", ""),
        (4, "q", -1, "any word", 3, None, "", "", ""),
        (4, "q", 12.0, "any word", 3, None, "", "", ""),
        (4, "q", True, "any word", 3, None, "", "", ""),
        (4, "q", "12", "any word", 3, None, "", "", ""),
        (4, "q", 12, "no such", 3, None, "", "", ""),
        (4, "q", 12, ["any word"], 3, None, "", "", ""),
        (4, "q", 12, "any word", -3, None, "", "", ""),
        (4, "q", 12, "any word", 3, [], "", "", ""),
        (4, "q", 12, "any word", 3, {}, "", "", ""),
        (4, "q", 12, "any word", 3, PLACE | {"id": "7"}, "", "", ""),
        (4, "q", 12, "any word", 3, PLACE | {"id": 10**30}, "", "", ""),
        (4, "q", 12, "any word", 3, PLACE | {"more": 1}, "", "", ""),
        (4, "q", 12, "any word", 3, {"timestamp": 5, "id": 1}, "", "", ""),
        (4, "q", 12, "any word", 3, {"timestamp": "noon", "id": 1}, "", "", ""),
        (4, "q", 12, "any word", 3, None, "yesterday", "", ""),
        (4, "q", 12, "any word", 3, None, 5, "", ""),
        (4, "q", 12, "any word", 3, None, [], "", ""),
        (4, "q", 12, "any word", 3, None, {}, "", ""),
        (4, "q", 12, "any word", 3, None, 0, "", ""),
        (4, "q", 12, "any word", 3, None, "", None, ""),
        (4, "q", 12, "any word", 3, None, "", "yesterday", ""),
        (4, "q", 12, "any word", 3, None, "", "", 5),
        (4, "q", 12, "any word", 3, None, "", "", ["x"]),
        (4, "q", 12, "any word", 3, None, "", "", "", "more"),
    ],
)
def test_a_cursor_is_checked_in_every_part(parts: tuple[object, ...]) -> None:
    with pytest.raises(BadCursor, match="damaged"):
        read_cursor(forged(*parts).rstrip("="), "q", RUNGS)


def test_what_is_forged_as_we_write_it_is_read() -> None:
    told = forged(4, "q", 12, "any word", 3, PLACE, "", "", "")
    assert read_cursor(told.rstrip("="), "q", RUNGS).skip == 3


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"a":' * 100_000])
def test_a_cursor_nested_without_end_is_refused(nested: str) -> None:
    with pytest.raises(BadCursor):
        read_cursor(base64.urlsafe_b64encode(nested.encode()).decode().rstrip("="), "q", RUNGS)


def test_the_largest_id_of_sqlite_fits_a_cursor() -> None:
    largest = CURSOR._replace(snapshot=2**63 - 1, skip=0)
    assert read_cursor(str(largest), "q", RUNGS) == largest


def test_a_cursor_without_a_position_starts_with_its_version_and_has_these_defaults() -> None:
    first = Cursor("q", 12, "any word")
    assert (first.skip, first.after, first.since, first.until, first.head) == (0, None, "", "", "")
    assert read_cursor(str(first), "q", RUNGS) == first
    padded = str(first) + "=" * (-len(str(first)) % 4)
    assert json.loads(base64.urlsafe_b64decode(padded)) == [
        4, "q", 12, "any word", 0, None, "", "", ""
    ]  # fmt: skip


def test_a_cursor_of_base64_with_padding_is_refused() -> None:
    padded = next(
        text
        for text in (forged(4, "q", 12, "any word", n, None, "", "", "") for n in (3, 33, 333))
        if text.endswith("=")
    )
    assert read_cursor(padded.rstrip("="), "q", RUNGS)
    with pytest.raises(BadCursor, match="damaged"):
        read_cursor(padded, "q", RUNGS)


def test_a_fingerprint_is_twelve_characters_of_the_same_hash_every_time() -> None:
    assert len(fingerprint_of("a", 1)) == 12
    assert fingerprint_of("tea", [1], 0, "newest") == "e49cbb349674"


def test_a_fingerprint_tells_questions_apart() -> None:
    assert fingerprint_of("a", 1) == fingerprint_of("a", 1)
    asked: list[tuple[object, ...]] = [("a", 1), ("a", "1"), ("a1",), ()]
    assert len({fingerprint_of(*parts) for parts in asked}) == 4
