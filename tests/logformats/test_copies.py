"""Copies of logs, as sync programs and file managers call them, are of the channel of the log."""

from datetime import UTC, date
from pathlib import Path

import pytest

from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.finding import Findings, find_contents
from terrarium_mcp.logformats.named_files import log_files

IRSSI = "--- Log opened Wed Jun 10 08:00:00 2026\n10:00 < ada> kettle\n"
ZNC = "[10:00:00] <ada> kettle\n"

COPIES = [
    "#lab (Ada's conflicted copy 2026-10-28).log",
    "#lab - Copy.log",
    "#lab - Kopie (2).log",
    "#lab copy.log",
    "#lab, copied.log",
    "#lab (1).log",
]


def found(folder: Path, lines: str, *names: str, choices: Choices | None = None) -> Findings:
    """What files with these names and lines are."""
    for name in names:
        file = folder / "irclogs" / "LabNet" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(lines)
    return find_contents(
        list(log_files([str(folder / "irclogs")], folder)),
        choices or Choices(zone=UTC),
        networks=[],
        private=False,
        scratch=folder,
    )


@pytest.mark.parametrize(
    "copy", [*COPIES, "#lab(1).log", "#lab.sync-conflict-20261028-120000-ABCDEFG.log"]
)
def test_a_copy_beside_its_log_is_of_the_same_channel(tmp_path: Path, copy: str) -> None:
    findings = found(tmp_path, IRSSI, "#lab.log", copy)
    assert not findings.undecided
    assert [one.target for one in findings.contents] == ["#lab", "#lab"]
    assert not any(one.is_by_day for one in findings.contents)


@pytest.mark.parametrize("copy", [*COPIES, "#new\nline.log"])
def test_a_copy_alone_is_left_out_with_the_option_that_names_its_channel(
    tmp_path: Path, copy: str
) -> None:
    findings = found(tmp_path, IRSSI, copy, "#mate.log")
    assert [one.target for one in findings.contents] == ["#mate"]
    (error,) = findings.skipped
    assert "cannot be the name of a channel" in str(error)
    assert "--map" in str(error)
    name = copy.removesuffix(".log")
    choices = Choices(zone=UTC, renamed={name.lower(): "#lab"})
    mapped = found(tmp_path, IRSSI, copy, "#mate.log", choices=choices)
    assert sorted(one.target for one in mapped.contents) == ["#lab", "#mate"]


def test_a_copy_is_of_the_channel_that_its_lines_spell(tmp_path: Path) -> None:
    joined = "10:00 -!- ada [~ada@host.example] has joined #Lab\n"
    findings = found(tmp_path, IRSSI + joined, "#lab - Copy.log")
    assert [one.target for one in findings.contents] == ["#Lab"]


@pytest.mark.parametrize("name", ["#lab(1)", "#lab(1).net"])
def test_a_channel_may_have_a_number_in_brackets(tmp_path: Path, name: str) -> None:
    findings = found(tmp_path, IRSSI, f"{name}.log", "#mate.log")
    assert sorted(one.target for one in findings.contents) == [name, "#mate"]
    joined = f"10:00 -!- ada [~ada@host.example] has joined {name}\n"
    beside = found(tmp_path, IRSSI + joined, f"{name}.log", "#lab.log")
    assert name in {one.target for one in beside.contents}


@pytest.mark.parametrize(
    "name",
    [
        "2026-06-10 (1).log",
        "2026-06-10(2).log",
        "2026-06-10 copy.log",
        "2026-06-10 - Copy.log",
        "2026-06-10 (conflicted copy 2026-06-14).log",
        "2026-06-10.sync-conflict-20261028-120000-ABCDEFG.log",
    ],
)
def test_a_copy_of_a_day_is_of_that_day(tmp_path: Path, name: str) -> None:
    (content,) = found(tmp_path, ZNC, f"#lab/{name}").contents
    assert (content.network, content.target, content.origin.day) == (
        "LabNet",
        "#lab",
        date(2026, 6, 10),
    )
