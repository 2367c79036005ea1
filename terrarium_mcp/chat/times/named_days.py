"""Days that words of a plain English question name: `yesterday`, `in May`, `the summer of 2021`."""

import re
from collections.abc import Iterator
from functools import cache

from terrarium_mcp.chat.english.calendar_words import (
    BY_NUMBER_ALONE,
    COUNT_WORD,
    MONTH,
    ORDINALS,
    SHORT_WEEKDAY,
    WEEKDAY,
    YEAR,
)
from terrarium_mcp.chat.times import dated_days as dated
from terrarium_mcp.chat.times import relative_days as relative
from terrarium_mcp.chat.times.day_ranges import (
    DASH,
    DASHED,
    LISTED,
    NUMBERED,
    RANGE,
    days_between,
    days_dashed,
    days_listed,
    days_numbered,
)
from terrarium_mcp.chat.times.feasts import FEAST
from terrarium_mcp.chat.times.joined_times import BEFORE_ITS_END, UP_TO
from terrarium_mcp.chat.times.parts_of_day import PART
from terrarium_mcp.chat.times.relative_days import Reader
from terrarium_mcp.chat.times.seasons import SEASON

_MONTH = rf"(?P<month>{MONTH})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = rf"(?P<year>{YEAR})"
_ANY_YEAR = rf"(?:{_YEAR}|['\u2019](?P<short_year>\d\d))"
_ANY_WEEKDAY = rf"(?:{WEEKDAY}|{SHORT_WEEKDAY}\.?)"
_ON = rf"(?:on\s+)?(?:{_ANY_WEEKDAY},?\s+)?(?:the\s+)?"
_ISO_DAY = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
_YEAR_FIRST = r"(?<!/)(?P<year>\d{4})/(?P<month>\d\d?)/(?P<day>\d\d?)(?!/)"
_DAY_MONTH = rf"{_DAY}\s+(?:of\s+)?{_MONTH}"
_ORDINAL = rf"(?P<ordinal>{'|'.join(reversed(ORDINALS))})"
_IN_DIGITS = r"(?P<day>\d{1,2})(?:st|nd|rd|th)"
_NTH_DAY = rf"(?:{_IN_DIGITS}|{_ORDINAL})"
_WEEKDAY_NTH = rf"(?P<weekday>{_ANY_WEEKDAY}),?\s+(?:(?:the\s+)?{_IN_DIGITS}|the\s+{_ORDINAL})"
_MONTH_DAY = rf"{_MONTH}\s+(?:the\s+)?{_DAY}"
_WEEK = rf"(?:in\s+|during\s+)?(?:the\s+)?week\s+(?P<from>of|from|beginning|starting)\s+{_ON}"
_WEEKEND = rf"(?:on\s+|over\s+)?(?:the\s+)?(?P<weekend>weekend)\s+of\s+{_ON}"
_SEASON = rf"(?P<season>{SEASON})"
_FEAST = rf"(?P<feast>{FEAST})"
_PART = r"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+"
_COUNTED = rf"(?:\d{{1,4}}|{COUNT_WORD})(?:\s+of)?\s+"
_COUNT = rf"(?P<count>\d{{1,4}}|{COUNT_WORD})(?:\s+of)?\s+"
_UNIT = r"(?:day|week|fortnight|month|year)"
RELATION = (
    r"(?:since|before|prior\s+to|after|until|till|up\s+to|by"
    r"|around(?!\s+(?:in|on|at|over|during)\b))"
)
"""Words in front of days that say which time is meant by them; whoever was `around on Friday` was
here on that day."""
_NEAR = r"(?:before|prior\s+to|after)\b"
_BESIDE = rf"weekend(?=\s+{_NEAR})"
_SPAN = rf"(?:day|week|month|year|{_BESIDE})"
_THE = rf"(?:(?:on|over|at)\s+)?the\s+(?:(?:first|last)\s+(?=\w+\s+{_NEAR}))?"
_RELATED = rf"(?:(?:{_THE}|(?<!\bthis\s)(?<!\blast\s)){_SPAN}\s+)?{RELATION}"
"""These, perhaps with how long that time is: `the week before`, `the last week before`. In `this
week before Friday` the week is another time, and so is the weekend in `the weekend until Monday`.
"""
_PART_OF = rf"(?:(?:on|in|during)\s+)?(?:the\s+)?{PART}\s+of"
_AT = rf"(?:on|at|over|during|last|this|{_PART_OF}|{_RELATED})\s+"
_IN = rf"(?:in|during|this|of|from|{_RELATED})\s+(?:the\s+)?"
_LAST = r"(?P<last>last)\s+"
# Bounded, because strangers write it.
_DURING = rf"(?:(?:in|during|over|early|late|mid|{_RELATED})[\s-]+|the\s+){{0,3}}"
_WITHIN = r"(?:in|during|over|within|for|from|of)"
_WITHIN_THE = r"(?:in|during|over|within|for)\s+the"
"""In front of `last month` these make it the month up to now, rather than that of the calendar."""
_LATELY = rf"(?:{_WITHIN}\s+)?(?:the\s+)?"
_OF_NOTHING = r"(?!\s+of\b)"
"""Behind a time up to now: not in `the last 2 weeks of school`."""
_ANY_NTH = r"(?P<nth>first|second|third|fourth|last)"
_NTH_WEEKDAY = rf"{_ANY_NTH}\s+(?:(?P<weekday>{WEEKDAY})|weekend)"
_ANY_MONTH = rf"(?:{_MONTH}(?:,?\s+{_YEAR})?|(?P<which>last|this)\s+(?P<unit>month))"
_PERIOD = (
    rf"(?:{_MONTH}(?:,?\s+{_YEAR})?|(?P<all_of>{YEAR})"
    r"|(?P<which>last|this)\s+(?P<unit>week|month|year))"
)
_DAY_PART = rf"(?:\s+{PART})?"
_NO_OTHER_DAY = "".join(
    rf"(?<!\b{word}\s)"
    for word in (
        "next", "coming", "each", "every", "any", "good", "black", "easter", "this", "to",
        "and", "or", "a", "blue", "cyber", "manic", "patch", "ruby", "super",
    )
)  # fmt: skip
"""Not in front of a weekday that alone names one that is past: `patch tuesday` has no date."""
_ENDS_A_QUESTION = r"(?=\s*\?\s*$)"
_WEEKDAYS = (
    rf"(?P<weekdays>{WEEKDAY}(?:,\s*{WEEKDAY}){{0,5}}"
    rf",?\s+(?:and|or)\s+(?:on\s+)?{WEEKDAY})"
)
"""Several, such as `sunday and monday`."""
_A_NUMBER = r"\s+(?:the\s+)?\d"
"""Another number, joined to that of a day; both may be of something else: `the 2nd or 3rd boot`."""
_BEFORE_LAST = rf"\s+before\s+last{BY_NUMBER_ALONE}"
_OF_NO_EVENT = rf"(?!\s+weekend\s+(?:{_NEAR}|of\b))"
"""Behind this there is no time that only an event dates: `the weekend before the meeting`."""
_BEGINNING = r"(?P<part>beginning|start)"
_OF_A_YEAR = r"(?=,?\s+(?:(?:of|in)\s+)?(?:last|this)\s+year\b)"
_NO_RANGE = r"(?<!\bto\s)(?<!\band\s)"
_OF_A_WEEK = (
    rf"(?=,?\s+(?:(?:of|in)\s+)?(?:(?:last|this)\s+week\b|(?:a\s+)?{_COUNTED}weeks?\s+ago\b))"
)
"""What follows a month or a weekday that nothing else shows to be one: `july last year`."""
_SHORT_WEEKDAY = (
    rf"(?P<weekday>{SHORT_WEEKDAY})\.?"
    rf"(?=\s+{PART}\b|{BY_NUMBER_ALONE}|{_OF_A_WEEK}|\s+(?:about|on|with|to)\b)"
)
_SHORT_COUNT = r"(?P<count>\d{1,3})\s?(?P<unit>[dw])"
"""Days or weeks as a query counts them: `7d`."""
_NO_NAME = rf"(?={BY_NUMBER_ALONE}|\s+(?:on|with|to)\b)"
"""Behind them: in `the last 3d game` they are another word."""

