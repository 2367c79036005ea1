"""Many logs are read by a process of its own, which leaves nothing else as few logs would not."""

import fcntl
import gzip
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tarfile
import termios
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import IO, Any
from zoneinfo import ZoneInfo

import pytest

from terrarium_mcp.chat.voices import VoiceRules
from terrarium_mcp.cli.starting.import_logs import ImportOptions, import_logs
from terrarium_mcp.logformats import reading, reading_child
from terrarium_mcp.logformats.choices import Choices
from terrarium_mcp.logformats.contents import LogContent
from terrarium_mcp.logformats.finding import find_contents
from terrarium_mcp.logformats.importing import LogImport
from terrarium_mcp.logformats.named_files import log_files
from terrarium_mcp.logformats.read_parts import read_parts
from terrarium_mcp.logformats.reading import ReadingStopped
from terrarium_mcp.settings import Settings
from terrarium_mcp.store import LINES_IN_BLOCK
from tests.logformats.samples import LOGS
from tests.logformats.test_importing import BERLIN_LABNET, dump, history, imported
from tests.patience import PATIENCE

LINES = 5_000
"""So many that a reader fills its pipe with them."""


TWO_PARTS = LINES_IN_BLOCK + 200
"""Lines of a log that is read in two parts."""


def long_log(folder: Path, lines: int = LINES) -> Path:
    folder.mkdir(exist_ok=True)
    log = folder / "irc.LabNet.#lab.weechatlog"
    stamps = (f"2026-10-24 {n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}" for n in range(lines))
    log.write_text("".join(f"{at}\tada\tkettle number {at}\n" for at in stamps))
    return log


def packed(folder: Path) -> None:
    """One log in each kind of archive, and as it is."""
    shutil.copytree(LOGS / "weechat", folder / "weechat")
    shutil.copytree(LOGS / "irssi", folder / "irssi")
    log = long_log(folder / "long", TWO_PARTS)
    (folder / "long.gz").mkdir()
    (folder / "long.gz" / f"{log.name}.gz").write_bytes(gzip.compress(log.read_bytes()))
    with zipfile.ZipFile(folder / "logs.zip", "w") as archive:
        archive.write(log, f"znc/{log.name}")
    with tarfile.open(folder / "logs.tar", "w") as archive:
        archive.add(log, f"limnoria/{log.name}")


async def test_a_process_of_its_own_reads_what_this_one_would_have_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(tmp_path / "logs")
    both = []
    for many in (reading.MANY, 0):
        monkeypatch.setattr(reading, "MANY", many)
        home = tmp_path / f"home-{many}"
        scratch = home / "scratch"
        scratch.mkdir(parents=True)
        async with history(home) as store:
            _, reports = await imported(store, scratch, tmp_path / "logs")
            assert await store.differences([]) == []
        became = [
            (one.content.file.name, one.counts, one.left_out, one.first, one.last, one.totals)
            for one in reports
        ]
        both.append((dump(home), became))
    assert both[0] == both[1]
    assert len(both[0][0]) > TWO_PARTS


def contents_of(log: Path, scratch: Path) -> list[LogContent]:
    files = list(log_files([str(log)], scratch))
    findings = find_contents(files, BERLIN_LABNET, networks=[], private=False, scratch=scratch)
    return findings.contents


def ordered(contents: Sequence[LogContent]) -> bytes:
    """What a reader is told that shall read contents, a list for each."""
    return b"".join(map(pickle.dumps, [{}, *([content] for content in contents)]))


def test_many_small_logs_are_sent_together(tmp_path: Path) -> None:
    for day in range(1, 31):
        log = tmp_path / "znc" / "LabNet" / "#lab" / f"2026-10-{day:02}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("".join(f"[10:{n:02}:00] <ada> kettle {day}\n" for n in range(60)))
    order = ordered(contents_of(tmp_path / "znc", tmp_path))
    reader = [sys.executable, "-m", reading_child.__name__]
    sent = BytesIO(subprocess.run(reader, input=order, stdout=subprocess.PIPE, check=True).stdout)
    first, second, end = (pickle.load(sent) for _ in range(3))  # noqa: S301 -- ours
    assert [len(first), len(second), end] == [16, 14, []]
    assert len({id(part.messages.cut.block) for part in first}) == 1
    assert sum(part.lines for part in first + second) == 30 * 60


def until_full(pipe: IO[bytes]) -> None:
    """Wait until the pipe takes no more, and whoever writes to it waits as well."""
    capacity = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    deadline = monotonic() + 30
    while int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder) < capacity:
        assert monotonic() < deadline


