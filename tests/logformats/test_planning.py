"""What is told from a log, and what is asked for rather than guessed."""

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from terrarium_mcp.logformats.choice_limits import MisplacedChoice
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.databases.database_formats import DATABASE_FORMATS
from terrarium_mcp.logformats.detection import best_fit, next_day_fit
from terrarium_mcp.logformats.files import LogFile, lines_of, stored_file
from terrarium_mcp.logformats.finding import Findings, find_contents
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.log_origin import LogOrigin, is_perhaps, origin_in, origins_in
from terrarium_mcp.logformats.log_reader import (
    DatedBoundary,
    DatedEvent,
    LogReader,
    RejectedLine,
)
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.logformats.planning import (
    NO_NETWORK,
    ImportContext,
    PlannedLog,
    UndecidedLog,
    planned,
)
from terrarium_mcp.logformats.recognition import NoLog, UnknownFormat, fitting, shown_form
from terrarium_mcp.logformats.sessions import only_of
from terrarium_mcp.logformats.text.eggdrop import EGGDROP
from terrarium_mcp.logformats.text.hexchat import HEXCHAT
from terrarium_mcp.logformats.text.irssi import IRSSI
from terrarium_mcp.logformats.text.mirc import MIRC
from terrarium_mcp.logformats.text.textual import TEXTUAL
from terrarium_mcp.logformats.text.thelounge import THE_LOUNGE
from terrarium_mcp.logformats.text.weechat import WEECHAT as WEECHAT_FORMAT
from terrarium_mcp.logformats.text.znc import ZNC
from terrarium_mcp.logformats.twelve_hours import WrittenClock

BERLIN = ZoneInfo("Europe/Berlin")
WEECHAT = "2026-10-24 23:57:13\tbob\thi"
NEWER = "2026-10-24T21:57:13.123456Z\tbob\thi"


def test_a_log_of_znc_may_have_nicks_with_blanks_and_is_no_log_of_others() -> None:
    lines = [
        "[10:00:00] *** Joins: Jane Doe (~a@b.example)",
        "[10:00:05] <bo> hello all",
        "[10:00:09] *** Quits: Jane Doe (~a@b.example) (bye)",
        "[10:01:00] *** Joins: John Roe (~c@d.example)",
        "[10:01:05] <bo> hello",
        "[10:02:00] *** Parts: John Roe (~c@d.example) ()",
        "[10:02:10] <bo> that was short",
        "[10:02:30] <bo> bye",
    ]
    assert best_fit("n/#sp/2026-06-10.log", lines).format is ZNC


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_log_in_utf_16_is_refused_with_the_way_to_convert_it(
    tmp_path: Path, encoding: str, line_break: str
) -> None:
    log = tmp_path / "#tea.log"
    lines = ["2026-10-24 23:57:13\tbob\t\u0447\u0430\u0439", "", "2026-10-24 23:58:13\tbob\ttea"]
    log.write_bytes("".join(f"{line}{line_break}" for line in lines).encode(encoding))
    findings = find_contents(
        list(log_files([str(log)], tmp_path)),
        Choices(zone=UTC),
        networks=[],
        private=False,
        scratch=tmp_path,
    )
    (error,) = findings.skipped
    assert "encoded as UTF-16. Convert it first: iconv -f UTF-16LE" in str(error)


@pytest.mark.parametrize("name", ["[Content_Types].xml", "mimetype"])
@pytest.mark.parametrize(
    "written",
    [
        (2026, 11, 29, 1, 16, 20),  # its time has two line breaks
        (2026, 11, 29, 1, 20, 26),  # a line break, and a carriage return
        (2026, 11, 29, 12, 0, 0),
    ],
)
def test_a_document_is_known_whatever_bytes_are_before_its_name(
    name: str, written: tuple[int, int, int, int, int, int], tmp_path: Path
) -> None:
    path = tmp_path / "#c.xlsx"
    with zipfile.ZipFile(path, "w") as document:
        document.writestr(zipfile.ZipInfo(name, written), "x")
    file = stored_file(str(path), path.name, path, path.stat().st_size)
    with file.opened() as stream, pytest.raises(NoLog, match="a document of an office program"):
        fitting(file, list(lines_of(stream)), Choices())


def plan(
    tmp_path: Path,
    name: str,
    *lines: str | bytes,
    choices: Choices | None = None,
) -> PlannedLog:
    """How a file with these lines would be read."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    head = [line if isinstance(line, bytes) else line.encode() for line in lines]
    path.write_bytes(b"\n".join(head))
    (file,) = log_files([str(path)], tmp_path)
    assert isinstance(file, LogFile)
    choices = choices or Choices(zone=BERLIN)
    return planned(file, head, fitting(file, head, choices), ImportContext(choices))


def found(
    folder: Path, *names: str, choices: Choices, line: str = WEECHAT, private: bool = False
) -> Findings:
    """What an import finds in a folder with files of these names, each of one line."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(line)
    return find_contents(
        list(log_files([str(folder)], folder.parent)),
        choices,
        networks=[],
        private=private,
        scratch=folder.parent,
    )


def rooms(findings: Findings) -> list[tuple[str, str]]:
    """The networks and channels of what was found."""
    return [(one.network, one.target) for one in findings.contents]


def moments(findings: Findings) -> list[datetime]:
    """When the messages of what was found were said, by the minute."""
    said = []
    for content in findings.contents:
        with content.read() as log:
            said += [one.said_at for one in log.items if isinstance(one, DatedEvent)]
    return [moment.replace(second=0) for moment in said]


def test_the_path_names_network_channel_and_day(tmp_path: Path) -> None:
    log = plan(tmp_path, "ada/networks/libera/moddata/log/#tea/2026-10-24.log", "[23:57:13] <b> hi")
    assert (log.format.name, log.network, log.target, str(log.day)) == (
        "znc",
        "libera",
        "#tea",
        "2026-10-24",
    )


@pytest.mark.parametrize("day", ["20261024", "2026/10/24"])
@pytest.mark.parametrize(
    "folder", ["libera/{}", "networks/libera/moddata/log/{}", "users/ada/moddata/log/libera/{}"]
)
def test_a_file_of_znc_may_have_its_day_otherwise(folder: str, day: str) -> None:
    """Else the log is read as one of mIRC, which has a channel's notices in private."""
    path = f"{folder}/{day}.log"
    lines = ["[23:57:13] -bob- hi", "[23:57:14] *** bob sets mode: +o ada"]
    fit = best_fit(path.format("#tea"), lines)
    assert (fit.format.name, fit.origin) == ("znc", ("libera", "#tea", date(2026, 10, 24), False))
    assert origin_in(path.format("status"), ZNC.paths).is_window


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("log/ada/libera/#tea/2026-10-24.log", ("libera", "#tea")),
        ("moddata/log/#tea/2026-10-24.log", ("", "#tea")),
        ("moddata/log/ada_libera_#tea_20261024.log", ("libera", "#tea")),
        ("moddata/log/ada_my_net_#we_ird_20261024.log", ("my_net", "#we_ird")),
        ("users/ada/moddata/log/my_net_#we_ird_20261024.log", ("my_net", "#we_ird")),
        ("users/ada/moddata/log/libera_bob_20261024.log", ("libera", "bob")),
        ("users/ada/moddata/log/#we_ird_20261024.log", ("", "#we_ird")),
        ("networks/my_net/moddata/log/#we_ird_20261024.log", ("my_net", "#we_ird")),
        ("networks/libera/moddata/log/bob_20261024.log", ("libera", "bob")),
        ("libera_#tea_20261024.log", ("libera", "#tea")),
        ("2026/10/#tea_20261024.log.txt", ("", "#tea")),
        ("notes.txt", ("", "")),
    ],
)
def test_each_layout_of_znc_is_known(path: str, origin: tuple[str, str]) -> None:
    found = origin_in(path, ZNC.paths)
    assert (found.network, found.target) == origin


STARTED = "Session Start: Sat Oct 24 23:51:20 2026"
TALK = "[23:57] <bob> hi"
LIBERA_CHAT = ("Libera.Chat", "#tea")
KVIRC_STARTED = "### Log session started at Sat Oct 24 23:57:12 2026 ###"


