"""What `terrarium-mcp bridge` runs, without its pace on the wire.

Everything else is as in the command, with the settings of the environment. It runs until killed.
"""

import os
import sys

import anyio

from terrarium_mcp.cli.process import lasting_imports
from terrarium_mcp.settings import Settings, read_settings

with lasting_imports():
    from terrarium_mcp.cli.starting.bridge_runner import SWITCH_INTERVAL
    from terrarium_mcp.irc_bridge.bridge import Bridge
    from terrarium_mcp.irc_bridge.bridges import Bridges
    from terrarium_mcp.irc_bridge.model.client import LLM
    from terrarium_mcp.irc_bridge.network.timeouts import Timeouts
    from terrarium_mcp.irc_bridge.talk_log.writer import TalkLog
    from terrarium_mcp.irc_bridge.toolbox import Toolbox, stdio_server
    from terrarium_mcp.store import open_store

UNPACED = Timeouts(burst=1_000, per_line=0.001, reflex=0)


async def _run(settings: Settings) -> None:
    sys.setswitchinterval(SWITCH_INTERVAL)
    child = stdio_server(settings.db_path, os.environ)
    toolbox = Toolbox(lambda: child, offered=settings.bridge_tools)
    llm, talk_log = LLM.from_settings(settings), TalkLog(settings.talk_log)
    async with open_store(settings.db_path, settings) as store:

        def build(network: Settings) -> Bridge:
            return Bridge(store, network, toolbox, llm, timeouts=UNPACED, talk_log=talk_log)

        await Bridges(settings.networks, build, toolbox, llm, talk_log=talk_log).run()


if __name__ == "__main__":
    anyio.run(_run, read_settings().settings)
