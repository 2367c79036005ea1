"""The pydle client without a network: lines in, what it would send out."""

import logging

from terrarium_mcp.chat.irc_message import Source, parse_line
from terrarium_mcp.irc_bridge.network.isupport import Isupport
from terrarium_mcp.irc_bridge.network.log_limit import LogLimit
from terrarium_mcp.irc_bridge.network.pydle_client import PydleClient
from terrarium_mcp.irc_bridge.network.sasl import Sasl
from terrarium_mcp.irc_bridge.network.server_config import ServerConfig


class Scene:
    """A client without a network, in #tea with ada, and everything it would have sent."""

    def __init__(self, *, wants_history: bool = True) -> None:
        self.posted: list[tuple[str, ...]] = []
        self.ended: list[str] = []
        config = ServerConfig(
            host="h",
            port=1,
            nick="Terra",
            realname="r",
            password="letmein",  # noqa: S106
            wants_history=wants_history,
        )
        sasl = Sasl(config, self.post, self.ended.append)
        limit = LogLimit(logging.getLogger(), config.display_name)
        self.client = PydleClient(config, sasl, self.post, self.ended.append, Isupport(), limit)
        self.client.connection = self
        self.throttle = False

    def post(self, *words: str) -> None:
        self.posted.append(words)

    async def hears(self, *lines: str) -> None:
        for line in lines:
            await self.client.handle(parse_line(line.encode()))

    @property
    def channel(self) -> dict[str, object]:
        return self.client.channels["#tea"]


async def in_tea(*lines: str) -> Scene:
    scene = Scene()
    await scene.hears(":srv 001 Terra :Welcome", ":srv 005 Terra PREFIX=(ov)@+ :are supported")
    await scene.client.update_user(Source("Terra", "u", "h"))
    scene.client.add_channel("#tea")
    scene.posted.clear()
    await scene.hears(":srv 353 Terra = #tea :Terra @ada", *lines)
    return scene
