"""Logs into a real store: once each, undone whole, in the right time, with what stays out."""

import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from terrarium_mcp.chat.irctext import is_off_record
from terrarium_mcp.chat.on_record import NotRecorded
from terrarium_mcp.chat.records import MessageType
from terrarium_mcp.chat.relays import Relay
from terrarium_mcp.chat.times.timestamps import to_text
from terrarium_mcp.chat.transcript import RenderOptions, fenced
from terrarium_mcp.cli.starting.import_report import report_lines
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.finding import find_contents
from terrarium_mcp.logformats.importing import ContentReport, LogImport, ReportLines
from terrarium_mcp.logformats.log_reader import RejectedLine
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.logformats.read_parts import read_parts
from terrarium_mcp.logformats.reading import reading
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import Store, open_store
from terrarium_mcp.store.sqlite.index import counters
from terrarium_mcp.store.sqlite.ingest import bulk
from tests.logformats.samples import BERLIN, LOGS, PROGRAMS, Said, bare, truth
from tests.patience import PATIENCE

BERLIN_LABNET = Choices(network="LabNet", zone=BERLIN)
RENAMED = replace(BERLIN_LABNET, renamed={"#we-ird.chan": "#we/ird.chan"})
"""For the logs of ZNC, which spell the channel nowhere but in the names of files."""


@asynccontextmanager
async def history(folder: Path, settings: Settings | None = None) -> AsyncIterator[Store]:
    async with open_store(folder / "irc_logs.db", settings or Settings()) as store:
        await store.opening.wait(PATIENCE)
        yield store


async def imported(
    store: Store,
    scratch: Path,
    *paths: Path,
    choices: Choices = BERLIN_LABNET,
    private: bool = False,
    on_lines: ReportLines = lambda _: None,
) -> tuple[int, list[ContentReport]]:
    """Import paths; the number of the import, and what became of each file."""
    rejected: list[RejectedLine] = []
    files = list(log_files(map(str, paths), scratch))
    findings = find_contents(files, choices, networks=[], private=private, scratch=scratch)
    assert not findings.undecided
    run = LogImport(
        findings.contents,
        await store.imports.voice_rules(),
        on_lines=on_lines,
        on_reject=lambda _, line: rejected.append(line),
    )
    with reading(one.file for one in findings.contents) as read:
        number = await run.store(store, "test", read)
    assert rejected == []
    return number, run.reports


def rows(folder: Path, sql: str) -> Iterator[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "irc_logs.db")) as connection:
        yield from connection.execute(sql)


def dump(folder: Path) -> list[tuple[object, ...]]:
    columns = "id, timestamp, channel, nick, user, host, message, message_type, network, origin"
    return list(rows(folder, f"SELECT {columns} FROM messages ORDER BY id"))  # noqa: S608 -- ours


def content(folder: Path) -> Counter[tuple[object, ...]]:
    """The messages whatever their ids."""
    return Counter(row[1:] for row in dump(folder))


async def test_one_evening_in_the_logs_of_five_programs_is_there_once(tmp_path: Path) -> None:
    async with history(tmp_path) as store:
        await imported(store, tmp_path, *(LOGS / program for program in PROGRAMS), choices=RENAMED)
        assert await store.differences([]) == []
    speech = "SELECT nick, message_type, message FROM messages WHERE channel = '#lab'"
    stored = [(str(nick), str(kind), str(text)) for nick, kind, text in rows(tmp_path, speech)]
    said = [one for one in truth("#lab") if not is_off_record(one.text) and one.text != "VERSION"]
    people = {one.nick for one in said}
    heard = [
        Said(nick, MessageType(kind), bare(text))
        for nick, kind, text in stored
        if kind in ("PRIVMSG", "NOTICE", "ACTION") and nick in people
    ]
    assert Counter(heard) == Counter(said)


async def test_logs_of_the_last_days_of_the_calendar_are_imported_once(tmp_path: Path) -> None:
    folder = tmp_path / "#tea"
    folder.mkdir()
    for day in ("9999-12-30", "9999-12-31"):
        (folder / f"{day}.log").write_text(f"[{day} 23:57:13 Z] <ada> tea on {day}\n")
    async with history(tmp_path) as store:
        await imported(store, tmp_path, folder, choices=replace(BERLIN_LABNET, zone=UTC))
        await store.imports.undo(1)
        assert (await imported(store, tmp_path, folder))[0] == 2
        assert (await imported(store, tmp_path, folder))[0] == 0
        with (folder / "9999-12-31.log").open("a") as log:
            log.write("[9999-12-31 23:57:14 Z] <ada> more tea\n")
        assert (await imported(store, tmp_path, folder))[0] == 3
    assert [row[6] for row in dump(tmp_path)] == [
        "tea on 9999-12-30",
        "tea on 9999-12-31",
        "more tea",
    ]


