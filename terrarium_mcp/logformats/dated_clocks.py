"""Days and clocks of the stamps that users of a client write as they like."""

import re

from terrarium_mcp.logformats.grammar import CLOCK, CTIME, ZONE

ZONED_CLOCK = rf"{CLOCK}(?: ?{ZONE})?"
_MONTH = r"(?P<month>[^\W\d]{3,9})\.?"
_WEEKDAY = r"(?:(?P<weekday>[^\W\d]{1,12})[.,]{0,2} )?"
DOTTED_DAY = r"(?P<day>\d\d?)\.(?P<month>\d\d?)\."
"""Between dots the month is the second number, if a year of four digits follows."""
_DATED_CLOCKS = (
    rf"(?P<year>\d{{4}})(?P<mark>[/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?),? {ZONED_CLOCK}",
    rf"{DOTTED_DAY}(?P<year>\d{{4}})?,? {ZONED_CLOCK}",
    rf"{_WEEKDAY}(?P<day>\d\d?)\.?[ /-]{_MONTH}(?:[ /-](?P<year>\d{{4}}))?,? {ZONED_CLOCK}",
    rf"{_WEEKDAY}{_MONTH} {{1,2}}(?P<day>\d\d?)(?:,? (?P<year>\d{{4}}))?,? {ZONED_CLOCK}",
    CTIME,
)
"""A day and a clock, as users write days: `2026/10/24`, `24.10.2026`, `24 Oct`, `Sat Oct 24`."""
IN_BRACKETS = re.compile(rf"\[{DOTTED_DAY}(?P<year>\d{{4}}),? {ZONED_CLOCK}\] ")
"""`[24.10.2026 23:57:13] `. Other days in brackets are those of programs that always write them."""


def dated_stamps(behind: str) -> tuple[re.Pattern[str], ...]:
    """The stamps of a day and a clock, in brackets or without, before what a regex matches."""
    return tuple(
        re.compile(rf"(?P<bracket>\[)?{one}(?(bracket)\]){behind}") for one in _DATED_CLOCKS
    )