def test_a_log_of_mirc_says_whose_it_is_whatever_its_name(tmp_path: Path) -> None:
    choices = Choices(network="dalnet", zone=BERLIN)

    def whose(ident: str, choices: Choices) -> list[tuple[str, str]]:
        lines = f"{STARTED}\nSession Ident: {ident}\n{TALK}"
        names = ("old.log", "#mate.log", "bob.dalnet.log")
        return [
            room
            for name in names
            for room in rooms(
                found(tmp_path / name, name, choices=choices, line=lines, private=True)
            )
        ]

    assert whose("#tea", choices) == [("dalnet", "#tea")] * 3
    forced = replace(choices, channel="#tea")
    assert whose("bob", forced) == [("dalnet", "bob")] * 3
    assert whose("bob (~b@home.example)", forced) == [("dalnet", "bob")] * 3


def test_each_session_of_mirc_is_of_its_own_room(tmp_path: Path) -> None:
    def session(minute: int, ident: str, text: str) -> str:
        return (
            f"Session Start: Sat Oct 24 23:{minute}:20 2026\nSession Ident: {ident}\n"
            f"[23:{minute}] <bob> {text}\nSession Close: Sat Oct 24 23:{minute}:50 2026\n\n"
        )

    log = tmp_path / "joined" / "#tea.dalnet.log"
    log.parent.mkdir()
    sessions = (("#tea", "one"), ("#rust", "two"), ("bob", "my number"), ("#Tea", "three"))
    log.write_text(
        "[23:10] <bob> zero\n"
        + "".join(session(20 + at, *one) for at, one in enumerate(sessions))
        + "a line that cannot be read\n"
    )
    choices = Choices(zone=BERLIN, day=date(2026, 10, 24))
    findings = found(log.parent, choices=choices)
    said, opened, rejected = {}, {}, {}
    for content in findings.contents:
        with content.read() as read:
            items = list(read.items)
            assert read.counts.lines == 22
            assert read.counts.messages + read.counts.empty + read.counts.rejected == 22
        said[content.target] = [one.event.text for one in items if isinstance(one, DatedEvent)]
        opened[content.target] = [
            one.at.astimezone(BERLIN).minute for one in items if isinstance(one, DatedBoundary)
        ]
        rejected[content.target] = [one.number for one in items if isinstance(one, RejectedLine)]
    assert said == {"#tea": ["zero", "one", "three"], "#rust": ["two"]}
    assert opened == {"#tea": [20, 20, 23, 23], "#rust": [21, 21]}
    assert rejected == {"#tea": [22], "#rust": []}
    assert [(one.network, one.target) for one in findings.private] == [("dalnet", "bob")]


def test_a_room_costs_its_own_lines_alone_of_a_file_of_many() -> None:
    read = list[str]()

    def noted(text: str) -> str:
        read.append(text)
        return text

    form = replace(MIRC, text_of=noted)
    lines = [
        STARTED,
        "Session Ident: #tea",
        TALK,
        STARTED,
        "Session Ident: #mate",
        "[23:58] <b> no",
    ]
    own = only_of("#tea", (line.encode() for line in lines), form, is_first=True)
    list((reader := LogReader(form, UTC, channel="#tea")).read(own))
    assert {*read} == {STARTED, "Session Ident: #tea", TALK}
    assert (reader.counts.lines, reader.counts.messages) == (6, 1)


@pytest.mark.parametrize(
    ("name", "lines", "room"),
    [
        ("#tea.Libera.Chat.log", [STARTED, "Session Ident: #tea", TALK], LIBERA_CHAT),
        ("#tea.Libera.Chat.20261024.log", [STARTED, "Session Ident: #tea", TALK], LIBERA_CHAT),
        ("#tea.Libera.Chat.log", [STARTED, TALK, "[23:58] * Joins: b (b@h)"], ("", "")),
        ("#tea.Libera.Chat.log", [STARTED, "[23:58] * b (b@h) has joined #tea"], LIBERA_CHAT),
        ("#node.js.Libera.log", [STARTED, "Session Ident: #node.js", TALK], ("Libera", "#node.js")),
        ("libera/#node.js.log", [STARTED, "Session Ident: #node.js", TALK], ("libera", "#node.js")),
        ("libera/#tea.2026.log", [STARTED, "Session Ident: #tea", TALK], ("libera", "#tea")),
        ("libera/#tea.2026.log", [STARTED, TALK], ("libera", "#tea.2026")),
        ("libera/#tea.2026.20261024.log", [STARTED, TALK], ("libera", "#tea.2026")),
        ("#tea.2600net.log", [STARTED, TALK], ("2600net", "#tea")),
        ("bob.Libera.Chat.log", [STARTED, "Session Ident: bob", TALK], ("Libera.Chat", "bob")),
        ("bob.Libera.Chat.20261024.log", [STARTED, TALK], ("Libera.Chat", "bob")),
        ("bob.2600net.20261024.log", [STARTED, TALK], ("2600net", "bob")),
        (
            "channel_#tea.Libera.Chat_2026.10.24.log",
            [KVIRC_STARTED, "[23:57:15] b [b@h] has joined #tea"],
            LIBERA_CHAT,
        ),
        (
            "query_bob.Libera.Chat_2026.10.24.log",
            [KVIRC_STARTED, "[23:57:13] <bob> hi"],
            ("Libera.Chat", "bob"),
        ),
    ],
)
def test_lines_tell_which_dot_of_a_name_is_between_channel_and_network(
    name: str, lines: list[str], room: tuple[str, str], tmp_path: Path
) -> None:
    choices = Choices(zone=BERLIN)
    findings = found(tmp_path / "a", name, choices=choices, line="\n".join(lines), private=True)
    assert (rooms(findings) or [("", "")]) == [room]


@pytest.mark.parametrize(
    ("name", "told", "talk"),
    [
        (
            "log/channel_%23node.js.de.LabNet_2026.10.{}.log",
            [KVIRC_STARTED, "[23:57:15] b [b@h] has joined #node.js.de"],
            [KVIRC_STARTED, "[23:57:15] <b> hi"],
        ),
        (
            "#node.js.de.LabNet.202610{}.log",
            [STARTED, "[23:58] * b (b@h) has joined #node.js.de"],
            [STARTED, TALK],
        ),
    ],
)
def test_a_day_of_talk_alone_is_of_the_network_that_a_day_before_it_tells(
    name: str, told: list[str], talk: list[str], tmp_path: Path
) -> None:
    for day, lines in (("24", told), ("25", talk), ("26", talk)):
        (path := tmp_path / "a" / name.format(day)).parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines))
    findings = found(tmp_path / "a", choices=Choices(zone=BERLIN))
    assert rooms(findings) == [("LabNet", "#node.js.de")] * 3
    assert (findings.skipped, findings.undecided) == ([], [])


@pytest.mark.parametrize("between", ["-", "_", " "])
@pytest.mark.parametrize("date", ["", ".20261024"])
def test_a_channel_behind_the_name_of_a_server_is_part_of_no_network_of_mirc(
    between: str, date: str, tmp_path: Path
) -> None:
    name = f"irc.libera.chat{between}#tea{date}.log"
    for lines in ([STARTED, TALK], [STARTED, "Session Ident: #tea", TALK]):
        choices = Choices(zone=BERLIN)
        findings = found(tmp_path / "a", name, choices=choices, line="\n".join(lines), private=True)
        assert rooms(findings) == []
        assert "its network is not named anywhere" in str(findings.undecided[0])


@pytest.mark.parametrize("channel", ["", "tea"])
def test_a_network_that_is_known_tells_where_its_name_begins(channel: str, tmp_path: Path) -> None:
    (log := tmp_path / "#tea.Libera.Chat.log").write_text(f"{STARTED}\n{TALK}")

    def place(networks: Sequence[str], choices: Choices) -> list[tuple[str, str]]:
        files = list(log_files([str(log)], tmp_path))
        return rooms(
            find_contents(files, choices, networks=networks, private=False, scratch=tmp_path)
        )

    choices = Choices(zone=BERLIN, channel=channel)
    assert place(["oftc", "libera.chat"], choices) == [("libera.chat", "#tea")]
    assert place([], replace(choices, network="Libera.Chat")) == [LIBERA_CHAT]
    for spelling in ("libera", "irc.libera.chat"):
        assert place([], replace(choices, network=spelling)) == [(spelling, "#tea")]
    told_channel = [("oftc", "#tea")] if channel else []
    assert place([], replace(choices, network="oftc")) == told_channel