async def test_a_clock_with_its_zone_is_read_in_that_on_the_day_of_its_file(
    tmp_path: Path,
) -> None:
    log = tmp_path / "libera" / "#tea" / "2026-10-24.log"
    log.parent.mkdir(parents=True)
    log.write_text("[23:57:13 +0200] <ada> hi\n")
    async with history(tmp_path) as store:
        await imported(store, tmp_path, log, choices=Choices())
        assert (await imported(store, tmp_path, log, choices=Choices()))[0] == 0
    assert [row[1] for row in dump(tmp_path)] == ["2026-10-24 21:57:13.000"]


async def test_lines_behind_a_change_to_stamps_without_seconds_are_there_once(
    tmp_path: Path,
) -> None:
    exact = tmp_path / "irc.LabNet.#tea.weechatlog"
    exact.write_text("2026-10-24 23:57:13\tbob\thi\n2026-10-24 23:58:40\tada\tho\n")
    changed = tmp_path / "LabNet" / "#tea.log"
    changed.parent.mkdir()
    changed.write_text(
        "--- Log opened Sat Oct 24 23:51:20 2026\n23:57:13 < bob> hi\n23:58 < ada> ho\n"
    )
    async with history(tmp_path) as store:
        await imported(store, tmp_path, exact, changed)
    assert [row[6] for row in dump(tmp_path)] == ["hi", "ho"]


async def test_channels_with_lossy_names_are_one_room(tmp_path: Path) -> None:
    async with history(tmp_path) as store:
        await imported(store, tmp_path, *(LOGS / program for program in PROGRAMS), choices=RENAMED)
        rooms = {room.channel for room in await store.rooms.all()}
    assert rooms == {"#lab", "##double", "#Lab-Dev", "#we/ird.chan", "#labown"}


async def test_what_a_bouncer_played_back_into_a_log_is_there_once(tmp_path: Path) -> None:
    """Also if the log was imported before, and in logs that tell seconds or minutes."""
    said = "20:01 < ada> good evening\n20:05 < bo> tea?\n20:05 < bo> tea?\n"
    morning = "08:01 < ada> good morning\n"
    log = tmp_path / "LabNet" / "#lab.log"
    log.parent.mkdir()
    night = f"--- Log opened Fri Nov 27 20:00:00 2026\n{said}"
    log.write_text(night)
    day = "--- Day changed Fri Nov 27 2026\n"
    attached = (
        f"--- Log opened Sat Nov 28 08:00:00 2026\n08:00 -!- zoe [~z@h] has joined #lab\n{day}"
    )
    async with history(tmp_path) as store:
        await imported(store, tmp_path, log)
        log.write_text(f"{night}{attached}{said}--- Day changed Sat Nov 28 2026\n{morning}")
        _, [report] = await imported(store, tmp_path, log)
        assert report.totals
        assert (report.totals.added, report.totals.known) == (2, 3)
    assert report.left_out == {NotRecorded.PLAYED_BACK: 3}
    assert len(dump(tmp_path)) == 5


async def test_the_same_import_twice_adds_nothing(tmp_path: Path) -> None:
    async with history(tmp_path) as store:
        await imported(store, tmp_path, LOGS / "weechat", LOGS / "hexchat")
        before = dump(tmp_path)
        _, reports = await imported(store, tmp_path, LOGS / "weechat", LOGS / "hexchat")
    assert dump(tmp_path) == before
    again = [report.totals for report in reports if report.content.target and not report.earlier]
    assert all(totals and totals.lines == 0 for totals in again)  # nothing could be recorded
    assert len(again) < len(reports) / 2


def evenings(lines: int) -> bytes:
    """A log of WeeChat, a line in each minute."""
    began = datetime(2026, 1, 1)  # noqa: DTZ001 -- as the log has it
    stamps = (began + timedelta(minutes=n) for n in range(lines))
    return "".join(f"{at}\tada\tthe kettle of {at:%j %H:%M} is on\n" for at in stamps).encode()


