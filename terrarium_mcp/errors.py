"""What can go wrong in ways we expect, each with the way out in its text.

A `TerrariumError` is written for the person or the model that is about to try again. It is
translated once, at the edge: to stderr by the commands, to an `isError` result by the tools, to
one line in the channel by the bridge. Anything else that is raised is a bug.
"""


class TerrariumError(Exception):
    """An expected failure: its text says what happened and what to do about it."""
