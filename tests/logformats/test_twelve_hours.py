"""A clock of 12 hours: which half of the day its stamps are of, and what is asked for."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from terrarium_mcp.cli.starting.import_report import found_lines, report_lines
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.entries import Stamp
from terrarium_mcp.logformats.finding import Findings, find_contents
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.logformats.twelve_hours import TwelveHourClock, WrittenClock, clock_of
from tests.logformats.test_importing import content, history, imported

DAY = date(2007, 8, 19)
FREENODE = Choices(network="freenode", zone=UTC)
WHOLE, AM, PM = WrittenClock


def stamps(*written: str) -> list[Stamp]:
    return [Stamp(int(one[:2]), int(one[3:])) for one in written]


def clock(*written: str) -> WrittenClock | None:
    return clock_of(stamps(*written))


def times(*written: str, from_noon: bool = False) -> list[str]:
    """The day and the time of stamps, one after the other."""
    reader = TwelveHourClock(DAY, from_noon=from_noon)
    read = map(reader.dated, stamps(*written))
    return [f"{one.day} {one.hour:02}:{one.minute:02}" for one in read]


def on_12(moment: datetime) -> str:
    """What the clock shows at a moment."""
    return f"{moment.hour - 12 if moment.hour > 12 else moment.hour:02}:{moment:%M}"


def test_after_noon_it_is_one_o_clock_of_the_same_day() -> None:
    assert clock("11:54", "12:59", "01:00") is AM
    assert times("11:54", "12:59", "01:00") == ["19 11:54", "19 12:59", "19 13:00"]


def test_what_comes_before_midnight_was_afternoon() -> None:
    assert clock("09:14", "11:59", "00:00", "06:09") is PM
    assert times("09:14", "11:59", "00:00", "06:09", from_noon=True) == [
        "19 21:14",
        "19 23:59",
        "20 00:00",
        "20 06:09",
    ]


@pytest.mark.parametrize(
    "written",
    [["00:31", "03:01"], ["09:07", "11:59", "12:19"], ["11:59", "12:00", "23:01"], ["13:00"], []],
)
def test_a_log_that_both_clocks_read_alike_or_that_has_later_hours_is_one_of_24(
    written: Sequence[str],
) -> None:
    assert clock(*written) is WHOLE


@pytest.mark.parametrize("written", [["04:04", "08:10"], ["10:00", "01:30"], ["11:59"]])
def test_hours_that_come_twice_a_day_tell_nothing_alone(written: Sequence[str]) -> None:
    assert clock(*written) is None


def test_a_line_that_was_written_late_turns_no_half() -> None:
    written = ["11:59", "12:00", "11:59", "12:01", "12:59", "01:00", "12:59", "01:01"]
    assert clock(*written) is AM
    late = ["19 11:59", "19 12:01", "19 12:59", "19 13:00", "19 12:59", "19 13:01"]
    assert times(*written)[2:] == late


def test_a_clock_that_was_set_back_an_hour_turns_no_half() -> None:
    assert times("00:30", "01:59", "01:00", "02:00")[-2:] == ["19 01:00", "19 02:00"]


def test_midnight_and_noon_tell_the_half_again_after_a_silence() -> None:
    assert times("00:10", "05:00", "00:20", "12:05", "00:01") == [
        "19 00:10",
        "19 05:00",
        "20 00:20",
        "20 12:05",
        "21 00:01",
    ]


@pytest.mark.parametrize("hour", range(24))
def test_a_log_of_two_days_has_the_times_at_which_it_was_written(hour: int) -> None:
    begin = datetime.combine(DAY, datetime.min.time()) + timedelta(hours=hour)
    moments = [begin + timedelta(minutes=17 * n) for n in range(170)]
    written = [on_12(moment) for moment in moments]
    its_clock = clock(*written)
    assert its_clock in (AM, PM)
    assert times(*written, from_noon=its_clock is PM) == [f"{one:%-d %H:%M}" for one in moments]


def log(folder: Path, day: str, *written: str) -> Path:
    """A log of irclogs.ubuntu.com, with a line at each of these times."""
    path = folder / day / "#ubuntu.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"[{at}] <ada> it is {n}\n" for n, at in enumerate(written)))
    return path


def found(*paths: Path, choices: Choices = FREENODE) -> Findings:
    return find_contents(
        list(log_files(map(str, paths), paths[0].parent)),
        choices,
        networks=[],
        private=False,
        scratch=paths[0].parent,
    )


def said(folder: Path) -> list[str]:
    return sorted(str(row[0])[:16] for row in content(folder))


async def test_a_log_of_irclogs_keeps_its_day_through_noon(tmp_path: Path) -> None:
    path = log(tmp_path, "2007/08/19", "11:54", "12:59", "01:00")
    async with history(tmp_path) as store:
        await imported(store, tmp_path, path, choices=FREENODE)
    assert said(tmp_path) == ["2007-08-19 11:54", "2007-08-19 12:59", "2007-08-19 13:00"]
    (line,) = found_lines(found(path))
    assert line.endswith("1 file, times read as UTC, 1 by a 12-hour clock")


@pytest.mark.parametrize("day", ["2007/08/19", "2007/10/24", "2014/10/24"])
async def test_a_log_with_a_clock_of_24_hours_is_read_as_before(tmp_path: Path, day: str) -> None:
    path = log(tmp_path, day, "10:00", "23:59", "00:00")
    assert [one.zone for one in found(path).contents] == ["UTC"]


@pytest.mark.parametrize("written", [["04:04", "08:10"], ["12:59", "01:00"]])
def test_nothing_is_asked_of_a_log_from_after_the_change(
    tmp_path: Path, written: Sequence[str]
) -> None:
    assert [one.zone for one in found(log(tmp_path, "2007/10/24", *written)).contents] == ["UTC"]


async def test_a_log_of_which_no_line_tells_the_half_begins_before_noon_and_is_named(
    tmp_path: Path,
) -> None:
    told = log(tmp_path, "2007/08/19", "12:59", "01:00")
    untold = log(tmp_path, "2005/02/06", "10:04", "01:10")
    findings = found(told, untold)
    (remark,) = (line for line in found_lines(findings) if "no line tells" in line)
    assert remark.startswith(f"{untold}: its clock had 12 hours")
    assert "--clock pm" in remark
    async with history(tmp_path) as store:
        await imported(store, tmp_path, untold, choices=FREENODE)
    assert said(tmp_path) == ["2005-02-06 10:04", "2005-02-06 13:10"]


def test_a_half_that_the_operator_told_needs_no_remark(tmp_path: Path) -> None:
    untold = log(tmp_path, "2005/02/06", "04:04", "08:10")
    choices = Choices(network="freenode", zone=UTC, clock=AM)
    assert found(untold, choices=choices).of_some_half == []


@pytest.mark.parametrize(
    ("chosen", "first", "last"),
    [(AM, "06 10:04", "06 13:10"), (PM, "06 22:04", "07 01:10"), (WHOLE, "06 10:04", "07 01:10")],
)
async def test_the_operator_tells_the_half_where_no_line_does(
    tmp_path: Path, chosen: WrittenClock, first: str, last: str
) -> None:
    path = log(tmp_path, "2005/02/06", "10:04", "01:10")
    choices = Choices(network="freenode", zone=UTC, clock=chosen)
    async with history(tmp_path) as store:
        await imported(store, tmp_path, path, choices=choices)
    assert said(tmp_path) == [f"2005-02-{first}", f"2005-02-{last}"]


def test_a_half_is_told_by_a_line_and_24_hours_by_the_operator(tmp_path: Path) -> None:
    path = log(tmp_path, "2007/08/19", "12:59", "01:00")
    zones = {
        chosen: found(path, choices=Choices(network="freenode", zone=UTC, clock=chosen))
        .contents[0]
        .zone
        for chosen in WrittenClock
    }
    assert zones == {
        WHOLE: "UTC",
        AM: "UTC by a 12-hour clock from pm",
        PM: "UTC by a 12-hour clock from pm",
    }


BY_24 = Choices(network="freenode", zone=UTC, clock=WHOLE)
"""As versions read all logs that knew no clock of 12 hours."""


@pytest.mark.parametrize(
    "written", [["11:54", "12:59", "01:00"], ["11:37", "11:59", "00:00"], ["12:18", "01:10"]]
)
async def test_a_log_that_was_read_by_another_clock_is_not_doubled(
    tmp_path: Path, written: Sequence[str]
) -> None:
    path = log(tmp_path, "2007/08/19", *written)
    async with history(tmp_path) as store:
        await imported(store, tmp_path, path, choices=BY_24)
        before = content(tmp_path)
        number, reports = await imported(store, tmp_path, path, choices=FREENODE)
        assert (number, content(tmp_path)) == (0, before)
        remark = "\n".join(report_lines(reports))
        assert (
            "imported before with times of UTC, and not again with times of UTC by a 12" in remark
        )
        assert "import with --timezone UTC --clock 24." in remark
        await store.imports.undo(1)
        await imported(store, tmp_path, path, choices=FREENODE)
        right = content(tmp_path)
        number, reports = await imported(store, tmp_path, path, choices=BY_24)
        assert (number, content(tmp_path)) == (0, right)
        assert "--timezone UTC --clock " in "\n".join(report_lines(reports))
    assert right != before


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        (["11:37", "11:59", "00:00"], ["11:37", "11:59", "00:00", "00:05"]),
        (["10:30", "12:59", "01:10"], ["10:30", "12:59", "01:10", "02:00"]),
        (["04:04", "05:00"], ["00:02", "04:00", "12:01", "04:04", "05:00"]),
    ],
)
async def test_a_log_that_grew_since_it_was_read_by_another_clock_is_not_doubled(
    tmp_path: Path, part: Sequence[str], whole: Sequence[str]
) -> None:
    path = log(tmp_path, "2007/08/19", *part)
    async with history(tmp_path) as store:
        await imported(store, tmp_path, path, choices=BY_24)
        before = content(tmp_path)
        log(tmp_path, "2007/08/19", *whole)
        _, (report,) = await imported(store, tmp_path, path, choices=FREENODE)
    assert report.earlier
    assert content(tmp_path) == before


async def test_a_log_that_grew_by_a_clock_of_12_hours_goes_on_by_it(tmp_path: Path) -> None:
    path = log(tmp_path, "2007/08/19", "11:54", "12:59", "01:00")
    async with history(tmp_path) as store:
        await imported(store, tmp_path, path, choices=FREENODE)
        log(tmp_path, "2007/08/19", "11:54", "12:59", "01:00", "02:00")
        await imported(store, tmp_path, path, choices=FREENODE)
    assert Counter(said(tmp_path)) == Counter(
        f"2007-08-19 {at}" for at in ("11:54", "12:59", "13:00", "14:00")
    )


async def test_another_day_under_the_same_name_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "#ubuntu.txt"
    async with history(tmp_path) as store:
        for day, written in ((18, ["00:10", "00:20"]), (19, ["00:10", "12:59", "01:00"])):
            path.write_text("".join(f"[{at}] <ada> it is {at} {day}\n" for at in written))
            choices = Choices(network="freenode", zone=UTC, day=date(2007, 8, day))
            await imported(store, tmp_path, path, choices=choices)
    assert len(said(tmp_path)) == 5