@pytest.mark.parametrize("left", [b"", b"2027-05-01 12:00:00\tbob\ta new file\n"])
async def test_a_log_that_becomes_shorter_while_it_is_read_does_not_count_as_imported(
    tmp_path: Path, left: bytes
) -> None:
    log, rotated = (tmp_path / f"irc.labnet.#tea.weechatlog{end}" for end in ("", ".1"))
    whole = evenings(20_000)
    log.write_bytes(whole)
    rotated.write_bytes(whole)

    def rotate(_: int) -> None:
        log.write_bytes(left)

    async with history(tmp_path) as store:
        _, (report,) = await imported(store, tmp_path, log, on_lines=rotate)
        assert any("#tea.weechatlog: became shorter while" in one for one in report_lines([report]))
        assert 0 < report.counts.messages < 20_000
        _, (report,) = await imported(store, tmp_path, rotated)
        assert not report.became_shorter
        assert await store.differences([]) == []
    said = [str(row[6]) for row in dump(tmp_path)]
    assert len(said) == len(set(said)) == 20_000
    assert all(text.endswith(" is on") for text in said)


async def test_lines_of_a_clients_own_window_are_none_that_the_wording_decides(
    tmp_path: Path,
) -> None:
    begin = "**** BEGIN LOGGING AT Sat Oct 24 23:52:57 2026\n"
    folder = tmp_path / "logs" / "labnet"
    folder.mkdir(parents=True)
    (folder / "#tea.log").write_text(f"{begin}Oct 24 23:57:13 *\tada waves\n")
    (folder / "labnet.log").write_text(f"{begin}Oct 24 23:57:13 *\tThere are 5 users\n" * 3)
    async with history(tmp_path) as store:
        _, reports = await imported(store, tmp_path, folder.parent)
    assert any("1 line might be an action or an event" in one for one in report_lines(reports))


async def test_a_log_that_grows_while_it_is_read_is_known_as_it_was_read(tmp_path: Path) -> None:
    log = tmp_path / "irc.labnet.#tea.weechatlog"
    whole = evenings(20_000)
    log.write_bytes(whole[:-500_000])

    def grow(_: int) -> None:
        log.write_bytes(whole)

    async with history(tmp_path) as store:
        _, (report,) = await imported(store, tmp_path, log, on_lines=grow)
        assert not report.became_shorter
        number, _ = await imported(store, tmp_path, log)
    assert number == 0
    assert len(dump(tmp_path)) == 20_000


async def test_an_interrupted_import_that_is_repeated_has_every_time_that_a_log_was_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SMALLEST", "USUAL", "LARGEST"):
        monkeypatch.setattr(bulk, name, 500)
    days = [datetime(2026, 5, 1 + 7 * week, tzinfo=UTC) for week in range(4)]
    sessions = [
        f"--- Log opened {day:%a %b %d} 12:00:00 2026\n"
        + "".join(f"12:01 <ada> tea {n}?\n" for n in range(lines))
        + f"--- Log closed {day:%a %b %d} 13:00:00 2026\n"
        for day, lines in zip(days, (1, 1, 3_000, 1), strict=True)
    ]
    folder = tmp_path / "labnet"
    folder.mkdir()
    (folder / "#aaa.log").write_text("".join(sessions[:2]))
    (folder / "#zzz.log").write_text("".join(sessions[2:]))
    parts = count()

    def die(_: int) -> None:
        if next(parts) > 2:
            raise KeyboardInterrupt

    async with history(tmp_path) as store:
        with pytest.raises(KeyboardInterrupt):
            await imported(store, tmp_path, folder, on_lines=die)
        (row,) = rows(tmp_path, "SELECT group_concat(is_whole) FROM import_sources")
        assert row == ("1,0",)
        await imported(store, tmp_path, folder)
    spans = "SELECT began FROM spans WHERE why_began = 'the log was opened' ORDER BY began"
    opened = [began for (began,) in rows(tmp_path, spans)]
    assert opened == [to_text(day + timedelta(hours=10)) for day in days]