@pytest.mark.parametrize(
    ("name", "network", "room"),
    [
        ("LabNet/#python.de.20261024.log", "libera", ("libera", "#python.de")),
        ("LabNet/#python.de.20261024.log", "labnet", ("labnet", "#python.de")),
        ("LabNet/#python.de.log", "libera", ("libera", "#python.de")),
        ("logs/#python.Libera.20261024.log", "libera.chat", ("libera.chat", "#python")),
        ("logs/#python.de.Libera.Chat.log", "libera", ("libera", "#python.de")),
        ("logs/#python.IRCnet.log", "", ("IRCnet", "#python")),
        ("logs/#python.IRCnet.log", "libera", ("libera", "#python")),
    ],
)
def test_a_channel_with_dots_is_whole_where_a_network_is_chosen_that_its_end_does_not_name(
    name: str, network: str, room: tuple[str, str], tmp_path: Path
) -> None:
    choices = Choices(zone=BERLIN, network=network)
    findings = found(tmp_path / "a", name, choices=choices, line=f"{STARTED}\n{TALK}")
    assert rooms(findings) == [room]


BY_12_HOURS = """\
Session Start: Sat Oct 24 14:00:10 2026
Session Ident: #tea
[02:05] <ada> hi
[02:30] <bob> ho
Session Close: Sat Oct 24 14:40:12 2026
"""


def test_a_log_of_mirc_whose_sessions_show_a_clock_of_12_hours_is_refused(tmp_path: Path) -> None:
    options = Choices(zone=UTC)
    findings = found(tmp_path / "a", "#tea.net.log", choices=options, line=BY_12_HOURS)
    (refused,) = findings.undecided
    assert "12 hours" in refused.problem
    assert "--clock 24" in refused.problem
    options = Choices(zone=UTC, clock=WrittenClock.HOURS_24)
    findings = found(tmp_path / "b", "#tea.net.log", choices=options, line=BY_12_HOURS)
    assert len(findings.contents) == 1


@pytest.mark.parametrize(
    ("clock", "closed"), [("13:05", "Sat Oct 24 14:40:12"), ("02:06", "Sun Oct 25 02:40:12")]
)
def test_a_log_of_mirc_that_may_have_a_clock_of_24_hours_is_read_by_it(
    clock: str, closed: str, tmp_path: Path
) -> None:
    log = BY_12_HOURS.replace("02:30", clock).replace("Sat Oct 24 14:40:12", closed)
    assert len(found(tmp_path, "#tea.net.log", choices=Choices(zone=UTC), line=log).contents) == 1


def test_two_networks_of_mirc_are_not_put_together(tmp_path: Path) -> None:
    lines = "Session Start: Sat Oct 24 23:57:12 2026\n[23:57] <bob> hi"
    names = ("logs/Undernet/#tea.log", "logs/DALnet/#tea.log", "logs/#mate.EFnet.log")
    findings = found(tmp_path / "mIRC", *names, choices=Choices(zone=BERLIN), line=lines)
    assert sorted(rooms(findings)) == [("DALnet", "#tea"), ("EFnet", "#mate"), ("Undernet", "#tea")]
    with pytest.raises(MisplacedChoice, match="DALnet, EFnet, Undernet"):
        found(tmp_path / "mIRC", choices=Choices(zone=BERLIN, network="x"))


def test_the_window_of_a_client_is_no_file_of_a_day(tmp_path: Path) -> None:
    choices = Choices(zone=BERLIN, day=date(2026, 10, 24))
    names = ("rcirc-log/#tea@irc.example.org", "rcirc-log/*irc.example.org*")
    findings = found(tmp_path / "logs", *names, choices=choices, line="23:57 <bob> hi")
    assert sorted(rooms(findings)) == [("", ""), ("irc.example.org", "#tea")]
    with pytest.raises(MisplacedChoice, match="2 were found"):
        found(tmp_path / "logs", "rcirc-log/#x@y.z", choices=choices, line="23:57 <bob> hi")


def test_what_convos_says_of_a_connection_is_in_no_channel(tmp_path: Path) -> None:
    names = ("irc-LabNet/2026/10/#lab.log", "irc-LabNet/2026/10/bob.log", "irc-LabNet/2026/10.log")
    line = "2026-10-24T23:57:13 0 <bob> hi"
    choices = Choices(zone=UTC)
    findings = found(tmp_path / "convos", *names, choices=choices, line=line, private=True)
    assert sorted(rooms(findings)) == [("LabNet", ""), ("LabNet", "#lab"), ("LabNet", "bob")]


def test_a_log_that_is_refused_is_quoted_by_a_line_that_cannot_be_read(tmp_path: Path) -> None:
    read, unread = ["[23:57:13] <bob> hi"] * 2, ["24/10/26 23:58 bob said hi"] * 3
    with pytest.raises(UnknownFormat, match="lines such as: 24/10/26 23:58 bob said hi"):
        plan(tmp_path, "libera/#tea/2026-10-24.log", *read, *unread)


@pytest.mark.parametrize(
    "line",
    [
        "set servers { 10.0.0.1:6667:hunter2 }",
        "/server 10.0.0.1:22:hunter2",
        "irc.example:23:hunter2",
        "[::1]:6697 hunter2",
        "server 5:30:hunter2",
        "00:16:3e:00:00:01 hunter2",
        'password "hunter2:12:30"',
    ],
)
def test_what_has_no_time_is_not_shown_of_a_file_that_is_no_log(line: str) -> None:
    assert shown_form([line]) == "None of its first lines begins with a time"


@pytest.mark.parametrize(
    "stamp",
    [
        *(
            "23:58",
            "[23:58:13]",
            "(9:58 pm)",
            "2026-10-24T23:58:13+0200",
            "[2026-10-24T23:58:13.000Z]",
        ),
        *(
            "Sat Oct 24 23:58:13 2026",
            "24 October 2026, 23:58",
            "20261024 23:58:13,123",
            "| 23:58 |",
        ),
    ],
)
def test_what_begins_with_a_time_shows_the_form_of_a_log(stamp: str) -> None:
    assert shown_form(["# tea", f"{stamp} bob said hi"]).endswith(f": {stamp} bob said hi")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("irc.example.org/out", "1792879033 There are 5 users on 1 servers"),
        ("console_libera_2026.10.24.log", "15 [23:57:13] Connecting to the server"),
    ],
)
def test_a_window_of_a_client_in_no_known_form_is_said_to_be_one(
    name: str, line: str, tmp_path: Path
) -> None:
    with pytest.raises(NoLog, match="By its name it may be a window in which a client talks"):
        plan(tmp_path, name, line)


@pytest.mark.parametrize("ending", [".1", ".12", "~", ".old", ".bak", ".BAK", ".1~", ".txt"])
def test_a_rotated_log_has_the_origin_of_the_log_that_it_was(ending: str) -> None:
    assert origin_in(f"libera/#tea.log{ending}", IRSSI.paths) == LogOrigin("libera", "#tea")


@pytest.mark.parametrize("name", ["tea.log.24Oct2026", "tea.log.20261024", "tea.log.24Oct2026.bak"])
def test_a_date_at_the_end_of_a_name_is_no_rotation(name: str) -> None:
    assert origin_in(name, EGGDROP.paths) == LogOrigin("", "tea", date(2026, 10, 24))


def test_text_logs_of_the_lounge_are_of_the_channels_that_its_user_is_in(tmp_path: Path) -> None:
    uuid = "11111111-2222-3333-4444-555555555555"
    channels = [{"name": name} for name in ("#We/ird.Chan", "#a/b", "#a:b", "bob")]
    networks = [
        {"uuid": "0" + uuid[1:-1] + "6", "name": "OFTC"},
        {"uuid": uuid, "name": "Lab Net", "channels": channels},
    ]
    users = tmp_path / "home/users/Ada.json"
    users.parent.mkdir(parents=True)
    users.write_text(json.dumps({"networks": networks}))
    names = ["#tea.log", "#we_ird.chan.log", "#a_b.log"]
    files = [f"home/logs/Ada/lab-net-{uuid[8:]}/{name}" for name in names]
    line = "[2026-10-24T21:57:13.123Z] <bob> hi"
    assert rooms(found(tmp_path, *files, choices=Choices(), line=line)) == [
        ("Lab Net", "#a_b"),  # it may be either
        ("Lab Net", "#tea"),
        ("Lab Net", "#We/ird.Chan"),
    ]
    chosen = Choices(network="labnet", renamed={"#we_ird.chan": "#weird"})
    assert rooms(found(tmp_path, *files, choices=chosen, line=line))[1:] == [
        ("labnet", "#tea"),
        ("labnet", "#weird"),
    ]
    users.write_text("[1")
    assert {network for network, _ in rooms(found(tmp_path, choices=Choices()))} == {"lab-net"}


