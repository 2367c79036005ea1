"""Lines and names that are made to take time: of each format's own marks, repeated."""

import re
import tarfile
import zipfile
from collections.abc import Iterator
from datetime import UTC, date
from pathlib import Path
from time import process_time

import pytest

from terrarium_mcp.logformats.archives import LONGEST_NAME
from terrarium_mcp.logformats.files import LogFile, UnusableFile
from terrarium_mcp.logformats.formats import TEXT_FORMATS
from terrarium_mcp.logformats.grammar import TextFormat
from terrarium_mcp.logformats.log_origin import origin_by_name, origin_in
from terrarium_mcp.logformats.log_reader import LONGEST_LINE, LogReader
from terrarium_mcp.logformats.month_names import month_number
from terrarium_mcp.logformats.named_files import log_files
from tests.logformats.test_formats import LINES

SHORT = LONGEST_LINE // 4

SLOW = 0.003
"""Seconds of CPU. A line of 4 kB takes 0.0001 where its time grows with its length, 0.006 to 0.25
where it grows with the square: only what is slower is measured again, by its growth."""

SQUARE = 9
"""How many times as long four times the line may take: four where the time grows with the length,
16 with the square."""

MORE_LINES = (
    ("weechat", '2026-10-24 23:57:13\t--\tada has changed topic for #tea from "a" to "b"'),
    ("weechat", "2026-10-24 23:57:13\t-->\tada [acc] (Ada L) (a@home) has joined #tea"),
    ("irssi", "23:57 -ada:#tea- hi"),
    ("irssi", "23:57 < ada:@#tea> hi"),
    ("irssi", "23:57  * ada:@#tea hi"),
    ("weechat", "2026-10-24 23:57:13\t--\tNotice:@(ada): hi"),
    ("weechat", "2026-10-24 23:57:13\t--\tada: hi"),
    ("irssi", "23:57 -!- Netsplit a.b <-> c.d quits: @bob, ada (+1 more, use)"),
    ("irssi", "23:57 -!- Netsplit over, joins: @bob, ada (+1 more, use)"),
    ("irssi", "--- Log opened Sat Oct 24 23:51:20 2026"),
    ("hexchat", "Oct 24 23:57:13 -ada/#tea-\thi"),
    ("hexchat", "Oct 24 23:57:13 *\t[bob] (~b@home): Bob"),
    ("hexchat", "**** BEGIN LOGGING AT Sat Oct 24 23:51:20 2026"),
    ("eggdrop", "[23:57] [bob!b@home] hi"),
    ("limnoria", "2026-10-24T23:57:13  *** ada <ada!a@home> has joined #tea"),
    ("mirc", "[23:57] -ada:@#tea- hi"),
    ("mirc", "[23:57] <@ada:@#tea> hi"),
    ("mirc", "[23:57] * @ada was kicked by @bob (out)"),
    ("mirc", "Session Start: Sat Oct 24 23:51:20 2026"),
    ("konversation", "[Saturday, October 24, 2026] [11:57:13 PM CEST] <bob>\thi"),
    ("konversation", "*** on Sat Oct 24 23:57:00 2026"),
    ("irssi", "Sat Oct 24 23:57:13 2026 <@ada> hi"),
    ("hexchat", "Sat Oct 24 23:57:13 2026 <bob>\thi"),
    ("weechat", "Sat Oct 24 23:57:13 2026\tbob\thi"),
    ("limnoria", "Sat Oct 24 23:57:13 2026  <bob> hi"),
    ("ircii", "IRC log started Sat Oct 24 23:57"),
    ("kvirc", "### Log session started at Sat Oct 24 23:57:12 2026 ###"),
    ("tiny", "*** Logging started at 2026-10-24 23:57:12"),
    ("twisted", "[23:57:12] [connected at Sat Oct 24 23:57:12 2026]"),
    ("pidgin", '<font size="2">(23:57:13)</font> <b>bob:</b> hi &amp; &#10;<br/>'),
)
"""Beside the lines that the formats are tested with."""


