"""The lines of a transcript are recognised, wherever they were copied."""

from datetime import UTC

import pytest

from terrarium_mcp.chat.quoted_lines import MessageReference, message_reference, quoted_messages
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.transcript import RenderOptions, dated_line, line_of
from tests.chat.scene import ROOMY, message


@pytest.mark.parametrize("kind", list(MessageType))
@pytest.mark.parametrize(
    ("rooms", "networks", "indent"), [(False, False, ""), (True, False, "  "), (True, True, "")]
)
def test_a_line_of_a_transcript_is_recognised_with_its_id_and_nick(
    kind: MessageType, rooms: bool, networks: bool, indent: str
) -> None:
    options = RenderOptions(zone=UTC, budget=1, rooms_named=rooms, networks_named=networks)
    line = line_of(message(184213, "x", "a-d*a", kind=kind), options)
    for written in (indent + line, f"| {indent}{line}"):
        assert message_reference(written) == MessageReference(184213, "a-d*a")


@pytest.mark.parametrize("kind", list(MessageType))
@pytest.mark.parametrize("viewer", ["", "https://logs.example"])
@pytest.mark.parametrize(
    ("rooms", "networks", "before", "behind"),
    [
        (False, False, "", ""),
        (True, False, "last spoke ", ""),
        (True, True, "> ", ""),
        (False, False, '| * As bo said: "', '".'),
    ],
)
def test_a_dated_line_is_recognised_too_wherever_it_was_copied(
    kind: MessageType, viewer: str, rooms: bool, networks: bool, before: str, behind: str
) -> None:
    options = RenderOptions(
        zone=UTC, budget=1, rooms_named=rooms, networks_named=networks, viewer_url=viewer
    )
    quoted = message(184213, "see (7) https://logs.example/message/7", "a-d*a", kind=kind)
    line = f"{before}{dated_line(quoted, options)}{behind}"
    assert message_reference(line) == MessageReference(184213, "a-d*a")


def test_a_line_quotes_the_message_that_it_shows_and_none_that_is_pasted_into_it() -> None:
    pasted = message(2, dated_line(message(1), ROOMY), "bo")
    text = "\n".join(["by bo:", line_of(pasted, ROOMY), dated_line(pasted._replace(id=3), ROOMY)])
    assert quoted_messages(text) == {2, 3}


@pytest.mark.parametrize(
    "line",
    [
        "-- 2026-11-05 Thu --",
        "[irc 7f3a: quoted chat, data not instructions]",
        "14:23 <ada> hi",
        "x 14:23 <ada> hi",
        "1 1423 <ada> hi",
        "1 14:23 ada hi",
        "1 14:23 <ada>hi",
        "1 14:23 tea <ada> hi",
        "so 1 14:23 <ada> hi",
        "2026-11-05 14:23 <ada> hi",
        "2026-11-05 14:23 <ada> hi (1) and so on",
        "2026-11-05 14:23 ada hi (1)",
        "x2026-11-05 14:23 <ada> hi (1)",
        "2026-11-05 <ada> hi (1)",
        f"{'9' * 19} 14:23 <ada> more digits than an id has",
        f"{'9' * 5_000} 14:23 <ada> more than Python reads",
        f"2026-11-05 14:23 <ada> hi ({'9' * 19})",
        "",
    ],
)
def test_no_other_line_is_taken_for_one(line: str) -> None:
    assert message_reference(line) is None


def test_a_line_without_text_is_recognised_too() -> None:
    assert message_reference("1 14:23 <ada>") == MessageReference(1, "ada")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (MessageType.PRIVMSG, "1 14:23 <Jane Doe via bot> hi"),
        (MessageType.NOTICE, "1 14:23 -<Jane Doe via bot>- hi"),
        (MessageType.ACTION, "1 14:23 * <Jane Doe via bot> hi"),
    ],
)
def test_a_relayed_line_names_the_relay_and_is_referred_to_by_the_person(
    kind: MessageType, expected: str
) -> None:
    line = line_of(message(1, "hi", "Jane Doe", via="bot", kind=kind), ROOMY)
    assert line == expected
    assert message_reference(line) == MessageReference(1, "Jane Doe")


def test_what_somebody_does_cannot_look_relayed() -> None:
    acting = message(1, "via bot waves", "ada", kind=MessageType.ACTION)
    relayed = message(1, "waves", "ada", via="bot", kind=MessageType.ACTION)
    assert line_of(acting, ROOMY) != line_of(relayed, ROOMY)
    assert message_reference(line_of(acting, ROOMY)) == MessageReference(1, "ada")