@pytest.mark.parametrize(
    "name",
    [
        "oftc",
        "libera",
        "libera7",  # then the id goes on with a hyphen
        "my-net-work-cafe",
        "a-name-of-23-characters",
        "a name with nearly all of the room",
        "a name that has taken all the room-",
        "a name that takes more than all of the room",
    ],
)
def test_the_lounge_puts_the_end_of_an_id_behind_a_network(name: str) -> None:
    folder = f"{name}-{'1b7c81ff-f2f2-b7c8-4181-ff0e56144acc'[len(name) + 1 :]}"
    assert origin_in(f"logs/ada/{folder}/#tea.log", THE_LOUNGE.paths) == LogOrigin(name, "#tea")


def test_the_name_before_the_longest_end_of_an_id_is_the_network() -> None:
    folder = "libera-2-b7c8-4181-b9cf-ff0e56144acc"
    assert origin_in(f"logs/ada/{folder}/#tea.log", THE_LOUNGE.paths).network == "libera"


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("logs/libera/#tea.log", LogOrigin("libera", "#tea")),
        ("logs/libera/#tea-#mate.log", LogOrigin("libera", "#tea-#mate")),
        ("logs/libera/a-b.log", LogOrigin("libera", "a-b")),
        (".xchat2/xchatlogs/Free-Node-#tea-time.log", LogOrigin("Free-Node", "#tea-time")),
        (".xchat2/xchatlogs/FreeNode-a-b.log", LogOrigin("FreeNode", "a-b")),
        (".xchat2/xchatlogs/Free-Node-Free-Node.log", LogOrigin("Free-Node", is_window=True)),
    ],
)
def test_hexchat_and_xchat_name_their_files_differently(path: str, origin: LogOrigin) -> None:
    assert origin_in(path, HEXCHAT.paths) == origin


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("logs/irc.libera.#tea.weechatlog", LogOrigin("libera", "#tea")),
        ("logs/irc.libera.#tea.log", LogOrigin("libera", "#tea")),
        ("2026/irc.libera.#tea.10-24.weechatlog", LogOrigin("libera", "#tea", date(2026, 10, 24))),
        ("irc/libera/#tea.weechatlog", LogOrigin("libera", "#tea")),
        ("libera/bob.2026-10.weechatlog", LogOrigin("libera", "bob")),
        ("libera/libera.weechatlog", LogOrigin("libera", is_window=True)),
        ("logs/core.weechat.weechatlog", LogOrigin(is_window=True)),
    ],
)
def test_weechat_may_have_a_folder_for_each_server(path: str, origin: LogOrigin) -> None:
    assert origin_in(path, WEECHAT_FORMAT.paths) == origin


@pytest.mark.parametrize(
    "name",
    [
        "2026-10-24.txt",
        "2026-10-24.part-c.txt",
        "tea of 2026-10-24.txt",
        "tea 2026-10-24 evening.txt",
        "2026/10/24/log.txt",
    ],
)
def test_a_file_that_names_no_channel_may_tell_the_day(tmp_path: Path, name: str) -> None:
    choices = Choices(network="libera", channel="#tea", zone=UTC)
    findings = found(tmp_path / "logs", name, choices=choices, line="23:57 <bob> hi")
    assert rooms(findings) == [("libera", "#tea")]
    assert moments(findings) == [datetime(2026, 10, 24, 23, 57, tzinfo=UTC)]


def test_a_log_for_each_day_is_of_the_same_channel(tmp_path: Path) -> None:
    opened = "--- Log opened Sat Oct 24 00:00:01 2026\n00:01 < bob> hi"
    names = ("2026/libera/#tea.10-23.log", "2026/libera/#tea.10-24.log", "libera/#tea.log-20261024")
    findings = found(tmp_path / "logs", *names, choices=Choices(zone=BERLIN), line=opened)
    assert rooms(findings) == [("libera", "#tea")] * 3
    assert len(set(moments(findings))) == 1  # what the lines tell counts


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("irclogs/LibNet/#tea/#tea.log", IRSSI),
        ("irclogs/LibNet/#tea/#tea.2026-10-24.log", IRSSI),
        ("hexchat/logs/LibNet/#tea/#tea.log", HEXCHAT),
        ("logs/LibNet/#tea/#tea.weechatlog", WEECHAT_FORMAT),
    ],
)
def test_a_folder_may_be_of_one_channel(path: str, form: TextFormat) -> None:
    assert origin_in(path, form.paths)[:2] == ("LibNet", "#tea")
    assert origin_in(path[path.index("#") :], form.paths)[:2] == ("", "#tea")
    assert not origin_in(path, form.paths).is_window


@pytest.mark.parametrize("folder", ["old", "Backup", "irc-logs", "Old Logs 2", "logs_2016"])
@pytest.mark.parametrize(
    ("started", "said", "name"),
    [
        (STARTED, TALK, "#tea.log"),
        ("--- Log opened Sat Oct 24 23:51:20 2026", "23:57 < bob> hi", "#tea.log"),
        ("[23:57:12] *** Joins: ada (a@home)", "[23:57:13] <bob> hi", "#tea/2026-10-24.log"),
        (WEECHAT, WEECHAT, "#tea.weechatlog"),
    ],
)
def test_a_folder_of_logs_is_no_network_unless_one_is_called_so(
    folder: str, started: str, said: str, name: str, tmp_path: Path
) -> None:
    log = tmp_path / folder / name
    log.parent.mkdir(parents=True)
    log.write_text(f"{started}\n{said}\n")

    def places(known: Sequence[str], choices: Choices) -> Findings:
        files = list(log_files([str(log)], tmp_path))
        return find_contents(files, choices, networks=known, private=False, scratch=tmp_path)

    choices = Choices(zone=BERLIN)
    (undecided,) = places(["libera"], choices).undecided
    assert undecided.problem.startswith(NO_NETWORK)
    assert undecided.problem.endswith("if it is not, --format names its format.")
    assert rooms(places([folder.upper()], choices)) == [(folder.upper(), "#tea")]
    assert rooms(places([], replace(choices, network="oftc"))) == [("oftc", "#tea")]


@pytest.mark.parametrize("folder", ["libera", "Libera.Chat", "irc.example.org", "2600", "oldnet"])
def test_any_other_folder_above_a_channel_is_a_network(folder: str) -> None:
    assert origin_in(f"backup/{folder}/#tea.log", IRSSI.paths).network == folder


@pytest.mark.parametrize(
    "name",
    ["#tea.log", "#tea.2026-10-24.log", "#tea.20261024.log", "2026-10-24.log", "x.log", "out"],
)
def test_a_folder_that_is_named_as_a_channel_is_no_network(name: str) -> None:
    for form in TEXT_FORMATS:
        for one in origins_in(f"irclogs/#tea/{name}", form.paths):
            assert one.network == "", form.name


@pytest.mark.parametrize(
    "name", ["#tea.log", "#tea.2026-10-24.log", "#tea.20261024.log", "#tea.2026.log", "2026.log"]
)
@pytest.mark.parametrize(
    ("started", "said"),
    [(STARTED, TALK), ("--- Log opened Sat Oct 24 23:51:20 2026", "23:57 < bob> hi")],
)
def test_the_network_is_above_the_folder_of_a_channel(
    name: str, started: str, said: str, tmp_path: Path
) -> None:
    log = plan(tmp_path, f"libera/#tea/{name}", started, said)
    assert (log.network, log.target) == ("libera", "#tea")