def hostile(line: str) -> Iterator[tuple[str, str]]:
    """Each beginning of a line, and some of what follows it, to be repeated."""
    parts = re.findall(r"\w+|\W", line)
    for begin in range(len(parts)):
        repeated = {"".join(parts[begin:end]) for end in range(begin + 1, begin + 10)}
        for some in sorted({*repeated, parts[begin][0]}):
            yield "".join(parts[:begin]), some


def grown(beginning: str, some: str, length: int) -> str:
    """A text of about a length that ends as nothing does."""
    return beginning + some * (length // len(some)) + "\0"


def seconds(form: TextFormat, line: str) -> float:
    """The least CPU that reading a line took in three trials."""
    took = []
    for _ in range(3):
        began = process_time()
        form.read(line)
        took.append(process_time() - began)
    return min(took)


@pytest.mark.parametrize("form", TEXT_FORMATS, ids=lambda one: one.name)
def test_no_line_takes_more_time_than_its_length_explains(form: TextFormat) -> None:
    month_number("no month")  # loads all languages
    lines = [text for name, text, *_ in (*LINES, *MORE_LINES) if name == form.name]
    assert lines, "add lines of it to LINES in test_formats.py"
    # Lines of a format begin alike: a dict tries once what several of them lead to.
    for beginning, some in dict.fromkeys(one for line in lines for one in hostile(line)):
        short = grown(beginning, some, SHORT)
        began = process_time()
        form.read(short)
        if process_time() - began > SLOW and (taken := seconds(form, short)) > SLOW:
            long = grown(beginning, some, LONGEST_LINE)
            assert seconds(form, long) < SQUARE * taken, (beginning, some)


@pytest.mark.parametrize(
    ("name", "line", "is_read"),
    [
        ("hexchat", "**** BEGIN LOGGING AT Sat {} 24 23:51:20 2026", True),
        ("irssi", "--- Log opened Sat {} 24 23:51:20 2026", True),
        ("irssi", "--- Log opened Sat Oct {} 23:51:20 2026", True),
        ("pidgin", "<b>(23:57:13) bob: &#{};</b>", True),
        ("ii", "{} <bob> hi", False),
    ],
)
def test_digits_without_end_are_no_number(name: str, line: str, is_read: bool) -> None:
    """`int` takes 4,300 of them."""
    (form,) = (one for one in TEXT_FORMATS if one.name == name)
    read = form.read(line.format("1" * 5_000))
    assert (read is not None) == is_read
    assert read is None or read.dated is None


@pytest.mark.parametrize("form", TEXT_FORMATS, ids=lambda one: one.name)
def test_no_number_of_a_line_ends_an_import_by_its_length(form: TextFormat) -> None:
    """Whatever number of a line it is: the day of `ctime`, an hour, a limit of a channel."""
    reader = LogReader(form, UTC, day=date(2026, 10, 24))
    lines = [text for name, text, *_ in (*LINES, *MORE_LINES) if name == form.name]
    endless = [
        f"{line[: number.start()]}{'9' * 5_000}{line[number.end() :]}"
        for line in lines
        for number in re.finditer(r"\d+", line)
    ]
    list(reader.read(line.encode() for line in endless))
    assert reader.counts.lines == len(endless)


@pytest.mark.parametrize(
    "mark", ["a", "#", "_", "-", ".1", "~", ".old", "20261024", "a_#", "1b2c-"]
)
def test_a_file_whose_name_is_longer_than_any_is_not_read(mark: str, tmp_path: Path) -> None:
    """Patterns of paths may try each of its parts with each other: names are short."""
    names = [f"libera/{mark * (size // len(mark))}" for size in (LONGEST_NAME, 9_000)]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in names:
            archive.writestr(name, "23:57 < bob> hi\n")
    with tarfile.open(tmp_path / "b.tar", "w") as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(name))
    (scratch := tmp_path / "scratch").mkdir()
    for packed in ("a.zip", "b.tar"):
        read, refused = log_files([str(tmp_path / packed)], scratch)
        assert isinstance(read, LogFile)
        assert isinstance(refused, UnusableFile)
        assert str(refused).endswith("...: its name is longer than that of any file.")
        assert len(str(refused)) < 300
    began = process_time()
    for form in TEXT_FORMATS:
        origin_in(names[0], form.paths)
    origin_by_name(names[0])
    assert process_time() - began < 1  # 0.01; with 65,000 characters half a minute
