"""JSON Lines carry every record, and show when a file is not whole."""

import json
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium_mcp.chat.records import MessageType, NewMessage, Origin
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.logformats.exported_rooms import export_records
from terrarium_mcp.logformats.files import LogFile
from terrarium_mcp.logformats.jsonl import (
    LONGEST_RECORD,
    JsonlHead,
    NotJsonLines,
    as_new_message,
    is_jsonl,
    jsonl_end,
    jsonl_head,
    jsonl_line,
    read_jsonl,
    read_jsonl_head,
)
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.store import (
    ArchivedMessage,
    ArchivedPrivateMessage,
    ArchivedRoom,
    ArchivedSpan,
    ArchiveRecord,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HEAD = JsonlHead(NOON, "terrarium-mcp 9", left_out=("hosts",))
MESSAGE = ArchivedMessage(
    7, "2026-05-01 12:00:00.123", "net", "#Tea", "ada", "~ada", "host.example", "hi", "PRIVMSG",
    account="ada", msgid="m1", reply_to="m0", server_time="2026-05-01T11:59:00Z", origin="live",
    relayed_by="relaybot", own=1, bot=None, redacted_at=None,
)  # fmt: skip

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
perhaps = st.none() | texts
ids = st.integers(1, 2**63 - 1)
flags = st.sampled_from([0, 1, None])
times = st.integers(0, 10**14).map(lambda ms: to_text(EPOCH + timedelta(milliseconds=ms)))
records: st.SearchStrategy[ArchiveRecord] = st.one_of(
    st.builds(ArchivedRoom, ids, texts, texts, texts),
    st.builds(
        ArchivedSpan, ids, texts, texts, times, times, st.none() | times, texts, perhaps, texts
    ),
    st.builds(
        ArchivedMessage, ids, times, *[perhaps] * 13, own=flags, bot=flags, redacted_at=perhaps
    ),
    st.builds(ArchivedPrivateMessage, ids, times, texts, texts, *[perhaps] * 6, own=flags),
)


def exported(*lines: ArchiveRecord) -> list[bytes]:
    """A whole file, line by line."""
    messages = sum(isinstance(one, ArchivedMessage | ArchivedPrivateMessage) for one in lines)
    body = [jsonl_line(one, with_hosts=True) for one in lines]
    return [line.encode() for line in (jsonl_head(HEAD), *body, jsonl_end(messages))]


def refused(lines: list[bytes]) -> str:
    with pytest.raises(NotJsonLines) as error:
        list(read_jsonl(lines))
    return str(error.value)


@given(st.lists(records, max_size=8))
def test_every_record_is_read_as_it_was_written(history: list[ArchiveRecord]) -> None:
    lines = exported(*history)
    assert not any(b"\n" in line for line in lines)
    assert list(read_jsonl(lines)) == history


def test_hosts_are_written_only_where_they_are_asked_for() -> None:
    private = ArchivedPrivateMessage(
        1, "2026-05-01 12:00:00.000", "net", "bo", "ada", "~ada", "host.example", None, "hi", None
    )
    for record in (MESSAGE, private):
        line = json.loads(jsonl_line(record, with_hosts=False))
        assert not {"user", "host"} & line.keys()
        assert {"user", "host"} <= json.loads(jsonl_line(record, with_hosts=True)).keys()


def test_a_message_reads_aloud() -> None:
    assert json.loads(jsonl_line(MESSAGE, with_hosts=True)) == {
        "id": 7,
        "time": "2026-05-01T12:00:00.123Z",
        "network": "net",
        "channel": "#Tea",
        "nick": "ada",
        "user": "~ada",
        "host": "host.example",
        "text": "hi",
        "type": "PRIVMSG",
        "account": "ada",
        "msgid": "m1",
        "reply_to": "m0",
        "server_time": "2026-05-01T11:59:00Z",
        "origin": "live",
        "relayed_by": "relaybot",
        "self": True,
        "bot": None,
    }


def test_the_head_says_what_was_left_out() -> None:
    line = jsonl_head(HEAD).encode()
    assert is_jsonl(line)
    assert read_jsonl_head(line) == HEAD
    assert HEAD.is_whole
    assert not JsonlHead(NOON, "x", query="tea").is_whole
    assert not JsonlHead(NOON, "x", left_out=("other channels",)).is_whole


@pytest.mark.parametrize("line", [b"", b"{}", b"[1]", b"\xff", b"<ada> hi", b'"terrarium"'])
def test_other_files_are_not_taken_for_ours(line: bytes) -> None:
    assert not is_jsonl(line)
    assert refused([line]).startswith("Line 1: ")


def test_a_later_version_is_refused_and_named() -> None:
    assert "version 99" in refused([b'{"terrarium": 99}'])
    assert "Install a newer" in refused([b'{"terrarium": 99}'])


def test_a_file_that_was_cut_anywhere_is_noticed() -> None:
    whole = b"\n".join(exported(MESSAGE, MESSAGE._replace(id=8))) + b"\n"
    for end in range(len(whole) - 1):
        with pytest.raises(NotJsonLines):
            list(read_jsonl(whole[:end].split(b"\n")[: whole[:end].count(b"\n") + 1]))
    assert len(list(read_jsonl(whole.splitlines()))) == 2


def test_a_line_that_is_missing_is_noticed() -> None:
    lines = exported(MESSAGE, MESSAGE._replace(id=8))
    assert "2 messages were exported, and 1 are here" in refused([*lines[:2], *lines[3:]])
    assert "there is more after" in refused([*lines, lines[1]])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": "7"}, "id has a value of the wrong type"),
        ({"id": 0}, "id is out of range"),
        ({"id": 2**63}, "id is out of range"),
        ({"id": True}, "id has a value of the wrong type"),
        ({"id": None}, "id has no value"),
        ({"text": 1}, "text has a value of the wrong type"),
        ({"text": "\ud800"}, "an unknown key or value"),
        ({"time": "yesterday"}, "an unknown key or value"),
        ({"time": None}, "an unknown key or value"),
        ({"colour": "red"}, "an unknown key or value"),
    ],
)
def test_a_line_that_cannot_be_stored_is_named(change: dict[str, Any], told: str) -> None:
    fields = json.loads(jsonl_line(MESSAGE, with_hosts=True)) | change
    error = refused([exported()[0], json.dumps(fields).encode()])
    assert error.startswith("Line 2: ")
    assert told in error


