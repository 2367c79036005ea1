"""The two directions in which the log is read, page by page, and how to read on from a page."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from terrarium_mcp.chat.records import Message, Page
from terrarium_mcp.chat.transcript import Keep
from terrarium_mcp.wording import quantity, shown


class PageEnds(NamedTuple):
    """What a page is to lie between, as the arguments of the tool say it; "" and 0: no end."""

    after_id: str
    before_id: str
    hours: int


class WaysOn(NamedTuple):
    """How to read on from a page: the ids for `before_id` and `after_id`.

    `more`: the page was not the last one in its direction. An id is "" where nothing is recorded.
    """

    more: bool = False
    before_id: str = ""
    after_id: str = ""


LONGEST_WAYS = WaysOn(more=False, before_id="9" * 12, after_id="9" * 12)
"""The ways on that take most tokens."""


class Direction(NamedTuple):
    """One of the two directions.

    Attributes:
        keep: which lines are shown if not all fit.
        ways: how to read on from a page of which these lines are visible: at least one of any.
        hint: the same in words.
    """

    keep: Keep
    ways: Callable[[Page, Sequence[Message]], WaysOn]
    hint: Callable[[WaysOn, PageEnds], str]


def _ways_back(page: Page, visible: Sequence[Message]) -> WaysOn:
    if not page.messages:
        return WaysOn()
    first, last = visible[0], page.messages[-1]
    return WaysOn(page.more, str(first.id) if page.more else "", str(last.id))


def _ways_forward(page: Page, visible: Sequence[Message]) -> WaysOn:
    if not page.messages:
        return WaysOn()
    first, last = page.messages[0], visible[-1]
    return WaysOn(page.more, str(first.id), str(last.id))


def _hint_back(ways: WaysOn, ends: PageEnds) -> str:
    """How to read on from the newest lines: those before them."""
    if not ways.after_id:
        return f"no {'earlier ' if ends.before_id else ''}line is recorded there{_of_hours(ends)}"
    earlier = f"before_id={ways.before_id}" if ways.more else "nothing earlier"
    within = f" within {quantity(ends.hours, 'hour')}" if ends.hours and not ways.more else ""
    return f"next: {earlier}{within} | newer: after_id={ways.after_id} | {_around(ways)}"


def _hint_forward(ways: WaysOn, ends: PageEnds) -> str:
    """How to read on in the direction of time: the lines after these, up to `before_id`."""
    if not ways.after_id:
        between = f"no line is recorded between {shown(ends.after_id)} and {shown(ends.before_id)}"
        none = between if ends.before_id else "no later line is recorded there"
        return f"{none}{_of_hours(ends)}"
    end = f"nothing else before {shown(ends.before_id)}" if ends.before_id else ""
    at_end = end or f"nothing newer yet than {ways.after_id}"
    later = f"after_id={ways.after_id}" if ways.more else at_end
    return f"next: {later} | older: before_id={ways.before_id} | {_around(ways)}"


def _of_hours(ends: PageEnds) -> str:
    """That a page without lines tells nothing of what was said before the hours asked for."""
    if not ends.hours:
        return ""
    return f" within {quantity(ends.hours, 'hour')}; without hours, any older ones are read"


def _around(ways: WaysOn) -> str:
    return f"around a line: get_message_context({ways.after_id})"


BACK = Direction(Keep.LAST, _ways_back, _hint_back)
"""From the newest lines, back in time."""

FORWARD = Direction(Keep.FIRST, _ways_forward, _hint_forward)
"""From the lines after a message, in the direction of time."""
