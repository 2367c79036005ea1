"""Questions for all that happened in a place, or was said there: `who left?`, `anything new?` Pure.

Where such a question names a channel, however it is put, that is the place.
"""

import re
from datetime import datetime, tzinfo

from terrarium_mcp.chat.question import asks_what_was_said, has_telling_words
from terrarium_mcp.chat.questions.counts import count_question
from terrarium_mcp.chat.questions.events import event_query, may_ask_for_events
from terrarium_mcp.chat.times.time_expressions import time_expressions, without_times

_SAID = re.compile(
    r"\b(?:sa(?:id|ys?|ying)|sp(?:oke|eak|eaks|eaking)|wr(?:ote|itten))\b", re.IGNORECASE
)


def asks_for_all_of_a_place(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether a text, without the channel it names, has no topic but figures, events and times."""
    rest = without_times(time_expressions(text, now, zone), text)
    if asks_what_was_said(rest):
        return True
    counted = count_question(rest)
    if counted is not None and not counted.words:
        return True
    return may_ask_for_events(rest) and event_query(rest) is not None


def asks_for_a_time_of_a_place(text: str, now: datetime, zone: tzinfo) -> bool:
    """Whether such a text names a time, too, and says that it asks for what happened or was said.

    `How do I do it today?` has no topic, but does not.
    """
    times = time_expressions(text, now, zone)
    rest = without_times(times, text)
    says_so = has_telling_words(rest) or _SAID.search(rest) is not None
    return bool(times) and says_so and asks_for_all_of_a_place(text, now, zone)