@pytest.mark.parametrize("name", ["bob.log", "bob.2026.log", "bob.2026-10-24.log"])
@pytest.mark.parametrize(
    ("started", "said", "told"),
    [
        (
            "--- Log opened Sat Oct 24 23:51:20 2026",
            "23:57 <bob> hi",
            "23:57 -!- Irssi: Connection to irc.example established",
        ),
        (
            "**** BEGIN LOGGING AT Sat Oct 24 23:51:20 2026",
            "Oct 24 23:57:13 <bob>\thi",
            "Oct 24 23:57:13 *\tLooking up irc.example",
        ),
    ],
)
def test_a_private_conversation_with_a_folder_of_its_own_is_no_window(
    name: str, started: str, said: str, told: str, tmp_path: Path
) -> None:
    talk = plan(tmp_path, f"irclogs/LibNet/bob/{name}", started, said)
    assert (talk.network, talk.target) == ("LibNet", "bob")
    window = plan(tmp_path, f"irclogs/LibNet/bob/{name}", started, told)
    assert (window.network, window.target, window.origin.is_window) == ("bob", "", True)
    lone = plan(tmp_path, "irclogs/LibNet/LibNet.log", started, said)
    assert lone.origin.is_window


def test_a_name_whose_accents_are_written_apart_is_the_same_name() -> None:
    form = next(one for one in TEXT_FORMATS if one.name == "irssi")
    apart = origin_in("libera/#cafe\u0301.log", form.paths)
    assert apart == origin_in("libera/#caf\u00e9.log", form.paths)
    assert apart.target == "#caf\u00e9"


def test_channels_with_folders_of_their_own_are_found_beside_others(tmp_path: Path) -> None:
    names = ("LibNet/#tea/#tea.log", "LibNet/#rust/#rust.log", "LibNet/#other.log")
    findings = found(
        tmp_path / "irclogs",
        *names,
        choices=Choices(zone=BERLIN),
        line="--- Log opened Sat Oct 24 00:00:01 2026\n00:01 < bob> hi",
    )
    assert sorted(rooms(findings)) == [
        ("LibNet", "#other"),
        ("LibNet", "#rust"),
        ("LibNet", "#tea"),
    ]


def test_the_windows_of_a_client_may_be_by_day() -> None:
    assert origin_in("2026/libera/status.10-24.log", IRSSI.paths).is_window
    assert origin_in("Net (1B2C3)/Console/2026-10-24.txt", TEXTUAL.paths).is_window


def test_a_window_of_the_client_is_told_from_a_channel() -> None:
    assert origin_in("libera/status/2026-10-24.log", ZNC.paths).is_window
    assert origin_in("libera/#status/2026-10-24.log", ZNC.paths) == LogOrigin(
        "libera", "#status", origin_in("libera/#status/2026-10-24.log", ZNC.paths).day
    )


@pytest.mark.parametrize(
    ("file", "channel"),
    [
        *[("#we_ird.chan", "#we/ird.chan"), ("#we-ird.chan", "#We/Ird.chan")],
        *[("#weird", "#we/ird"), ("#\u0434", "#\u0414")],
        *[("#__ber", "#\u00fcber"), ("#tea_de_", "#Tea[de]")],  # of ii
    ],
)
def test_a_name_of_a_file_may_stand_for_a_channel(file: str, channel: str) -> None:
    assert is_perhaps(file, channel)
    assert not is_perhaps(file, "#other")


def test_a_local_time_needs_a_zone(tmp_path: Path) -> None:
    with pytest.raises(UndecidedLog, match="--timezone"):
        plan(tmp_path, "irc.libera.#tea.weechatlog", WEECHAT, choices=Choices())


def test_a_time_in_utc_needs_none(tmp_path: Path) -> None:
    log = plan(tmp_path, "irc.libera.#tea.weechatlog", NEWER, choices=Choices())
    assert log.zone is UTC


def test_a_local_time_behind_many_with_their_zone_is_of_an_unknown_one(tmp_path: Path) -> None:
    lines = [*["2015-01-01T10:00:00+0000  <ada> hi"] * 305, "2026-07-24T23:57:13  <ada> ho"]
    choices = Choices(network="libera", channel="#tea")
    log = plan(tmp_path, "#tea.log", *lines[:300], choices=choices)
    assert log.zone_name == "UTC"
    *told, unknown = log.reader().read(line.encode() for line in lines)
    assert len(told) == 305
    assert unknown == RejectedLine(306, lines[-1], "its zone is unknown; --timezone names it")
    berlin = plan(tmp_path, "#tea.log", *lines[:300], choices=replace(choices, zone=BERLIN))
    *_, known = berlin.reader().read(line.encode() for line in lines)
    assert isinstance(known, DatedEvent)
    assert known.said_at == datetime(2026, 7, 24, 21, 57, 13, tzinfo=UTC)


def test_one_local_time_among_others_in_utc_needs_a_zone(tmp_path: Path) -> None:
    with pytest.raises(UndecidedLog, match="--timezone"):
        plan(tmp_path, "irc.libera.#tea.weechatlog", WEECHAT, NEWER, choices=Choices())


def test_what_the_path_does_not_tell_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UndecidedLog, match="--network"):
        plan(tmp_path, "notes.txt", WEECHAT)
    with pytest.raises(UndecidedLog, match="--channel"):
        plan(tmp_path, "notes.txt", WEECHAT, choices=Choices(zone=BERLIN, network="libera"))
    with pytest.raises(UndecidedLog, match=r"--network\. Its .*--channel\. Its .*--timezone"):
        plan(tmp_path, "notes.txt", WEECHAT, choices=Choices())
    log = plan(
        tmp_path,
        "notes.txt",
        WEECHAT,
        choices=Choices(zone=BERLIN, network="libera", channel="tea"),
    )
    assert (log.network, log.target) == ("libera", "#tea")


@pytest.mark.parametrize("stray", ["notes.txt", "notes.log"])
def test_a_file_that_tells_no_origin_stops_no_others(stray: str, tmp_path: Path) -> None:
    names = ("a/irc.libera.#tea.weechatlog", stray)
    findings = found(tmp_path / "logs", *names, choices=Choices(zone=BERLIN))
    assert rooms(findings) == [("libera", "#tea")]
    assert findings.undecided == []
    (skipped,) = findings.skipped
    assert str(skipped).startswith(str(tmp_path / "logs" / stray))
    assert "--network" in str(skipped)


def test_a_zone_is_asked_for_all_files_and_nothing_for_those_that_are_left_out(
    tmp_path: Path,
) -> None:
    names = ("irc.libera.#tea.weechatlog", "notes.txt")
    findings = found(tmp_path / "logs", *names, choices=Choices())
    assert ["--timezone" in one.problem for one in findings.undecided] == [True]
    assert len(findings.skipped) == 1


@pytest.mark.parametrize(
    ("name", "lines", "cause"),
    [
        ("libera/#tea.log", "[23:57:13] <bob> hi", r"no date.*--date 2015-10-24\.\Z"),
        ("libera/#tea.log", "Oct 24 23:57:13 <bob>\thi", "no date"),
        (
            "libera/#tea.log",
            "--- Log opened Sb Zzz 24 23:51:20 2026\n23:57 < bob> hi",
            "in a language that is not known: --- Log opened Sb Zzz 24",
        ),
    ],
)
def test_a_log_that_tells_no_date_needs_one(
    name: str, lines: str, cause: str, tmp_path: Path
) -> None:
    choices = Choices(zone=BERLIN, network="libera")
    findings = found(tmp_path / "logs", name, choices=choices, line=lines)
    (undecided,) = findings.undecided
    assert re.search(cause, undecided.problem)
    findings = found(tmp_path / "logs", choices=replace(choices, day=date(2026, 10, 24)))
    assert moments(findings) == [datetime(2026, 10, 24, 21, 57, tzinfo=UTC)]


def test_a_date_far_behind_the_first_lines_is_a_date(tmp_path: Path) -> None:
    lines = "23:57 < bob> hi\n" * 400 + "--- Day changed Sun Oct 25 2026\n00:01 < bob> hi"
    findings = found(tmp_path / "a", "b/#tea.log", choices=Choices(zone=BERLIN), line=lines)
    assert moments(findings) == [datetime(2026, 10, 24, 22, 1, tzinfo=UTC)]


def test_from_the_day_of_the_first_line_the_clock_goes_on_over_midnight(tmp_path: Path) -> None:
    choices = Choices(zone=BERLIN, day=date(2015, 10, 24))
    lines = "23:57 < bob> hi\n00:01 < bob> ho"
    findings = found(tmp_path / "a", "b/#tea.log", choices=choices, line=lines)
    assert [str(moment.astimezone(BERLIN).date()) for moment in moments(findings)] == [
        "2015-10-24",
        "2015-10-25",
    ]


