"""Genuine logs of five programs: every line is read, and says what was truly said."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.logformats.log_reader import DatedEvent
from tests.logformats.samples import (
    PROGRAMS,
    Said,
    bare,
    items,
    logs_of,
    rejected,
    speech,
    truth,
)

MISSED = {"weechat": 1, "irssi": 2, "znc": 2, "hexchat": 11, "limnoria": 3}
"""Lines of #lab that a program did not log: CTCP, an action without text, what it was told to leave
out, and what was said while it was away."""


NO_SENDERS = {("hexchat", "#lab"): ["->#lab<-\town notice from hexchat"]}
"""Lines whose sender no line names: HexChat does not write who its owner is."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_line_is_read(program: str, tmp_path: Path) -> None:
    logs = [log for log in logs_of(program, tmp_path) if log.target]
    assert logs
    for log in logs:
        assert log.format.name == program
        expected = NO_SENDERS.get((program, log.target), [])
        assert [line.text[16:] for line in rejected(items(log))] == expected


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_log_says_what_was_said(program: str, tmp_path: Path) -> None:
    """Every line of each person; other bots and the logs' owners are not in the truth."""
    said = truth("#lab")
    people = {one.nick for one in said}
    heard = Counter[Said]()
    for log in logs_of(program, tmp_path):
        is_copy = "user-module" in log.file.path or "global-module" in log.file.path
        if log.target == "#lab" and not is_copy:  # ZNC logged the same three times
            heard.update(one for one in speech(items(log)) if one.nick in people)
    assert list((heard - Counter(said)).elements()) == []
    assert (Counter(said) - heard).total() == MISSED[program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_hour_that_came_twice_is_told_apart(program: str, tmp_path: Path) -> None:
    """02:59 of summer time, 02:00 of winter time, 02:59 of winter time."""
    moments: dict[str, datetime] = {}
    for log in logs_of(program, tmp_path):
        if log.target == "#lab":
            moments |= {
                one.event.text: one.said_at for one in items(log) if isinstance(one, DatedEvent)
            }

    def at(hour: int, minute: int, second: int) -> datetime:
        kept = 0 if program == "irssi" else second  # which shows minutes only
        return datetime(2026, 10, 25, hour, minute, kept, tzinfo=UTC)

    assert moments["DST fall-back message 5"] == at(0, 59, 59)
    assert moments["DST fall-back message 6"] == at(1, 0, 0)
    assert moments["02:59 CET second pass 1"] == at(1, 59, 39)
    assert moments["two days later"].date() == datetime(2026, 10, 27, tzinfo=UTC).date()
    assert moments["crossing midnight message 6"] == datetime(2026, 10, 24, 22, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("program", "spelling"),
    [
        ("weechat", "#we/ird.chan"),
        ("irssi", "#we/ird.chan"),
        ("limnoria", "#we/ird.chan"),
        ("hexchat", "#we/ird.chan"),
        ("znc", "#we-ird.chan"),  # it spells the channel nowhere but in the file's name
    ],
)
def test_a_channel_is_spelt_as_in_the_log(program: str, spelling: str, tmp_path: Path) -> None:
    assert spelling in {log.target for log in logs_of(program, tmp_path)}


@pytest.mark.parametrize(("program", "owner"), [("weechat", "wee"), ("irssi", "iri")])
def test_what_the_owner_said_has_the_owners_nick(program: str, owner: str, tmp_path: Path) -> None:
    (log,) = (log for log in logs_of(program, tmp_path) if log.target == "#lab")
    notices = [
        one.event
        for one in items(log)
        if isinstance(one, DatedEvent) and one.event.own and one.event.kind is MessageType.NOTICE
    ]
    assert [(notice.nick, bare(notice.text)) for notice in notices] == [
        (owner, f"own notice from {program}")
    ]


def test_windows_in_which_a_client_talks_about_itself_are_no_channels(tmp_path: Path) -> None:
    windows = {
        Path(log.file.path).name
        for program in PROGRAMS
        for log in logs_of(program, tmp_path)
        if not log.target
    }
    assert {"irc.server.labnet.weechatlog", "core.weechat.weechatlog", "labnet.log"} <= windows
