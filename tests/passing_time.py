"""Time that passes at once, for what happens only after a while."""

import asyncio


def time_passes(seconds: float) -> None:
    """Put the clock of the running event loop forward: what is due by then is due now.

    Bounds such as `fail_after(PATIENCE)` come nearer as well.
    """
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + seconds  # type: ignore[method-assign]
