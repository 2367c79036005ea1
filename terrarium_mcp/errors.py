"""What can go wrong in ways we expect, each with the way out in its text.

A `TerrariumError` is written for the person or the model that is about to try again. It is
translated once, at the edge: to stderr by the commands, to an `isError` result by the tools, to
one line in the channel by the bridge. Anything else that is raised is a bug.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

from terrarium_mcp.chat.irctext import harmless

_LISTED = 20


class TerrariumError(Exception):
    """An expected failure: its text says what happened and what to do about it."""


class UnknownChannel(TerrariumError):
    """A channel that is not recorded, or that the asker may not see: the two look alike."""

    def __init__(self, channel: str, known: Sequence[str]) -> None:
        near = did_you_mean(channel, known)
        all_of_them = harmless(", ".join(known[:_LISTED])) + (
            " ..." if len(known) > _LISTED else ""
        )
        ways = f" Known channels: {all_of_them}." if known else " No channel is recorded yet."
        super().__init__(f"No channel {shown(channel)}.{near}{'' if near else ways}")


@contextmanager
def plainly() -> Iterator[None]:
    """Let a single error out as itself, without the groups that task groups wrap around it."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error from error.__cause__  # its own cause, not the group around it


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """` Did you mean #terrarium?`, or nothing when no known name is near."""
    folded = {candidate.lower().lstrip("#&+!"): candidate for candidate in known}
    near = get_close_matches(name.lower().lstrip("#&+!"), folded, n=1)
    return f" Did you mean {harmless(folded[near[0]])}?" if near else ""


def shown(name: str, most: int = 60) -> str:
    """A name somebody gave us, safe and short enough to stand in an error."""
    clean = harmless(name)
    return clean if len(clean) <= most else clean[:most] + "..."


def and_more(names: Sequence[str], limit: int) -> str:
    """The first `limit` of `names` and how many are left: `a, b, c and 4 more`."""
    listed = ", ".join(names[:limit])
    left = len(names) - limit
    return f"{listed} and {left} more" if left > 0 else listed