def test_a_span_without_a_time_is_refused() -> None:
    span = ArchivedSpan(1, "net", "#tea", "2026-05-01 12:00", "soon", None, "joined", None, "")
    assert "Line 2: began is not a time" in refused(exported(span))
    span = span._replace(began="2026-05-01 12:00:00.000")
    assert "Line 2: it lacks a key, or has an unknown key or value" in refused(exported(span))


def test_a_record_can_be_imported_as_an_ordinary_line() -> None:
    assert as_new_message(MESSAGE) == NewMessage(
        network="net",
        channel="#Tea",
        nick="ada",
        text="hi",
        said_at=datetime(2026, 5, 1, 12, 0, 0, 123000, tzinfo=UTC),
        kind=MessageType.PRIVMSG,
        user="~ada",
        host="host.example",
        account="ada",
        msgid="m1",
        reply_to="m0",
        server_time="2026-05-01T11:59:00Z",
        origin=Origin.IMPORT,
        relayed_by="relaybot",
        own=True,
    )
    assert as_new_message(MESSAGE._replace(redacted_at="2026-05-02 12:00:00.000")) is None
    assert as_new_message(MESSAGE._replace(channel=None)) is None


def test_a_line_that_is_longer_than_any_is_refused_and_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    long = jsonl_line(MESSAGE._replace(message="x" * LONGEST_RECORD * 30), with_hosts=True)
    path.write_bytes(b"\n".join([*exported(MESSAGE)[:2], long.encode()]))
    del long
    (file,) = log_files([str(path)], tmp_path)
    assert isinstance(file, LogFile)
    tracemalloc.start()
    try:
        with (
            export_records(file) as records,
            pytest.raises(NotJsonLines, match=r"Line 3: it is longer than any line"),
        ):
            list(records)
        assert tracemalloc.get_traced_memory()[1] < 6 * LONGEST_RECORD
    finally:
        tracemalloc.stop()


def test_a_file_of_brackets_is_no_export() -> None:
    assert not is_jsonl(b"[" * 100_000)
