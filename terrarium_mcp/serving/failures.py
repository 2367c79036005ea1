"""What a caller of this room gets to see when something goes wrong inside."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def plainly() -> Iterator[None]:
    """Let a single error out as itself, without the groups that task groups wrap around it.

    Otherwise no caller could name a `TerrariumError` of the server's lifespan in an `except`.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        error = _innermost(group)
        raise error from error.__cause__  # its own cause, not the group around it


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
