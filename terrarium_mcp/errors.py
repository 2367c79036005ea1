"""Expected failures. Each error text says what happened and how to fix it.

A `TerrariumError` is written for the person or the model about to try again. It is translated
once, at the edge: to stderr by the commands, to an `isError` result by the tools, to one line in
the channel by the bridge; the latter two show only its `public` text. Any other exception is a bug.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from terrarium_mcp.chat.irctext import harmless
from terrarium_mcp.wording import and_more, did_you_mean, shown

_MOST_CHANNELS = 20

_EVERY_CHANNEL = frozenset({"*", "all", "any", "every"})
"""What callers write where they mean no channel in particular."""


class TerrariumError(Exception):
    """An expected failure: its text says what happened and what to do about it.

    `code` names it for a program that has to tell it from others; "" elsewhere.
    """

    code: ClassVar[str] = ""

    @property
    def public(self) -> str:
        """The text for a model, or a channel: without any path or command of this machine."""
        return str(self)


class HostFailure(TerrariumError):
    """A failure of this machine, whose text names paths and commands to the operator alone."""

    what_failed = "The history cannot be used at the moment"

    @property
    def public(self) -> str:
        """What failed; the rest is in the log."""
        return f"{self.what_failed}. The operator of this server can find the reason in its log."


class UnknownChannel(TerrariumError):
    """The channel is not recorded, or the caller may not see it: the two look alike."""

    code = "unknown channel"

    def __init__(self, channel: str, known: Sequence[str]) -> None:
        super().__init__(f"No channel {shown(channel)}{_way_to_a_channel(channel, known)}")


class UnknownMessage(TerrariumError):
    """The id does not exist, or the caller may not see it: the two look alike.

    `hint` is a sentence about what else may have been meant.
    """

    code = "unknown message"

    def __init__(self, message_id: str, hint: str = "") -> None:
        super().__init__(
            f"No message {shown(message_id) or '(empty)'}. The id is the number at the start of"
            f" each line of a transcript.{hint}"
        )


def single_errors(error: BaseException) -> list[BaseException]:
    """The errors inside nested exception groups, in order; `[error]` where it is no group."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [single for member in error.exceptions for single in single_errors(member)]


@contextmanager
def plainly() -> Iterator[None]:
    """Raise a lone error as itself, without the groups that task groups wrap around it."""
    try:
        yield
    except BaseExceptionGroup as group:
        errors = single_errors(group)
        if len(errors) > 1:
            raise
        raise errors[0] from errors[0].__cause__  # its own cause, not the group around it


@contextmanager
def surviving(what: str, log: logging.Logger) -> Iterator[None]:
    """Log an error inside with its traceback, and go on behind the block.

    For one item of a task that others do not depend on: a bug there must not end what runs beside
    it. `what` says to the reader of `log` what failed: "saving the member lists".
    """
    try:
        yield
    except Exception:
        log.exception("%s failed", what)


def _way_to_a_channel(named: str, known: Sequence[str]) -> str:
    """How an error about an unknown channel goes on: which there are."""
    if not known:
        return ". No channel is recorded yet."
    several = list(filter(None, map(str.strip, named.split(","))))
    if len(several) > 1:
        return (
            f"; that is several. Name one, or none and write in:{shown(','.join(several), 200)}"
            " in the query of search_irc_history or get_channel_stats."
        )
    network = f"{named.lower()}/"
    if of_network := [one for one in known if one.lower().startswith(network)]:
        listed = harmless(and_more(of_network, _MOST_CHANNELS))
        return f"; that is a network. Its channels: {listed}."
    every = " Name none for all of them." if named.strip().lower() in _EVERY_CHANNEL else ""
    near = "" if every else did_you_mean(named, known)
    listed = f" Known channels: {harmless(and_more(known, _MOST_CHANNELS))}."
    return f".{near or every + listed}"