async def test_a_day_on_which_the_same_was_said_is_another_day(tmp_path: Path) -> None:
    folder = tmp_path / "labnet" / "#lab"
    folder.mkdir(parents=True)
    said = b"[00:00:00] <bot> Good morning\n"
    (folder / "2026-10-24.log").write_bytes(said)
    async with history(tmp_path) as store:
        await imported(store, tmp_path, folder)
        for day in ("2026-10-25", "2026-10-23"):
            (folder / f"{day}.log").write_bytes(said)
            _, reports = await imported(store, tmp_path, folder)
            news = [one for one in reports if not one.earlier]
            assert [Path(one.content.file.path).stem for one in news] == [day]
            assert news[0].totals
            assert news[0].totals.added == 1
        number, _ = await imported(store, tmp_path, folder)
    assert number == 0
    assert len(dump(tmp_path)) == 3


async def test_no_line_is_of_another_day_than_its_file_or_its_log_names(tmp_path: Path) -> None:
    lines = [f"[{hour:02}:00:00] <ada> line {hour}" for hour in (0, 9, 23)]
    znc = tmp_path / "LabNet" / "#lab" / "2026-06-10.log"
    znc.parent.mkdir(parents=True)
    znc.write_text("\n".join([*lines, *(f"{line} again" for line in lines)]) + "\n")
    irssi = tmp_path / "LabNet" / "#kettle.log"
    irssi.write_text(
        "--- Log opened Wed Jun 10 08:00:00 2026\n23:30 < ada> first\n15:00 < bo> set back\n"
        "--- Day changed Thu Jun 11 2026\n00:10 < ada> next\n"
    )
    async with history(tmp_path) as store:
        _, reports = await imported(store, tmp_path, znc, irssi)
    days = Counter(rows(tmp_path, "SELECT channel, substr(timestamp, 9, 2) FROM messages"))
    assert days == {("#lab", "10"): 4, ("#lab", "09"): 2, ("#kettle", "10"): 3}
    assert [report.counts.steps_back for report in reports] == [1, 1]


async def test_a_log_is_reported_from_its_earliest_moment_to_its_latest(tmp_path: Path) -> None:
    """Whose clock had lost the date for a while, and then was ahead."""
    days = ("2026-06-24", "2039-01-01", "1970-01-01", "2026-06-25")
    weechat = tmp_path / "irc.LabNet.#lab.weechatlog"
    weechat.write_text("".join(f"{day} 12:00:00\tada\ton {day}\n" for day in days))
    irssi = tmp_path / "LabNet" / "#kettle.log"
    irssi.parent.mkdir()
    irssi.write_text(
        "--- Log opened Wed Jun 24 12:00:00 2026\n12:01 < ada> now\n"
        "--- Log closed Wed Jun 24 12:02:00 2026\n--- Log opened Thu Jan 01 12:00:00 1970\n"
        "12:01 < ada> then\n--- Log closed Thu Jan 01 12:02:00 1970\n"
    )
    async with history(tmp_path) as store:
        _, reports = await imported(store, tmp_path, weechat, irssi)
    assert [
        (one.first and f"{one.first:%Y-%m-%d}", one.last and f"{one.last:%Y-%m-%d}")
        for one in reports
    ] == [("1970-01-01", "2039-01-01"), ("1970-01-01", "2026-06-24")]


async def test_a_copy_of_a_log_under_another_name_adds_nothing(tmp_path: Path) -> None:
    """It is another file, so its lines are recognised one by one."""
    log = LOGS / "weechat" / "logs" / "irc.labnet.#lab.weechatlog"
    copy = tmp_path / "copy" / log.name
    copy.parent.mkdir()
    copy.write_bytes(log.read_bytes() + b"2026-10-28 14:00:00\tada\tone more\n")
    async with history(tmp_path) as store:
        await imported(store, tmp_path, log)
        _, (report,) = await imported(store, tmp_path, copy)
    assert report.totals
    assert report.totals.added == 1


@pytest.mark.parametrize("program", PROGRAMS)
async def test_what_is_undone_was_never_there(program: str, tmp_path: Path) -> None:
    async with history(tmp_path) as store:
        first, _ = await imported(store, tmp_path, LOGS / "weechat")
        before = content(tmp_path)
        if program == "weechat":
            before = Counter()
            number = first
        else:
            number, _ = await imported(store, tmp_path, LOGS / program)
        await store.imports.undo(number, lambda _: None)
        assert await store.differences([]) == []
    assert content(tmp_path) == before


def everything_in(folder: Path) -> bytes:
    """The bytes of the database and of what lies beside it."""
    return b"".join(file.read_bytes() for file in folder.glob("irc_logs.db*"))


