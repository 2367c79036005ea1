"""How lines of the log are quoted: to the model, and in what we say ourselves."""

from terrarium_mcp.chat.transcript import RenderOptions
from terrarium_mcp.irc_bridge.answer.budget import HARD_LIMIT
from terrarium_mcp.settings import Settings


def quote_options(channel: str, settings: Settings, *, linked: bool) -> RenderOptions:
    """How lines are quoted in a channel, or in private, where `channel` is "".

    In private each has its channel: there may be several. With `linked` each dated line ends in
    its permalink, if there is a log viewer.
    """
    return RenderOptions(
        zone=settings.zone,
        budget=HARD_LIMIT,
        rooms_named=not channel,
        viewer_url=settings.viewer_url if linked else "",
    )