def test_a_log_whose_day_an_option_tells_is_of_the_next_day_where_its_clock_steps_back(
    tmp_path: Path,
) -> None:
    lines = "22:00 <ada> hi\n19:00 <ada> ho\n17:00 <ada> he"
    day = date(2015, 10, 24)
    options = Choices(network="net", channel="#tea", format="ircii", zone=UTC, day=day)
    alone = found(tmp_path / "a", "tea.log", choices=options, line=lines)
    daily = found(tmp_path / "b", "tea/2015-10-24.log", choices=options, line=lines)
    assert [moment.day for moment in moments(alone)] == [24, 25, 26]
    assert [moment.day for moment in moments(daily)] == [24, 24, 24]


def test_the_day_of_the_first_line_is_for_one_file(tmp_path: Path) -> None:
    choices = Choices(zone=BERLIN, day=date(2015, 10, 24))
    with pytest.raises(MisplacedChoice, match=r"--date 2015-10-24 .* 2 were found"):
        found(tmp_path / "a", "b/#tea.log", "b/#mate.log", choices=choices, line="23:57 < bob> hi")


def test_where_nothing_else_is_to_be_imported_its_origin_is_asked_for(tmp_path: Path) -> None:
    names = ("irc.libera.ada.weechatlog", "irc.server.libera.weechatlog", "notes.txt")
    findings = found(tmp_path / "logs", *names, choices=Choices(zone=BERLIN))
    assert ["--network" in one.problem for one in findings.undecided] == [True]


def test_a_network_is_spelt_as_the_database_spells_it(tmp_path: Path) -> None:
    for name in ("irc.labnet.#tea", "irc.New.#tea", "irc.new.#mate"):
        (tmp_path / f"{name}.weechatlog").write_text(WEECHAT)
    findings = find_contents(
        list(log_files([str(tmp_path)], tmp_path)),
        Choices(zone=BERLIN),
        networks=["LabNet", "labnet"],
        private=False,
        scratch=tmp_path,
    )
    assert [one.network for one in findings.contents] == ["New", "LabNet", "New"]


def test_a_renamed_channel_has_its_name(tmp_path: Path) -> None:
    choices = Choices(zone=BERLIN, renamed={"#we_ird": "#we/ird"})
    log = plan(tmp_path, "irc.labnet.#We_ird.weechatlog", WEECHAT, choices=choices)
    assert log.target == "#we/ird"


@pytest.mark.parametrize("private", [False, True])
def test_a_channel_that_no_file_has_cannot_be_renamed(private: bool, tmp_path: Path) -> None:
    names = ("irc.libera.#tea.weechatlog", "irc.libera.Ada.weechatlog")
    choices = Choices(zone=BERLIN, renamed={"ada": "#ada", "#tea": "#mate"})
    findings = found(tmp_path / "logs", *names, choices=choices, private=private)
    assert sorted(rooms(findings)) == [("libera", "#ada"), ("libera", "#mate")]
    choices = replace(choices, renamed={"#tea": "#mate", "#te": "#x"})
    with pytest.raises(MisplacedChoice, match=r"--map '#te=#x': .* Did you mean #tea\?"):
        found(tmp_path / "logs", choices=choices, private=private)


@pytest.mark.parametrize(
    "lines",
    [
        ["Dear diary,", "today it rained."],
        ["\x7fELF\0\0\0", WEECHAT],
        ["import re", "", "def f():", "    return 1"],
        ["{}", "[1, 2]"],
        ["<html>", "<body> <p>tea</p>", "</html>"],
        ["* green tea", "* black tea", "", "- mate - too"],
    ],
)
def test_what_is_no_log_is_said_to_be_none(lines: list[str], tmp_path: Path) -> None:
    with pytest.raises(NoLog):
        plan(tmp_path, "irc.libera.#tea.weechatlog", *lines)


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("chanlogs/#tea-2026-10-24.log", date(2026, 10, 24)),
        ("chanlogs/#tea.txt", None),
        ("2026/10/#tea_20261024.log.txt", date(2026, 10, 24)),
    ],
)
def test_a_file_that_is_named_as_a_channel_is_of_it_wherever_it_lies(
    name: str, day: date | None, tmp_path: Path
) -> None:
    choices = Choices(network="libera", zone=BERLIN)
    lines = ["[23:57:13] <ada> hi", "[23:57:14] *** b is now known as c"]
    log = plan(tmp_path, name, *lines, choices=choices)
    assert (log.target, log.day) == ("#tea", day)


OPENED = "--- Log opened Sat Oct 24 23:51:20 2026"


@pytest.mark.parametrize(
    ("name", "lines", "program"),
    [
        ("net/#tea.log", [OPENED, "23:52 -!- b [b@h] has quit [x]", "23:53 ada says hi"], "irssi"),
        ("#tea.net.log", [STARTED, "Session Ident: #tea", "[23:53] ada says hi"], "mIRC"),
        ("#tea.net.log", [STARTED, "[23:52] * b waves", "[23:53] ada says hi"], "mIRC"),
    ],
)
def test_a_log_in_which_nothing_said_can_be_read_is_refused_with_a_line_of_it(
    name: str, lines: list[str], program: str, tmp_path: Path
) -> None:
    with pytest.raises(UnknownFormat, match=rf"lines of {program}\. .*23:53\]? ada says hi"):
        plan(tmp_path, name, *lines)
    said = "[23:54] <bob> hi" if program == "mIRC" else "23:54 < bob> hi"
    assert plan(tmp_path, name, *lines, said)


def test_a_log_of_whose_lines_nothing_would_come_is_refused(tmp_path: Path) -> None:
    """Chatterino's lines have two blanks before the nick; lines that begin so are Textual's own."""
    lines = [
        "# Start logging at 2026-10-24",
        *(f"[22:01:{n}]  ada: tea {n}" for n in range(10, 40)),
    ]
    choices = Choices(network="twitch", channel="#forsen", zone=BERLIN)
    with pytest.raises(UnknownFormat, match=r"no line of talk in it can be read"):
        plan(tmp_path, "forsen-2026-10-24.log", *lines, choices=choices)
    assert plan(tmp_path, "forsen-2026-10-24.log", *lines, "[22:02:00] <bob> hi", choices=choices)


def test_a_log_of_comings_and_goings_may_have_a_line_that_cannot_be_read(tmp_path: Path) -> None:
    joins = ["[23:57:13] *** Joins: ada (a@home)"] * 19
    assert plan(tmp_path, "net/#tea/2026-10-24.log", *joins, "garbage").format is ZNC


@pytest.mark.parametrize("day", ["24/10/26", "26.10.24"])
@pytest.mark.parametrize("chosen", ["", "hexchat"])
def test_a_log_whose_days_may_be_mistaken_is_refused_with_the_way_out(
    chosen: str, day: str, tmp_path: Path
) -> None:
    line = f"[{day} 23:57:13] <bob>\thi"
    with pytest.raises(NoLog, match=r"which number of its dates is the month; write 2026-10-24\."):
        plan(tmp_path, "libera/#tea.log", line, choices=Choices(format=chosen, zone=BERLIN))


def test_a_log_that_has_the_month_before_a_dot_anywhere_is_refused(tmp_path: Path) -> None:
    days = [f"11.{day:02}.2026" for day in range(1, 13) for _ in range(30)]
    lines = "\n".join(f"{day} 12:00:00 <bob>\thi" for day in [*days, "11.13.2026"])
    findings = found(tmp_path, "net/#tea.log", choices=Choices(zone=BERLIN), line=lines)
    assert rooms(findings) == []
    (refused,) = findings.skipped
    assert "which number of its dates is the month; write 2026-10-24." in str(refused)
    assert "11.13.2026" in str(refused)


def test_a_format_that_was_named_wrongly_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoLog, match="not a log of irssi"):
        plan(tmp_path, "x.log", WEECHAT, choices=Choices(zone=BERLIN, format="irssi"))


@pytest.mark.parametrize("name", [one.name for one in DATABASE_FORMATS])
def test_a_text_is_no_database(name: str, tmp_path: Path) -> None:
    with pytest.raises(NoLog, match=f"not a database of the format {name}"):
        plan(tmp_path, "x.log", WEECHAT, choices=Choices(zone=BERLIN, format=name))


