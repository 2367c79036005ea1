"""The tools that the bridge uses: those of our own MCP server, and those of mounted ones.

- connection.py: stays connected to one MCP server, and calls its tools. The only user of mcp's
  client, but for how a mounted server is reached
- tools.py: what the tool loop needs to know about tools
- toolbox.py: our own server, through which the bridge reads the history
- mounted.py: the other servers, and which of their tools are allowed
- transports.py: how a mounted server is started or reached
- repairs.py: lists of tools that are not as the protocol has them
- foreign.py: what of another server's words reaches the model
"""

from terrarium_mcp.irc_bridge.toolbox.connection import McpServerUnavailable, Target
from terrarium_mcp.irc_bridge.toolbox.toolbox import Toolbox, stdio_server
from terrarium_mcp.irc_bridge.toolbox.tools import ToolAnswer, ToolsAtHand, ViewMeta

__all__ = [
    "McpServerUnavailable",
    "Target",
    "ToolAnswer",
    "Toolbox",
    "ToolsAtHand",
    "ViewMeta",
    "stdio_server",
]
