"""Dates in the path of a log: they name neither its network nor its channel. Pure.

Most programs let their user put them anywhere: `2016/IRCnet/#tea.10-24.log`, `#tea/2016-10-24.log`,
`16-10-24_#tea.log`. Rotation appends them: `#tea.log-20161024`.
"""

import re
from datetime import date
from functools import lru_cache
from typing import NamedTuple

_YEAR = r"(?:19|20)\d\d"
_MONTH = r"(?:0[1-9]|1[0-2])"
_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_FOLDERS = re.compile(rf"(?<![^/]){_YEAR}(?:[-./]?{_MONTH}(?:[-./]?{_DAY})?)?/")
_DATE = "|".join(
    (
        *(rf"{_YEAR}{sep}{_MONTH}{sep}{_DAY}" for sep in ("-", r"\.", "_", "")),
        rf"\d\d-{_MONTH}-{_DAY}",
        *(rf"{_YEAR}{sep}{_MONTH}" for sep in ("-", r"\.", "")),
    )
)
_ENDINGS = r"(?:\.[A-Za-z]+)*\Z"
_FIRST = re.compile(rf"(?<![^/])({_DATE})[-._ ](?=[^/]+\Z)")
_ISO_DAY = rf"{_YEAR}-{_MONTH}-{_DAY}"
_MEETING = rf"({_ISO_DAY})-\d\d\.\d\d"
"""When a meeting began, as MeetBot names its logs: `tea/2026/tea.2026-10-24-20.01.log.txt`."""
_LAST = re.compile(rf"(?:[-._/ ](?:{_MEETING}|({_DATE}))|/({_YEAR}))(?={_ENDINGS})")
"""A year is one as the whole name of a file: no nick begins with a digit (RFC 2812, 2.3.1)."""
_FOLDER_OF_MEETINGS = re.compile(rf"(?<![^/])([^/]+)/(?=\1\.{_MEETING}{_ENDINGS})")
"""It has the name of its files, but is not that of a network."""
COPY_OF_DAY = re.compile(
    rf"(?=\d)({_DATE})(?: ?\(\d+\)| \([^()/]*\)| - [^/#]*| [^\W\d]+(?: \d+)?)(?=\.[A-Za-z]+\Z)"
)
"""A date, and what a program that copies files puts behind it: `2026-06-10 (1).log`. Looking ahead
for a digit takes half of the time."""
_YEAR_OF_ROOM = re.compile(rf"(?<![^/])(([^/]+)/\2)[-._]{_YEAR}(?={_ENDINGS})")
"""A year behind the name that the folder has, too: `#tea/#tea.2026.log`."""
_LAST_OF_YEAR = re.compile(rf"(?:[-._/]({_MONTH}-{_DAY})|/({_MONTH}|{_DAY}))(?={_ENDINGS})")
"""What is left of a date whose year is a folder: `10-24`, or `24` as the whole name of a file."""
_LAST_OF_MONTH = re.compile(rf"\.({_DAY})(?={_ENDINGS})")
"""What is left where the month is a folder too: `#tea.24.log`."""
_HAS_MONTH = re.compile(rf"{_YEAR}[-./]?{_MONTH}/\Z")


_ANY_DAY = re.compile(rf"(?<!\d){_ISO_DAY}(?!\d)(?=[^/]*\Z)")
_SAMPLE_DAY = date(2000, 1, 1)
_SAMPLE = _SAMPLE_DAY.isoformat()


class DatedPath(NamedTuple):
    """A path without its dates, and the day of the first line if they tell it."""

    path: str
    day: date | None


class PathOfAnyDay(NamedTuple):
    """A path as it would be on a sample day: what it tells is told once for 5,000 days of a log.

    Attributes:
        path: the path, with the sample day in place of the date in its name.
        day: the date that stood there; None if there was none, and the path is what it was.
    """

    path: str
    day: date | None = None

    def text(self, told: str) -> str:
        """What the path itself tells, instead of what the one of the sample day does."""
        return told.replace(_SAMPLE, self.day.isoformat()) if self.day else told

    def date(self, told: date | None) -> date | None:
        """The day that the path itself tells, instead of the sample day."""
        return self.day if self.day and told == _SAMPLE_DAY else told


@lru_cache(maxsize=10)  # each path is asked several times in a row
def of_any_day(path: str) -> PathOfAnyDay:
    """The path of a log on a sample day, if its name has a date such as `2026-10-24`.

    All that is looked for in paths takes one such date for another.
    """
    match = _ANY_DAY.search(path)
    if match is None or _SAMPLE in path:
        return PathOfAnyDay(path)
    try:
        day = date.fromisoformat(match.group())
    except ValueError:  # no calendar has it
        return PathOfAnyDay(path)
    return PathOfAnyDay(f"{path[: match.start()]}{_SAMPLE}{path[match.end() :]}", day)


def without_folders_of_dates(path: str) -> str:
    """A path without what its folders say of the time, where its name tells the whole day."""
    return _FOLDERS.sub("", path) if _ANY_DAY.search(path) else path


def without_dates(path: str) -> DatedPath:
    """Separate what a path (with `/`) says of the place from what it says of the time.

    The date behind an ending (`#tea.log-20161024`) is that of the rotation: some day after the
    first line. Not so the whole name of a file (`#tea/2016-10-24`). A month, or a year of two
    digits, is no day either.
    """
    sample = of_any_day(path)
    told = _without_dates(sample.path)
    return DatedPath(sample.text(told.path), sample.date(told.day))


@lru_cache(maxsize=10)  # each path is asked several times in a row
def _without_dates(path: str) -> DatedPath:
    in_folders = "".join(_FOLDERS.findall(path)[-1:])
    undated = _YEAR_OF_ROOM.sub(r"\1", _FOLDERS.sub("", path))
    # What is the whole name of a file has a slash before it, also where no other folder is told.
    undated = "/" + _FOLDER_OF_MEETINGS.sub("", undated)
    forms = (_LAST, _LAST_OF_YEAR, _FIRST) if in_folders else (_LAST, _FIRST)
    if _HAS_MONTH.match(in_folders):
        forms = (*forms, _LAST_OF_MONTH)
    in_name = next((match for form in forms if (match := form.search(undated))), None)
    if in_name is None:
        within = _ANY_DAY.search(undated)
        return DatedPath(undated[1:], _day(within.group() if within else in_folders))
    written = next(filter(None, in_name.groups()))
    day = _day(written) or _day(in_folders + written)
    is_whole_name = in_name.group().startswith("/")
    is_of_rotation = in_name.end() == len(undated) and not is_whole_name
    undated = undated[: in_name.start()] + undated[in_name.end() :]
    return DatedPath(undated.removeprefix("/"), None if is_of_rotation else day)


def _day(written: str) -> date | None:
    """The day whose year, month and day are written; None if it is something else."""
    match = re.fullmatch(r"\D*(\d{4})\D*(\d\d)\D*(\d\d)\D*", written)
    if not match:
        return None
    try:
        return date(*map(int, match.groups()))
    except ValueError:
        return None
