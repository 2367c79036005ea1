"""Settings that are read again while a bridge runs."""

import logging
from collections.abc import Awaitable, Callable

from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import Settings, changed

log = logging.getLogger(__name__)


class Reloader:
    """Reads the settings again, and hands them to whatever can change without a restart.

    Args:
        settings: those in use.
        load: reads them again, and refuses those with which no start would succeed.
        apply: hands on the settings that are to be used from now on.
    """

    def __init__(
        self,
        settings: Settings,
        load: Callable[[], Settings],
        apply: Callable[[Settings], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._load = load
        self._apply = apply

    async def reload(self) -> None:
        """Do it once. Settings that cannot be used change nothing, and are one line in the log."""
        try:
            change = changed(self._settings, self._load())
            if change.live:
                await self._apply(change.settings)
                self._settings = change.settings
        except (TerrariumError, OSError) as error:
            log.error("the settings were not reloaded, and remain as they were: %s", error)  # noqa: TRY400 -- for operators
            return
        log.info("settings reloaded; changed: %s", ", ".join(change.live) or "nothing")
        if change.after_restart:
            log.warning("changed as well, but needs a restart: %s", ", ".join(change.after_restart))
