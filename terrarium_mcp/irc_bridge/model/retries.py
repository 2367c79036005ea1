"""Which requests to an endpoint are tried again, and after which pause."""

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from email.utils import parsedate_to_datetime

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)
from tenacity.wait import wait_base

from terrarium_mcp.irc_bridge.model.endpoint_errors import says_no_credit
from terrarium_mcp.irc_bridge.model.errors import ConnectionFailed, RejectedRequest

ATTEMPTS = 3
BACKOFF = wait_random_exponential(multiplier=0.5, max=4)

LONGEST_PAUSE = 20.0
"""Seconds. An endpoint that asks for a longer one (Retry-After) has no answer for this question."""

_BUSY = {429, 502, 503, 504}
_SECONDS = re.compile(r"\d{1,9}(\.\d+)?")

Sleep = Callable[[float], Awaitable[None]]
"""Waits for some seconds."""


def retrying(wait: wait_base, *, within: float, sleep: Sleep) -> AsyncRetrying:
    """Tries a request up to ATTEMPTS times, if the model cannot have started on it.

    A read timeout and a 500 are never retried: terrarium-agent would queue and run every copy.
    Between tries it waits as long as the endpoint asks, else for `wait`; it gives up if that is
    longer than LONGEST_PAUSE, or would end later than `within` seconds after the first try.
    """

    def pause(state: RetryCallState) -> float:
        asked = _asked_pause(state)
        return wait(state) if asked is None else asked

    def is_asked_for_too_long(state: RetryCallState) -> bool:
        return (_asked_pause(state) or 0.0) > LONGEST_PAUSE

    return AsyncRetrying(
        retry=retry_if_exception(_is_worth_a_retry),
        stop=(
            lambda state: (
                stop_after_attempt(ATTEMPTS)(state)
                or stop_before_delay(within)(state)
                or is_asked_for_too_long(state)
            )
        ),
        wait=pause,
        sleep=sleep,
        reraise=True,
    )


def asked_seconds(retry_after: str, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for (RFC 9110 10.2.3); None if it is unreadable.

    It is a number of seconds or an HTTP date; `now` is aware.
    """
    if _SECONDS.fullmatch(retry_after.strip()):
        return float(retry_after)
    try:
        return max((parsedate_to_datetime(retry_after) - now).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):  # TypeError: a date without a zone
        return None


def _asked_pause(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome else None
    return error.pause if isinstance(error, RejectedRequest) else None


def _is_worth_a_retry(error: BaseException) -> bool:
    match error:
        case RejectedRequest(status=status, words=words):
            return status in _BUSY and not says_no_credit(words)
        case ConnectionFailed(never_sent=never_sent):
            return never_sent
    return False