async def test_what_stays_out_is_in_no_byte_of_the_database(tmp_path: Path) -> None:
    async with history(tmp_path) as store:
        await imported(store, tmp_path, *(LOGS / program for program in PROGRAMS), choices=RENAMED)
    data = everything_in(tmp_path)
    assert b"crossing midnight" in data
    for secret in (b"s3cret", b"please do not log", b"secretly acts", b"private hello"):
        assert secret not in data


OFF_THE_RECORD = """\
2026-10-24 10:00:00\trelaybot\t<jane> [off] one secret
2026-10-24 10:00:01\trelaybot\t<jane> on the record
2026-10-24 10:00:02\tada\t!ask [off] two secrets
2026-10-24 10:00:03\tada\tTerra: [off] three secrets
2026-10-24 10:00:04\t<--\tbo has kicked cy ([off] four secrets)
2026-10-24 10:00:05\t<--\tada (a@h) has left #tea ([off] five secrets)
2026-10-24 10:00:05\t<--\tada (a@h) has quit (/ns identify six secrets)
2026-10-24 10:00:06\trelaybot\t<jane> /msg NickServ IDENTIFY seven secrets
"""


async def test_off_the_record_means_the_same_in_a_log_as_in_the_channel(tmp_path: Path) -> None:
    """Behind a relay's name, behind a command, and as the reason of an event."""
    log = tmp_path / "logs" / "irc.labnet.#tea.weechatlog"
    log.parent.mkdir()
    log.write_text(OFF_THE_RECORD, "utf-8")
    relayed = Settings(network="LabNet", relays=(Relay("relaybot"),))
    async with history(tmp_path, relayed) as store:
        _, (report,) = await imported(store, tmp_path, log)
    assert b"secret" not in everything_in(tmp_path)
    assert [row[6] for row in dump(tmp_path)] == ["<jane> on the record", "cy", "", ""]
    assert report.left_out == {NotRecorded.OFF_RECORD: 3, NotRecorded.SECRET: 1}


async def test_who_speaks_through_a_relay_is_counted_and_not_the_relay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "ADVANCE_EVERY", timedelta(0))
    log = tmp_path / "logs" / "irc.labnet.#tea.weechatlog"
    log.parent.mkdir()
    said = ("relaybot\t<jane> hot tea", "relaybot\t<jane> more tea", "ada\tno tea")
    log.write_text("".join(f"2026-10-24 10:00:00\t{one}\n" for one in said), "utf-8")
    relayed = Settings(network="LabNet", relays=(Relay("relaybot"),))
    async with history(tmp_path, relayed) as store:
        await imported(store, tmp_path, log)
        assert await store.differences([]) == []
    counted = "SELECT folded, lines FROM nick_counts ORDER BY folded"
    assert list(rows(tmp_path, counted)) == [("ada", 1), ("jane", 2)]
    assert list(rows(tmp_path, "SELECT lines FROM words WHERE word = 'jane'")) == []