def test_the_next_day_of_a_log_is_of_the_format_of_its_day_before() -> None:
    day, log = "libera/#tea/2026-10-24.log", ["[23:57:13] <bob> hi"] * 20 + ["a broken line"] * 15
    fit = next_day_fit(day, log, "znc")
    assert fit is not None
    assert (fit.format.name, fit.read) == ("znc", 1.0)
    assert best_fit(day, log).read == 20 / 35
    assert next_day_fit(day, log[17:], "znc") is None  # a broken line is among the first
    assert next_day_fit("libera/#tea.log", log, "znc") is None
    assert next_day_fit(day, ["2026-10-24 23:57:13\tbob\thi"], "znc") is None
    assert next_day_fit(day, log, "") is None


def test_a_folder_of_days_is_found_as_each_day_alone(tmp_path: Path) -> None:
    for day in ("2026-10-24", "2026-10-25", "2026-10-26"):
        for program, line in (("a", "[23:57:13] <bob> hi"), ("b", "23:57:13 <bob> hi")):
            log = tmp_path / program / "#tea" / f"{day}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(f"{line}\n" * 3)

    def formats(*paths: Path) -> list[tuple[str, str]]:
        named = Choices(zone=BERLIN)
        found = find_contents(
            list(log_files(map(str, paths), tmp_path)),
            named,
            networks=[],
            private=True,
            scratch=tmp_path,
        )
        return [(one.file.path, one.format) for one in found.contents]

    alone = [formats(log)[0] for log in sorted(tmp_path.rglob("*.log"))]
    assert formats(tmp_path) == alone
    assert len(alone) == 6


def test_where_all_speech_is_alike_the_first_other_line_tells_the_format(tmp_path: Path) -> None:
    said = ["[23:57] <bob> hi"] * 400
    log = tmp_path / "logs" / "2026-10-24.part-c.txt"
    log.parent.mkdir()
    log.write_text(
        "\n".join([*said, "no line of any", "=== bob is now known as b", "[23:58] <b> hm"])
    )
    choices = Choices(network="libera", channel="#tea", zone=UTC)
    (content,) = find_contents(
        list(log_files([str(log)], tmp_path)), choices, networks=[], private=False, scratch=tmp_path
    ).contents
    assert content.format == "ubuntu"
    assert (
        best_fit("2026-10-24.txt", said, more=["another line of speech"]).format.name == "eggdrop"
    )


DAY_OF_ERC = "[2026-10-24 23:57:13] "
TALK_OF_ERC = ("<ada> hi", "* ada waves", "<bob> tea?")
EVENTS_OF_ERC = (
    "*** bob (~b@home.example) has joined channel #tea",
    "*** bob (~b@home.example) has quit: Ping timeout: 240 seconds",
)


@pytest.mark.parametrize("server", ["irc.libera.chat:6697", "irc.libera.chat!6697"])
def test_a_folder_of_erc_is_of_one_network_whatever_happens_in_its_channels(
    server: str, tmp_path: Path
) -> None:
    """On Windows a file's name cannot hold the `:` before a port: Emacs writes `!`."""
    logs = {
        "#talk": TALK_OF_ERC,
        "#said": ("<ada> hi", "<bob> tea?"),
        "#tea": (*TALK_OF_ERC, *EVENTS_OF_ERC),
        "#late": (*TALK_OF_ERC * 120, *EVENTS_OF_ERC),
    }
    for channel, bodies in logs.items():
        lines = "".join(f"{DAY_OF_ERC}{body}\n" for body in bodies)
        (tmp_path / f"{channel}!ada@{server}.txt").write_text(lines)
    findings = found(tmp_path, choices=Choices(zone=UTC))
    assert {(one.format, one.network, one.target) for one in findings.contents} == {
        ("ircii", "irc.libera.chat", channel) for channel in logs
    }


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("rcirc-log/#tea@irc.libera.chat", "#tea"),
        ("rcirc-log/#what!@irc.libera.chat", "#what!"),
        ("rcirc-log/!12345tea@irc.example", "!12345tea"),
        (".lui-logs/#tea@libera_2026-10-24.txt", "#tea"),
    ],
)
def test_a_name_of_rcirc_or_circe_is_none_of_erc(path: str, target: str) -> None:
    fit = best_fit(path, ["[23:57] <ada> hi", "[23:58] <bob> tea?"])
    assert fit.format.name == "rcirc"
    assert fit.origin.target == target


def test_no_more_lines_are_read_of_a_log_whose_format_is_certain() -> None:
    more = iter(["a line behind the first"])
    assert best_fit("libera/#tea.log", ["23:57 -!- ada is now known as b"], more=more).is_timed
    assert next(more) == "a line behind the first"


def test_two_formats_in_one_folder_are_told_apart() -> None:
    assert best_fit("a/#tea.log", ["23:57 < bob> hi"]).format.name == "irssi"
    assert best_fit("a/#tea.log", ["Oct 24 23:57:13 <bob>\thi"]).format.name == "hexchat"
    assert best_fit("tea.log.24Oct2026", ["[23:57:13] <bob> hi"]).format.name == "eggdrop"
    assert best_fit("libera/#tea/2026-10-24.log", ["[23:57:13] <bob> hi"]).format.name == "znc"


@pytest.mark.parametrize(
    ("line", "resolution"), [("23:57 < bob> hi", 60), ("23:57:13 < bob> hi", 1)]
)
def test_the_unit_of_the_stamps_is_told_from_them(
    line: str, resolution: int, tmp_path: Path
) -> None:
    head = ["--- Log opened Sat Oct 24 23:51:20 2026", line]
    assert plan(tmp_path, "net/#tea.log", *head).resolution == timedelta(seconds=resolution)


def test_the_unit_of_stamps_is_the_coarser_where_some_name_no_seconds(tmp_path: Path) -> None:
    for head in (["23:57:13 < bob> hi", "23:58 < bob> ho"], ["23:57 < bob> hi", "23:58:13 -!- x"]):
        log = plan(tmp_path, "net/#tea.log", "--- Log opened Sat Oct 24 23:51:20 2026", *head)
        assert log.resolution == timedelta(minutes=1)
    no_line = ["23:57:13 < bob> hi", "23:58 is when he said that"]
    assert plan(tmp_path, "net/#tea.log", *no_line).resolution == timedelta(seconds=1)


@pytest.mark.parametrize(
    ("names", "choices", "cause"),
    [
        (("libera.#tea", "oftc.#tea"), Choices(network="libera"), "they name libera, oftc. Import"),
        (("libera.ada", "oftc.#tea"), Choices(network="libera"), "they name libera, oftc. Import"),
        (("libera.#tea", "libera.#mate"), Choices(channel="#x"), "they name #mate, #tea. Import"),
    ],
)
def test_an_option_puts_nothing_together_that_the_paths_keep_apart(
    names: Sequence[str], choices: Choices, cause: str, tmp_path: Path
) -> None:
    logs = [f"irc.{name}.weechatlog" for name in names]
    with pytest.raises(MisplacedChoice, match=cause):
        found(tmp_path / "logs", *logs, choices=replace(choices, zone=BERLIN))


def test_a_file_that_names_no_channel_goes_to_that_of_the_others_and_to_no_third(
    tmp_path: Path,
) -> None:
    names = ("irc.libera.#tea.weechatlog", "notes.txt")
    tea = Choices(zone=BERLIN, network="Libera", channel="#Tea")
    assert rooms(found(tmp_path / "logs", *names, choices=tea)) == [("Libera", "#Tea")] * 2
    for other in (replace(tea, channel="#x"), replace(tea, network="oftc")):
        with pytest.raises(MisplacedChoice, match="and some name none"):
            found(tmp_path / "logs", *names, choices=other)


@pytest.mark.parametrize(
    "folder",
    [
        "ChannelLogger/{}/#tea/#tea.log",
        "ChannelLogger/{}/#tea.log",
        "ChannelLogger/{}/October/#tea.log",
        "ChannelLogger/{}/#tea/October/#tea.log",
        "ChannelLogger/{}/#tea/October/#tea.24-Sat-2026.log",
        "ChannelLogger/{}/#tea.24-Sat-2026.log",
        "ChannelLogger/{}/2026/10/#tea.24.log",
        "{}/#tea/October/#tea.24-Sat-2026.log",
        "{}/#tea/October/#tea.log",
        "{}/#tea/#tea.log",
        "{}/#tea.log",
    ],
)
def test_the_folders_of_limnoria_are_an_option(folder: str, tmp_path: Path) -> None:
    logs = [folder.format("libera"), folder.format("oftc")]
    findings = found(tmp_path, *logs, choices=Choices(zone=UTC), line=OF_NONE)
    assert rooms(findings) == [("libera", "#tea"), ("oftc", "#tea")]
    with pytest.raises(MisplacedChoice, match="they name libera, oftc"):
        found(tmp_path, choices=Choices(network="libera", zone=UTC))


