"""What is told from a log, and what is asked for rather than guessed."""

from datetime import UTC, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from terrarium_mcp.logformats.detection import best_fit
from terrarium_mcp.logformats.files import LogFile, log_files
from terrarium_mcp.logformats.finding import find_contents
from terrarium_mcp.logformats.places import Place, is_perhaps, place_in
from terrarium_mcp.logformats.planning import Choices, NoLog, PlannedLog, UndecidedLog, planned
from terrarium_mcp.logformats.text.hexchat import HEXCHAT
from terrarium_mcp.logformats.text.thelounge import THE_LOUNGE
from terrarium_mcp.logformats.text.znc import ZNC

BERLIN = ZoneInfo("Europe/Berlin")
WEECHAT = "2026-10-24 23:57:13\tbob\thi"
NEWER = "2026-10-24T21:57:13.123456Z\tbob\thi"


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
    return planned(file, head, choices or Choices(zone=BERLIN))


def test_the_path_names_network_channel_and_day(tmp_path: Path) -> None:
    log = plan(tmp_path, "ada/networks/libera/moddata/log/#tea/2026-10-24.log", "[23:57:13] <b> hi")
    assert (log.format.name, log.network, log.target, str(log.day)) == (
        "znc",
        "libera",
        "#tea",
        "2026-10-24",
    )


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("log/ada/libera/#tea/2026-10-24.log", ("libera", "#tea")),
        ("moddata/log/#tea/2026-10-24.log", ("", "#tea")),
        ("ada_libera_#tea_20261024.log", ("libera", "#tea")),
        ("notes.txt", ("", "")),
    ],
)
def test_each_layout_of_znc_is_known(path: str, place: tuple[str, str]) -> None:
    found = place_in(path, ZNC.paths)
    assert (found.network, found.target) == place


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
    assert place_in(f"logs/ada/{folder}/#tea.log", THE_LOUNGE.paths) == Place(name, "#tea")


def test_the_name_before_the_longest_end_of_an_id_is_the_network() -> None:
    folder = "libera-2-b7c8-4181-b9cf-ff0e56144acc"
    assert place_in(f"logs/ada/{folder}/#tea.log", THE_LOUNGE.paths).network == "libera"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("logs/libera/#tea.log", Place("libera", "#tea")),
        ("logs/libera/#tea-#mate.log", Place("libera", "#tea-#mate")),
        ("logs/libera/a-b.log", Place("libera", "a-b")),
        (".xchat2/xchatlogs/Free-Node-#tea-time.log", Place("Free-Node", "#tea-time")),
        (".xchat2/xchatlogs/FreeNode-a-b.log", Place("FreeNode", "a-b")),
        (".xchat2/xchatlogs/Free-Node-Free-Node.log", Place("Free-Node", is_window=True)),
    ],
)
def test_hexchat_and_xchat_name_their_files_differently(path: str, place: Place) -> None:
    assert place_in(path, HEXCHAT.paths) == place


def test_a_window_of_the_client_is_told_from_a_channel() -> None:
    assert place_in("libera/status/2026-10-24.log", ZNC.paths).is_window
    assert place_in("libera/#status/2026-10-24.log", ZNC.paths) == Place(
        "libera", "#status", place_in("libera/#status/2026-10-24.log", ZNC.paths).day
    )


@pytest.mark.parametrize(
    ("file", "channel"),
    [("#we_ird.chan", "#we/ird.chan"), ("#we-ird.chan", "#We/Ird.chan"), ("#weird", "#we/ird")],
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


def test_one_local_time_among_others_in_utc_needs_a_zone(tmp_path: Path) -> None:
    with pytest.raises(UndecidedLog, match="--timezone"):
        plan(tmp_path, "irc.libera.#tea.weechatlog", WEECHAT, NEWER, choices=Choices())


def test_what_the_path_does_not_tell_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UndecidedLog, match="--network"):
        plan(tmp_path, "notes.txt", WEECHAT)
    with pytest.raises(UndecidedLog, match="--channel"):
        plan(tmp_path, "notes.txt", WEECHAT, choices=Choices(zone=BERLIN, network="libera"))
    log = plan(
        tmp_path,
        "notes.txt",
        WEECHAT,
        choices=Choices(zone=BERLIN, network="libera", channel="tea"),
    )
    assert (log.network, log.target) == ("libera", "#tea")


def test_a_network_is_spelt_as_the_database_spells_it(tmp_path: Path) -> None:
    for name in ("irc.labnet.#tea", "irc.New.#tea", "irc.new.#mate"):
        (tmp_path / f"{name}.weechatlog").write_text(WEECHAT)
    findings = find_contents(
        [str(tmp_path)],
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


@pytest.mark.parametrize(
    "lines",
    [
        ["Dear diary,", "today it rained."],
        ["\x7fELF\0\0\0", WEECHAT],
        ["import re", "", "def f():", "    return 1"],
        ["{}", "[1, 2]"],
    ],
)
def test_what_is_no_log_is_said_to_be_none(lines: list[str], tmp_path: Path) -> None:
    with pytest.raises(NoLog):
        plan(tmp_path, "irc.libera.#tea.weechatlog", *lines)


def test_a_format_that_was_named_wrongly_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoLog, match="not a log of irssi"):
        plan(tmp_path, "x.log", WEECHAT, choices=Choices(zone=BERLIN, format="irssi"))


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
