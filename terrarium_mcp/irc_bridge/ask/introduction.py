"""Says on entering a channel that it is recorded, if the settings want it and it is due."""

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from math import inf

import anyio

from terrarium_mcp.backoff import Backoff
from terrarium_mcp.errors import TerrariumError
from terrarium_mcp.settings import ChannelWays, Settings
from terrarium_mcp.store import Store

PAUSE = timedelta(days=1)
"""Between two introductions in a channel, whatever happens to the program."""

AGAIN = (60.0, 300.0, 900.0, 3600.0)
"""Seconds until one that could not be said is tried again; the last pause repeats."""

log = logging.getLogger(__name__)


class Introducer:
    """Introduces the bot in each channel that this program enters for the first time.

    Nobody needs to hear of a reconnect, so a return to a channel where it was said is not
    announced.
    """

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        say: Callable[[str, str], Awaitable[None]],
        is_in: Callable[[str], bool],
        label: Callable[[str], str],
    ) -> None:
        """`say` returns when the network has taken it; `is_in` is whether we are in a channel.

        `label` is as that of `IrcNetwork`.
        """
        self._store = store
        self._settings = settings
        self._say = say
        self._is_in = is_in
        self._label = label
        self._entered: set[str] = set()

    def take_due(self, channel: str) -> bool:
        """Note that a channel was entered; whether it is to be told, as far as we know."""
        is_new = channel not in self._entered
        self._entered.add(channel)
        return is_new and self._settings().introduction == "on"

    async def introduce(self, channel: str, ways: Callable[[], ChannelWays]) -> None:
        """Say it, unless it was said within a day; again while the network does not take it."""
        backoff = Backoff(AGAIN, settled=inf)
        while self._is_in(channel):
            try:
                await self._introduce_once(channel, ways)
            except TerrariumError as error:
                pause = backoff.pause_after(0)
                why = str(error).rstrip(".")
                where = self._label(channel)
                log.warning("no introduction in %s: %s. Retrying in %g s.", where, why, pause)
                await anyio.sleep(pause)
            except Exception:  # it would fail again, and must not end the bridge
                log.exception("the introduction in %s failed", self._label(channel))
                return
            else:
                return
        self._entered.discard(channel)  # it is due when we return

    async def _introduce_once(self, channel: str, ways: Callable[[], ChannelWays]) -> None:
        await self._store.opening.wait()
        now, network = datetime.now(UTC), self._settings().network_name
        if not await self._store.introductions.claim(network, channel, now, pause=PAUSE):
            return
        try:
            await self._say(channel, introduction(self._settings(), ways()))
        except TerrariumError:
            await self._store.introductions.withdraw(network, channel)
            raise


def introduction(settings: Settings, ways: ChannelWays) -> str:
    """The line itself: what the bot does in a channel, and how to have no part in it."""
    prefix = settings.command_prefix
    contact = f" Contact: {settings.contact}." if settings.contact else ""
    answerer = "a language model answers" if settings.has_model else "I answer"
    if not ways.is_recorded:
        return (
            f"I am a bot: {answerer} questions here ({prefix}help). Nothing that is"
            f" said here is recorded.{contact}"
        )
    answers = f"{answerer} questions from the record" if ways.is_answered else "do not answer here"
    return (
        f"I am a bot: I record this channel, and {answers}"
        f" ({prefix}help). A line that starts with [off] is not recorded; {prefix}optout leaves you"
        f" out, {prefix}forget removes what you said.{contact}"
    )
