"""Questions for all that happened in a place, or was said there: `who left?`, `anything new?` Pure.

Where such a question names a channel, however it is put, that is the place.
"""

from datetime import datetime, tzinfo

from terrarium_mcp.chat.question import asks_what_was_said
from terrarium_mcp.chat.questions.counts import count_question
from terrarium_mcp.chat.questions.events import event_query, may_ask_for_events
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times


def asks_for_all_of_a_place(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether a text, without the channel it names, has no topic but figures, events and times."""
    rest = without_times(time_expressions(text, now, zone), text)
    if asks_what_was_said(rest):
        return True
    counted = count_question(rest)
    if counted is not None and not counted.words:
        return True
    return may_ask_for_events(rest) and event_query(rest) is not None