READERS: tuple[tuple[str, Reader], ...] = (
    (RANGE, days_between),
    (DASHED, days_dashed),
    (NUMBERED, days_numbered),
    (
        rf"(?:between|from)\s+{_FEAST}\s+(?:and|to|until|till)\s+(?P<to>{FEAST})(?:\s+{_YEAR})?",
        dated.between_feasts,
    ),
    (LISTED, days_listed),
    *(
        (rf"{week}{day}", dated.in_week_of_day)
        for week in (_WEEK, _WEEKEND)
        for day in (
            _ISO_DAY,
            rf"{_DAY_MONTH},?\s+{_YEAR}",
            rf"{_MONTH_DAY},?\s+{_YEAR}",
            _DAY_MONTH,
            _MONTH_DAY,
        )
    ),
    (rf"{_ON}{_ISO_DAY},?\s+(?P<weekday>{_ANY_WEEKDAY})", dated.on_day_of_week),
    (_ON + _ISO_DAY, dated.on_day),
    (_ON + _YEAR_FIRST, dated.on_day),
    (
        rf"{_ON}(?P<day>\d\d?)(?P<sign>[./])(?P<month>\d\d?)(?P=sign){_YEAR}",
        dated.on_day_in_numbers,
    ),
    (r"on\s+(?:the\s+)?(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?!\d)", dated.on_day_dot_month),
    (rf"{_ON}{_DAY_MONTH},?\s+{_ANY_YEAR}", dated.on_day),
    (rf"{_ON}{_MONTH_DAY},?\s+{_ANY_YEAR}", dated.on_day),
    (rf"{_ON}{_ORDINAL}\s+of\s+{_MONTH}(?:,?\s+{_YEAR})?", dated.on_nth_of_month),
    (rf"{_ON}{_NTH_DAY}\s+of\s+(?P<which>last|this)\s+(?P<unit>month)", dated.on_nth_of_month),
    (_ON + _DAY_MONTH, dated.on_day),
    (rf"{_ON}{_MONTH_DAY}(?!\s*:)", dated.on_day),
    (r"(?:in\s+)?(?P<year>\d{4})-(?P<month>\d\d)(?!-)", dated.in_month),
    (r"(?:in\s+)?(?P<year>\d{4})-?W(?P<week>\d\d)", dated.in_week_of_year),
    (
        rf"(?:in\s+|during\s+)?(?:calendar\s+)?week\s+(?P<week>\d\d?)(?:\s+(?:of|in)|,)?\s+{_YEAR}",
        dated.in_week_of_year,
    ),
    (
        rf"(?:in\s+)?(?:the\s+)?{_ANY_NTH}\s+week\s+(?:of|in)\s+{_MONTH}(?:,?\s+{_YEAR})?",
        dated.in_week_of_month,
    ),
    (
        rf"(?:on\s+|over\s+|in\s+)?(?:the\s+)?{_NTH_WEEKDAY}\s+(?:of|in)\s+{_ANY_MONTH}",
        dated.on_nth_weekday_of_month,
    ),
    (
        (
            rf"(?:on\s+)?{_LATELY}(?P<end>first|last)\s+(?:{_COUNT})?(?P<length>day|week|month)s?"
            rf"\s+(?:of|in)\s+{_PERIOD}"
        ),
        dated.at_end_of_period,
    ),
    (rf"(?:in\s+)?(?:the\s+)?(?P<nth>first|second)\s+half\s+of\s+{_YEAR}", dated.in_half_of_year),
    (rf"(?:in\s+)?(?:the\s+)?{_ANY_NTH}\s+quarter\s+of\s+{_YEAR}", dated.in_quarter),
    (rf"(?:in\s+)?Q(?P<nth>[1-4])\s*[/-]?\s*{_YEAR}", dated.in_quarter),
    (rf"(?:in\s+)?{_YEAR}[\s-]*Q(?P<nth>[1-4])", dated.in_quarter),
    (
        rf"(?:in|during|{_RELATED})\s+Q(?P<nth>[1-4])(?:{BY_NUMBER_ALONE}|{_OF_A_YEAR})",
        dated.in_quarter,
    ),
    (rf"Q(?P<nth>[1-4]){_OF_A_YEAR}", dated.in_quarter),
    (rf"(?:in\s+)?(?:the\s+)?{_ANY_NTH}\s+quarter{_OF_A_YEAR}", dated.in_quarter),
    (rf"(?:{_IN})?(?:{_LAST})?(?:{_PART})?{_MONTH},?\s+{_ANY_YEAR}", dated.in_month),
    (
        rf"{_DURING}{_SEASON}\s+(?:of\s+)?{_YEAR}\s*[/-]\s*(?:\d\d)?\d\d",
        dated.in_season_between_years,
    ),
    (rf"{_DURING}{_SEASON}\s+(?:of\s+)?{_YEAR}", dated.in_seasons),
    (rf"{_DURING}{_PART}{_YEAR}", dated.in_part_of_year),
    (rf"(?:{_AT})?{_FEAST}\s+(?:of\s+|in\s+)?{_YEAR}", dated.at_feast),
    (_AT + _FEAST, dated.at_latest_feast),
    (rf"(?:in\s+|during\s+)?(?P<which>last|this)\s+{_SEASON}", relative.this_or_last_season),
    (
        rf"(?:in|during|over|{_RELATED})\s+the\s+(?:early\s+|late\s+)?{_SEASON}",
        dated.in_latest_season,
    ),
    # Where more follows, it may be the word of something else, such as a framework.
    (rf"(?:in|during|over|{_RELATED})\s+{_SEASON}(?=\s*(?:[?.,!;]|$))", dated.in_latest_season),
    (rf"(?:{_IN})?(?:the\s+)?(?:{_LAST})?{_PART}{_MONTH}", dated.in_month),
    (rf"(?:{_IN})?(?:the\s+)?{_PART}{_LAST}{_MONTH}", dated.in_month),
    (rf"(?:{_IN})?{_LAST}{_MONTH}", dated.in_month),
    (rf"{_IN}{_MONTH}", dated.in_month),
    (
        rf"(?:in|during|of|from|year|{_RELATED})\s+(?:the\s+year\s+)?{_YEAR}(?!-\d\d-)",
        dated.in_year,
    ),
    (rf"{_MONTH}{_OF_A_YEAR}", dated.in_month),
    (rf"{_DURING}{_SEASON}{_OF_A_YEAR}", dated.in_latest_season),
    (rf"(?:{_AT})?{_FEAST}{_OF_A_YEAR}", dated.at_latest_feast),
    (rf"(?:last|on|(?P<this>this))\s+{_WEEKDAYS}", relative.last_weekdays),
    (
        rf"between\s+(?P<first>{WEEKDAY})\s+and\s+(?P<last>{WEEKDAY})",
        relative.between_weekdays,
    ),
    *(
        (rf"{opening}(?P<first>{WEEKDAY}){joint}(?P<last>{WEEKDAY})", relative.from_weekday)
        for opening, joint in (
            (r"from\s+", rf"\s+{UP_TO}\s+"),
            (r"(?:from\s+)?", rf"(?:\s+(?:to|through)\s+|{DASH})"),
        )
    ),
    (rf"(?:from|between)\s+(?P<weekday>{WEEKDAY}){BEFORE_ITS_END}", relative.last_weekday),
    (rf"between\s+{_MONTH}{BEFORE_ITS_END}", dated.in_month),
    (rf"(?:on\s+)?{_NO_RANGE}(?P<weekday>{WEEKDAY}){_OF_A_WEEK}", relative.last_weekday),
    (rf"(?:a\s+)?{_COUNT}(?P<unit>day|week|year)s?\s+ago\s+today", relative.ago_today),
    (rf"(?:on\s+)?{_WEEKDAY_NTH}{BY_NUMBER_ALONE}", dated.on_nth_day),
    (rf"on\s+(?:the\s+)?{_IN_DIGITS}{BY_NUMBER_ALONE}", dated.on_nth_day),
    *(
        (rf"{words}\s+(?:the\s+)?{_IN_DIGITS}{following}", dated.on_nth_day)
        for words, following in (
            (
                rf"(?:{_PART_OF}|{_RELATED})",
                rf"(?!\s+(?:and|or){_A_NUMBER})(?:{BY_NUMBER_ALONE}|(?=\s+{UP_TO}\b))",
            ),
            (r"(?:from|between)", rf"(?!\s+(?:{UP_TO}|and){_A_NUMBER}){BEFORE_ITS_END}"),
        )
    ),
    (
        rf"{_DURING}{_PART}(?P<which>last|this)\s+(?P<unit>month|year)",
        relative.part_of_this_or_last,
    ),
    *(
        (rf"{count}(?P<unit>week|month|year)s?{more}\s+ago", relative.and_a_half_ago)
        for count, more in (
            (r"half\s+an?\s+", ""),
            (_COUNT, r"\s+and\s+a\s+half"),
            (rf"{_COUNT}and\s+a\s+half\s+", ""),
        )
    ),
    # Elsewhere the words in front of `yesterday` say it.
    (rf"{RELATION}\s+(?:the\s+)?(?P<unit>day)\s+before\s+yesterday", relative.day_before_yesterday),
    (r"yesterday", relative.yesterday),
    (r"today", relative.today_itself),
    (rf"this\s+{PART}", relative.this_part),
    (r"tonight", relative.tonight),
    (r"last\s+night", relative.yesterday),
    # The words in front of `last` say that the one before it is meant.
    (rf"(?:the\s+)?weekend\s+before\s+(?P<which>last){BY_NUMBER_ALONE}", relative.weekend),
    (
        rf"(?:on\s+|over\s+|at\s+)?(?P<which>the{_OF_NO_EVENT}|last|this|past)\s+weekend",
        relative.weekend,
    ),
    (r"(?:at\s+)?this\s+time\s+last\s+(?P<unit>week|month|year)", relative.this_time_last),
    (r"(?:on\s+)?this\s+(?:very\s+)?day\s+last\s+(?P<unit>year)", relative.ago_today),
    (
        (
            rf"(?:(?:between|from)\s+)?(?P<near>\d{{1,4}}|{COUNT_WORD})"
            rf"(?:\s+(?:to|and|or)\s+|{DASH}){_COUNT}(?P<unit>{_UNIT})s?\s+ago"
        ),
        relative.between_times_ago,
    ),
    (rf"(?:a\s+)?{_COUNT}(?P<unit>{_UNIT})s?\s+ago", relative.some_time_ago),
    (rf"{_SHORT_COUNT}\s+ago", relative.some_time_ago),
    (rf"(?:on\s+)?{_COUNT}(?P<weekday>{WEEKDAY})s\s+ago", relative.weekdays_ago),
    (
        rf"{_LATELY}(?:last|past)\s+{_COUNT}(?P<unit>day|week|month|year)s?{_OF_NOTHING}",
        relative.last_few,
    ),
    (rf"{_LATELY}(?:last|past)\s+{_SHORT_COUNT}{_NO_NAME}", relative.last_few),
    (
        rf"(?:{_WITHIN}\s+(?:the\s+)?(?:last|past)|(?:the\s+)?past)\s+day{_OF_NOTHING}",
        relative.last_day,
    ),
    (
        rf"(?:{_LATELY}past|{_WITHIN_THE}\s+last)\s+(?P<unit>week|month|year){_OF_NOTHING}",
        relative.last_few,
    ),
    (rf"{_LATELY}(?:last|past)\s+(?P<unit>fortnight)", relative.last_few),
    (
        rf"{_LATELY}(?P<which>last|this)\s+(?P<unit>week|month|quarter|year){_OF_NOTHING}",
        relative.this_or_last,
    ),
    (rf"{_DURING}{_BEGINNING}\s+of\s+the\s+(?P<unit>week|month|year)", relative.beginning_of_this),
    (rf"{_NO_OTHER_DAY}{_WEEKDAYS}{_ENDS_A_QUESTION}", relative.last_weekdays),
    (
        rf"(?:last|on|(?P<this>this)|{_PART_OF}|{_RELATED})\s+(?P<weekday>{WEEKDAY})",
        relative.last_weekday,
    ),
    (
        rf"(?P<sign>last|on|(?P<this>this)|{_RELATED})\s+{_SHORT_WEEKDAY}",
        relative.last_short_weekday,
    ),
    (
        rf"(?:on\s+)?(?:the\s+)?(?P<weekday>{WEEKDAY}){_BEFORE_LAST}",
        relative.weekday_before_last,
    ),
    (
        rf"{RELATION}\s+(?:the\s+)?(?P<unit>week|month|year){_BEFORE_LAST}",
        relative.period_before_last,
    ),
    # The words in front of `last` say that the one before it is meant.
    (
        rf"(?:the\s+)?(?P<unit>week|month|year)\s+before\s+(?P<which>last){BY_NUMBER_ALONE}",
        relative.this_or_last,
    ),
    # Without a word in front it is one in the genitive, and at the end of a question.
    (
        rf"{_NO_OTHER_DAY}(?P<weekday>{WEEKDAY})(?:['\u2019]s(?!\s+child\b)|{_ENDS_A_QUESTION})",
        relative.last_weekday,
    ),
)
"""The expressions that name days, the most certain first, and what reads each."""