@pytest.mark.parametrize("folder", ["ChannelLogger", "ChannelLogger/#tea", "ChannelLogger/October"])
def test_without_a_folder_for_it_limnoria_names_no_network(folder: str, tmp_path: Path) -> None:
    findings = found(tmp_path, f"{folder}/#tea.log", choices=Choices(zone=UTC), line=OF_NONE)
    assert findings.undecided[0].problem.startswith(NO_NETWORK)


def test_no_network_is_chosen_for_a_channel_of_several_folders_that_may_be_networks(
    tmp_path: Path,
) -> None:
    choices, line = Choices(network="libera", zone=UTC), "[Oct 24 2026 23:57:13] <b> hi"
    names = ("#tea.log", "logs/old/#tea.log.1", "2026/10/#tea.24.log", "oftc/#mate.log")
    assert len(found(tmp_path, *names, choices=choices, line=line).contents) == 4
    with pytest.raises(
        MisplacedChoice, match=r"keep apart: .*#tea\.log, .*oftc/#tea\.log\. Import"
    ):
        found(tmp_path, "oftc/#tea.log", choices=choices, line=line)


OF_TEA = "2026-10-24T20:01:03+00:00  *** bob has joined #tea"
OF_BOARD = "2026-10-24T20:01:04+00:00  *** eve has joined #board"
OF_NONE = "2026-10-24T20:02:09+00:00  <eve> hi"


def write(folder: Path, logs: Mapping[str, str]) -> None:
    """Write files with these names and texts into a new folder."""
    folder.mkdir(exist_ok=True)
    for name, text in logs.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("logs", "cause"),
    [
        ({"tea.log": OF_TEA, "board.log": OF_BOARD}, "they name #board, #tea. Import them one"),
        ({"#tea.log": OF_NONE, "board.log": OF_BOARD}, "they name #board, #tea. Import them one"),
        ({"tea.log": OF_BOARD, "board.log": OF_NONE}, "they name #board, and some name none"),
        (
            {"all.log": f"{OF_TEA}\n{OF_BOARD}"},
            "all.log: --channel #tea .* they name #board, #tea.",
        ),
        ({"all.log": f"{OF_TEA}\n" + f"{OF_NONE}\n" * 400 + OF_BOARD}, "they name #board, #tea."),
    ],
)
def test_no_channel_is_chosen_for_logs_of_several(
    logs: dict[str, str], cause: str, tmp_path: Path
) -> None:
    write(tmp_path / "logs", logs)
    with pytest.raises(MisplacedChoice, match=cause):
        found(tmp_path / "logs", choices=Choices(network="libera", channel="#tea"))


@pytest.mark.parametrize(
    "logs",
    [
        {"a.log": OF_TEA, "b.log": OF_TEA},
        {"a.log": OF_TEA, "a.log.1": OF_NONE},
        {"a.log": OF_NONE, "a.log.1": OF_NONE},
        {"a.log": OF_NONE, "b.log": OF_NONE},
        {"a.log": OF_NONE, "b.log": OF_TEA},
        {"a.log": OF_NONE, "#tea.log": OF_BOARD},
    ],
)
def test_a_channel_is_chosen_for_the_logs_of_one(logs: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path / "logs", logs)
    findings = found(tmp_path / "logs", choices=Choices(network="libera", channel="#tea"))
    assert rooms(findings) == [("libera", "#tea")] * 2


def test_the_channels_of_sopel_are_named_by_maps(tmp_path: Path) -> None:
    days = {"tea-2026-10-24.log": OF_TEA, "tea-2026-10-25.log": OF_NONE}
    write(tmp_path, {**days, "board-2026-10-24.log": OF_BOARD})
    choices = Choices(network="libera", channel="#tea")
    assert len(found(tmp_path, choices=choices).private) == 3
    choices = Choices(network="libera", renamed={"tea": "#tea", "board": "#board"})
    findings = found(tmp_path, choices=choices)
    assert [one.target for one in findings.contents] == ["#board", "#tea", "#tea"]


@pytest.mark.parametrize("folder", ["meetings", "logs"])
def test_all_meetings_of_a_channel_are_named_by_one_map(folder: str, tmp_path: Path) -> None:
    days = ("2026-10-24-20.01", "2026-10-31-20.01")
    names = [f"{folder}/tea/2026/tea.{day}.log.txt" for day in days]
    choices = Choices(network="libera", zone=UTC, renamed={"tea": "#tea"})
    findings = found(tmp_path, *names, choices=choices, line="20:01:09 <ada> hi")
    assert rooms(findings) == [("libera", "#tea")] * 2
    assert [str(moment.date()) for moment in moments(findings)] == ["2026-10-24", "2026-10-31"]


@pytest.mark.parametrize("folder", ["2026", "2026/10", "2026-10"])
def test_a_folder_of_a_year_below_that_of_a_channel_is_no_channel(
    folder: str, tmp_path: Path
) -> None:
    name = f"libera/#tea/{folder}/2026-10-24.log"
    findings = found(tmp_path, name, choices=Choices(zone=UTC), line="[20:01:09] <ada> hi")
    assert rooms(findings) == [("libera", "#tea")]
    assert [str(moment.date()) for moment in moments(findings)] == ["2026-10-24"]


@pytest.mark.parametrize("ending", ["", ".log", ".txt"])
def test_a_folder_of_days_is_named_by_a_map(ending: str, tmp_path: Path) -> None:
    names = [f"{channel}/2026/2026-10-24{ending}" for channel in ("tea", "board")]
    choices = Choices(network="libera", zone=UTC, renamed={"tea": "#tea", "board": "#board"})
    findings = found(tmp_path, *names, choices=choices, line="[20:01] <ada> hi")
    assert rooms(findings) == [("libera", "#board"), ("libera", "#tea")]
    assert {str(moment.date()) for moment in moments(findings)} == {"2026-10-24"}


def test_an_option_may_override_what_all_paths_name_alike(tmp_path: Path) -> None:
    names = ("irc.a.#tea.weechatlog", "old/irc.a.#tea.weechatlog", "irc.server.b.weechatlog")
    choices = Choices(zone=BERLIN, network="libera", channel="#x")
    assert rooms(found(tmp_path / "logs", *names, choices=choices)) == [
        ("libera", "#x"),
        ("libera", ""),
        ("libera", "#x"),
    ]


def test_no_option_makes_a_channel_of_a_private_conversation_beside_other_files(
    tmp_path: Path,
) -> None:
    names = ("irc.libera.ada.weechatlog", "irc.libera.#tea.weechatlog")
    choices = Choices(zone=BERLIN, channel="#tea")
    findings = found(tmp_path / "logs", *names, choices=choices)
    assert (rooms(findings), len(findings.private)) == ([("libera", "#tea")], 1)
    findings = found(tmp_path / "logs", choices=choices, private=True)
    assert rooms(findings) == [("libera", "#tea"), ("libera", "ada")]


def test_a_lone_file_may_be_a_channel_in_spite_of_its_name_but_for_a_window(
    tmp_path: Path,
) -> None:
    choices = Choices(zone=BERLIN, network="libera", channel="#tea")
    assert rooms(found(tmp_path / "a", "irc.libera.tea.weechatlog", choices=choices)) == [
        ("libera", "#tea")
    ]
    assert rooms(found(tmp_path / "b", "irc.server.libera.weechatlog", choices=choices)) == [
        ("libera", "")
    ]


def test_a_channel_whose_files_look_like_a_persons_is_named_by_a_map(tmp_path: Path) -> None:
    names = ("tea.log.24Oct2026", "tea.log.25Oct2026")
    choices = Choices(zone=BERLIN, network="libera", renamed={"tea": "#tea"})
    findings = found(tmp_path / "logs", *names, choices=choices, line="[23:57] <bob> hi")
    assert rooms(findings) == [("libera", "#tea")] * 2