@contextmanager
def reader_of(log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A reader that was told to read a log."""
    order = ordered(contents_of(log, log.parent))
    reader = subprocess.Popen(
        [sys.executable, "-m", reading_child.__name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | environment,
    )
    with reader:
        assert reader.stdin
        reader.stdin.write(order)
        reader.stdin.close()
        yield reader


def test_a_reader_whose_parent_is_gone_ends(tmp_path: Path) -> None:
    with reader_of(long_log(tmp_path)) as reader:
        assert reader.stdout
        assert reader.stderr
        (part,) = pickle.load(reader.stdout)  # noqa: S301 -- ours
        assert part.lines == LINES_IN_BLOCK
        reader.stdout.close()
        assert reader.wait(timeout=PATIENCE) == 1
        assert reader.stderr.read() == b""


def test_a_reader_that_is_stopped_and_goes_on_loses_nothing(tmp_path: Path) -> None:
    with reader_of(long_log(tmp_path), PYTHONUNBUFFERED="1") as reader:
        assert reader.stdout
        until_full(reader.stdout)
        os.kill(reader.pid, signal.SIGSTOP)
        os.waitpid(reader.pid, os.WUNTRACED)
        os.kill(reader.pid, signal.SIGCONT)
        lines = 0
        while parts := pickle.load(reader.stdout):  # noqa: S301 -- ours
            lines += sum(part.lines for part in parts)
    assert lines == LINES


async def test_a_reader_that_is_killed_is_named_and_the_same_import_goes_on(
    tmp_path: Path, readers: list[subprocess.Popen[bytes]]
) -> None:
    log = long_log(tmp_path / "logs")
    async with history(tmp_path) as store:
        contents = contents_of(log, tmp_path)
        run = LogImport(
            contents,
            {},
            on_lines=lambda _: readers[0].kill(),
            on_reject=lambda _, __: None,
        )
        files = [content.file for content in contents]
        with (
            pytest.raises(ReadingStopped, match="Run the same import again"),
            reading.reading(files) as read,
        ):
            await run.store(store, "test", read)
        number, _ = await imported(store, tmp_path, log)
        assert number == 1
        assert await store.differences([]) == []
    assert readers[0].returncode is not None
    said = [row[6] for row in dump(tmp_path)]
    assert len(said) == len({*said}) == LINES


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The readers that were started; every import has one, which is told each content at once."""
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def noted(*words: object, **pipes: object) -> subprocess.Popen[bytes]:
        started.append(popen(*words, **pipes))  # type: ignore[call-overload] # as it is called
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(reading, "_TOGETHER", 1)
    return started


OTHER_RULES = {"": VoiceRules(nick="Terra")}


@pytest.mark.parametrize(
    ("kept", "rules", "started"),
    [
        (slice(None), {}, 1),
        (slice(1, None), {}, 2),  # the first turns out to be none that is read
        (slice(None, None, -1), {}, 2),
        (slice(1), {}, 2),
        (slice(0), {}, 2),
        (slice(None), OTHER_RULES, 2),
    ],
)
async def test_what_is_read_beforehand_counts_only_if_it_is_what_is_read(
    tmp_path: Path,
    readers: list[subprocess.Popen[bytes]],
    kept: slice,
    rules: Mapping[str, VoiceRules],
    started: int,
) -> None:
    packed(tmp_path / "logs")
    found = contents_of(tmp_path / "logs", tmp_path)
    assert len(found) > 2
    contents = found[kept]
    with reading.reading([one.file for one in found]) as read:
        for one in found:
            read.foresee({}, [one])
        async with read.parts(contents, rules) as parts:
            texts = [message.text async for part in parts for message in part.messages]
    expected = [
        message.text
        for content in contents
        for part in read_parts(content, rules)
        for message in part.messages
    ]
    assert texts == expected
    assert len(readers) == started
    assert all(one.returncode is not None for one in readers)


async def test_a_reader_begins_before_everything_is_found(
    tmp_path: Path, readers: list[subprocess.Popen[bytes]]
) -> None:
    (content,) = contents_of(long_log(tmp_path), tmp_path)
    with reading.reading([content.file]) as read:
        read.foresee({}, [content])
        assert readers[0].stdout
        until_full(readers[0].stdout)  # nobody has asked for a part
        async with read.parts([content], {}) as parts:
            assert sum([part.lines async for part in parts]) == LINES


@pytest.mark.parametrize(
    "settings",
    [
        Settings(network="LabNet"),
        Settings(network="LabNet", irc_server="irc.example", irc_nick="Terra"),
    ],
    ids=["no bot", "a bot"],
)
async def test_the_first_import_reads_while_it_finds_and_a_later_one_what_is_new(
    tmp_path: Path,
    readers: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    settings = settings.model_copy(update={"db_path": tmp_path / "irc_logs.db"})
    log = long_log(tmp_path / "logs")
    options = ImportOptions(
        [str(log.parent)], BERLIN_LABNET, private=False, dry_run=False, rejects=None, adopt=False
    )
    is_early = list[bool]()
    order = reading.ReadingProcess.order

    def noted(process: reading.ReadingProcess, *told: Any) -> None:
        is_early.append(not settings.db_path.exists())
        order(process, *told)

    monkeypatch.setattr(reading.ReadingProcess, "order", noted)
    await import_logs(settings, options)
    assert is_early == [True, False]
    shutil.copy(log, log.with_name("irc.LabNet.#tea.weechatlog"))
    await import_logs(settings, options)
    assert is_early == [True, False, False]
    assert len(readers) == 2
    assert len(dump(tmp_path)) == 2 * LINES


async def test_a_file_that_ends_early_is_left_out_and_stops_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = long_log(tmp_path / "logs")
    cut = tmp_path / "logs" / "irc.LabNet.#a.weechatlog.gz"  # the first by name
    cut.write_bytes(gzip.compress(log.read_bytes())[:-2_000])
    for many in (reading.MANY, 0):
        monkeypatch.setattr(reading, "MANY", many)
        (home := tmp_path / f"home-{many}").mkdir()
        async with history(home) as store:
            _, reports = await imported(store, tmp_path, tmp_path / "logs")
        assert [str(one.failure).startswith(f"{cut}: ") for one in reports] == [True, False]
        assert len(dump(home)) == LINES


def test_every_content_can_be_told_to_another_process(tmp_path: Path) -> None:
    packed(tmp_path / "logs")
    findings = find_contents(
        list(log_files([str(tmp_path / "logs")], tmp_path)),
        Choices(network="LabNet", zone=ZoneInfo("Europe/Berlin")),
        networks=[],
        private=True,
        scratch=tmp_path,
    )
    for content in findings.contents:
        again = pickle.loads(pickle.dumps(content))  # noqa: S301 -- ours
        assert (again.file.path, again.target) == (content.file.path, content.target)
        with content.read() as ours, again.read() as theirs:
            assert [*ours.items] == [*theirs.items]