@cache
def _compiled() -> list[tuple[re.Pattern[str], Reader]]:
    """The readers with their patterns, compiled at the first use: a hundredth of a start."""
    related = rf"(?:(?:the\s+)?{_RELATED}\s+(?:the\s+)?)?"
    return [
        (re.compile(rf"\b{related}{words}{_DAY_PART}(?!\w)", re.IGNORECASE), read)
        for words, read in READERS
    ]


OF_WAKING_HOURS: tuple[Reader, ...] = (relative.this_part, relative.tonight)
"""What reads days that last until people sleep: at one o'clock, `tonight` began yesterday."""

INSIDE_OTHERS: tuple[Reader, ...] = (
    days_between,
    days_dashed,
    days_listed,
    days_numbered,
    dated.on_day,
    dated.on_day_dot_month,
    dated.on_nth_day,
    dated.on_nth_of_month,
    dated.in_month,
    dated.in_quarter,
    dated.in_week_of_day,
    dated.in_week_of_month,
    dated.at_end_of_period,
    dated.on_nth_weekday_of_month,
    dated.in_latest_season,
    dated.at_latest_feast,
    dated.between_feasts,
    relative.last_weekday,
    relative.last_short_weekday,
    relative.last_weekdays,
    relative.between_weekdays,
    relative.from_weekday,
)
"""What reads days of which there is one in every year, month or week."""


_IN_ALL = (
    rf"\d|\b(?:{MONTH}|{WEEKDAY}|{SEASON}|{FEAST}"
    rf"|{'|'.join(ORDINALS)}|{SHORT_WEEKDAY}"
    r"|yesterday|today|tonight|night|weekend|ago|last|past|this|(?:beginning|start)\s+of)\b"
)


def may_name_days(text: str) -> bool:
    """Whether `text` holds something that is in all words that name days."""
    return re.search(_IN_ALL, text, re.IGNORECASE) is not None


def matches(text: str) -> Iterator[tuple[re.Match[str], Reader]]:
    """What may name days in `text`, the most certain first, and what reads it.

    A match includes the words in front that say how the days are related to the time meant
    (`RELATION`), which its reader does not look at.
    """
    return ((match, read) for words, read in _compiled() for match in words.finditer(text))
