"""Times open at one end, `since May` and `before August`, and what lies between two. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from terrarium_mcp.chat.times.time_expressions import TimeExpression

_FORWARD = re.compile(r"(?:since|after)\b", re.IGNORECASE)
_BACKWARD = re.compile(r"(?:before|prior|until|till|up|by)\b", re.IGNORECASE)
"""How the words for such a time begin, wherever it ends by itself: `after 8pm on 5 May` names the
rest of that day, but with `and before 6 May at noon` it goes on until then."""


def with_both_ends(times: Sequence[TimeExpression]) -> tuple[TimeExpression, ...]:
    """The times; one since and one up to a moment are both what lies between, if anything does."""
    begins = [one for one in times if _FORWARD.match(one.said)]
    ends = [one for one in times if _BACKWARD.match(one.said)]
    if not (_are_one_time(begins) and _are_one_time(ends)):
        return tuple(times)
    since, until = begins[0].since, ends[0].until
    if since >= until:
        return tuple(times)
    between = {one: _between(one, since=one.since, until=until) for one in begins}
    between |= {one: _between(one, since=since, until=one.until) for one in ends}
    return tuple(between.get(one, one) for one in times)


def _are_one_time(readings: Sequence[TimeExpression]) -> bool:
    """Whether they are readings of the same words, such as the two winters of a year."""
    return len({one.at for one in readings}) == 1


def _between(one: TimeExpression, since: datetime, until: datetime) -> TimeExpression:
    """The time from one moment to another; as it is if nothing lies between them."""
    if since >= until:
        return one
    return one._replace(since=since, until=until, lately=timedelta.max)