async def test_what_was_said_to_operators_only_stays_out_and_is_counted(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "LabNet" / "#tea.log"
    log.parent.mkdir(parents=True)
    log.write_text(
        "--- Log opened Sat Oct 24 10:00:00 2026\n10:00 -bob:@#tea- ops notice\n"
        "10:00 < bob:@#tea> ops privmsg\n10:00 < bob> hi\n"
    )
    async with history(tmp_path) as store:
        _, (report,) = await imported(store, tmp_path, log)
    assert [row[6] for row in dump(tmp_path)] == ["hi"]
    assert report.left_out == {NotRecorded.PRIVATE: 2}


async def test_what_nobody_is_known_to_have_sent_stays_out_and_is_counted(tmp_path: Path) -> None:
    """HexChat does not write who its owner is."""
    async with history(tmp_path) as store:
        _, reports = await imported(store, tmp_path, LOGS / "hexchat" / "logs" / "labnet")
    counted = sum((report.left_out for report in reports), Counter[NotRecorded]())
    assert counted[NotRecorded.NO_SENDER] == 1
    assert not [row for row in dump(tmp_path) if row[3] == ""]


async def test_private_conversations_come_in_only_if_they_are_asked_for(tmp_path: Path) -> None:
    private = "SELECT nick, message FROM private_messages ORDER BY id"
    async with history(tmp_path) as store:
        await imported(store, tmp_path, LOGS / "weechat")
        assert list(rows(tmp_path, private)) == []
        await imported(store, tmp_path, LOGS / "weechat", private=True)
    assert ("alice", "private hello to wee") in list(rows(tmp_path, private))
    assert not [row for row in dump(tmp_path) if row[6] == "private hello to wee"]


async def test_what_is_said_to_services_stays_out_of_private_conversations(tmp_path: Path) -> None:
    znc, irssi = tmp_path / "logs/LabNet/nickserv/2026-10-24.log", tmp_path / "logs/LabNet/x.log"
    znc.parent.mkdir(parents=True)
    znc.write_text("[10:00:00] <ada> IDENTFY hunter2\n[10:00:01] <NickServ> Invalid command.\n")
    irssi.write_text(
        "--- Log opened Sat Oct 24 10:00:00 2026\n"
        "10:00 < ada> login ada hunter2\n"
        "10:01 < ada> are you no service?\n"
        "10:01 < x> no, a person\n"
    )
    async with history(tmp_path) as store:
        _, reports = await imported(store, tmp_path, tmp_path / "logs", private=True)
    texts = [text for (text,) in rows(tmp_path, "SELECT message FROM private_messages ORDER BY id")]
    assert texts == ["are you no service?", "no, a person"]
    assert [one.left_out for one in reports] == [
        {NotRecorded.SERVICE: 2},
        {NotRecorded.SECRET: 1},
    ]


async def test_what_services_say_in_the_window_of_a_person_stays_out_too(tmp_path: Path) -> None:
    log = tmp_path / "logs/LabNet/eve.log"
    log.parent.mkdir(parents=True)
    log.write_text(
        "--- Log opened Sat Oct 24 10:00:00 2026\n"
        "10:00 < ada> hi eve\n"
        "10:01 -NickServ(NickServ@services.)- The password for ada is hunter2\n"
    )
    async with history(tmp_path) as store:
        _, [report] = await imported(store, tmp_path, tmp_path / "logs", private=True)
    assert [*rows(tmp_path, "SELECT message FROM private_messages")] == [("hi eve",)]
    assert report.left_out == {NotRecorded.SERVICE: 1}


async def test_what_is_said_to_bitlbee_in_its_own_channel_stays_out(tmp_path: Path) -> None:
    log = tmp_path / "logs/im/&bitlbee.log"
    log.parent.mkdir(parents=True)
    log.write_text(
        "--- Log opened Sat Oct 24 10:00:00 2026\n"
        "10:00 <@ada> identify hunter2\n"
        "10:00 <@root> ada: Password accepted, settings and accounts loaded\n"
        "10:01 <@ada> account add jabber ada@example.org hunter2\n"
    )
    async with history(tmp_path) as store:
        _, [report] = await imported(store, tmp_path, tmp_path / "logs", private=True)
    assert not [*rows(tmp_path, "SELECT message FROM messages")]
    assert report.left_out == {NotRecorded.SERVICE: 3}


async def test_no_line_of_the_window_of_services_is_reported_as_unreadable(tmp_path: Path) -> None:
    log = tmp_path / "logs/irc.labnet.*status.weechatlog"
    log.parent.mkdir()
    log.write_text(
        "2026-10-24 10:00:00\tada\tAddServer irc.example.org hunter2\n"
        "2026-10-24 10:00:01\t*status\tServer added: irc.example.org hunter2\n"
    )
    async with history(tmp_path) as store:
        _, [report] = await imported(store, tmp_path, tmp_path / "logs", private=True)
    assert report.unread is None
    assert report.left_out == {NotRecorded.SERVICE: 1}
    assert report.counts.rejected == 1


async def test_imported_lines_lie_in_the_past(tmp_path: Path) -> None:
    async with history(tmp_path) as store:
        await imported(store, tmp_path, LOGS / "irssi")
    times = "SELECT DISTINCT origin, substr(timestamp, 1, 10) FROM messages ORDER BY 2"
    assert list(rows(tmp_path, times)) == [("import", f"2026-10-{day}") for day in (24, 25, 27, 28)]


async def test_between_two_sessions_of_a_log_is_a_gap_that_the_log_tells(tmp_path: Path) -> None:
    """The log names the second in which irssi opens it, and the minute of each line."""
    log = tmp_path / "labnet" / "#tea.log"
    log.parent.mkdir()
    log.write_text(
        "--- Log opened Thu Jan 01 12:00:30 2015\n"
        "12:00 -!- ada [~ada@host] has joined #tea\n12:01 <ada> tea?\n"
        "--- Log closed Thu Jan 01 13:00:00 2015\n"
        "--- Log opened Wed Apr 01 12:00:30 2015\n"
        "12:00 -!- ada [~ada@host] has joined #tea\n12:02 <ada> more tea?\n"
    )
    async with history(tmp_path) as store:
        await imported(store, tmp_path, log)
        (room,) = await store.rooms.all()
        coverage = await store.spans.coverage([room])
        page = await store.messages.newest([room], 9, events=True)
    gap = "2015-01-01 89d22h"
    told = f"from irssi logs 2015-01-01 to 2015-04-01, 1 gap ({gap})"
    assert coverage.sentence(UTC) == told
    options = RenderOptions(zone=UTC, budget=1_000)
    lines = fenced(page.messages, options, head=[], gaps=coverage.gaps()).text.splitlines()
    marked = next(number for number, line in enumerate(lines) if "not recorded" in line)
    assert lines[marked] == (
        "-- not recorded 2015-01-01 12:00 to 2015-04-01 10:00 (89d22h), as irssi logs say --"
    )
    assert "tea?" in lines[marked - 1]


async def test_the_record_covers_what_the_logs_cover(tmp_path: Path) -> None:
    """HexChat closed its log in the night and opened it again."""
    async with history(tmp_path) as store:
        await imported(store, tmp_path, LOGS / "hexchat" / "logs" / "labnet" / "#lab.log")
    spans = "SELECT began, ended FROM spans WHERE import IS NOT NULL ORDER BY began"
    found = [(str(began)[5:16], str(ended)[5:16]) for began, ended in rows(tmp_path, spans)]
    assert ("10-24 21:52", "10-25 00:58") in found
    assert ("10-25 00:59", "10-25 01:00") in found


def test_lines_that_waited_to_be_told_from_a_playback_make_no_block_longer(tmp_path: Path) -> None:
    log = tmp_path / "irc.LabNet.#lab.weechatlog"
    later = [f"2026-06-24 12:00:00\tada\tlater {number}" for number in range(900)]
    back = [f"2026-06-24 11:00:00\tada\tset back {number}" for number in range(199)]
    log.write_text("\n".join([*later, *back, "2026-06-24 13:00:00\tada\tlast"]) + "\n")
    found = find_contents(
        list(log_files([str(log)], tmp_path)),
        BERLIN_LABNET,
        networks=[],
        private=False,
        scratch=tmp_path,
    )
    parts = [*read_parts(found.contents[0], {})]
    assert [len(part.messages) for part in parts] == [1_000, 100]
    assert sum(part.lines for part in parts) == 1_100


async def test_a_database_that_its_program_has_open_is_read_again_once_it_has_more_rows(
    tmp_path: Path,
) -> None:
    """Its newest rows are in a file beside it; that of the database itself is as it was."""
    there = tmp_path / "soju" / "main.db"
    there.parent.mkdir()
    with closing(sqlite3.connect(there)) as soju:
        soju.executescript("""
            PRAGMA journal_mode = WAL;
            CREATE TABLE Network (id INTEGER PRIMARY KEY, name TEXT, addr TEXT);
            CREATE TABLE MessageTarget (id INTEGER PRIMARY KEY, network INTEGER, target TEXT);
            CREATE TABLE Message (id INTEGER PRIMARY KEY, target INTEGER, raw TEXT, time TEXT);
            INSERT INTO Network VALUES (1, 'libera', 'irc.libera.chat');
            INSERT INTO MessageTarget VALUES (1, 1, '#tea');
        """)
        add = "INSERT INTO Message (target, raw, time) VALUES (1, ?, '2026-10-24T21:57:13.000Z')"
        async with history(tmp_path) as store:
            for line in (":ada!a@home PRIVMSG #tea :hi", ":bob!b@den PRIVMSG #tea :ho"):
                soju.execute(add, (line,))
                soju.commit()
                await imported(store, tmp_path, there, choices=Choices())
            number, _ = await imported(store, tmp_path, there, choices=Choices())
    assert number == 0
    assert [row[6] for row in dump(tmp_path)] == ["hi", "ho"]
