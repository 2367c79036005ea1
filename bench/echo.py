"""The rival in serving: a server with nothing but the SDK, and one tool that echoes.

python -m bench.echo          over stdio
python -m bench.echo PORT     over Streamable HTTP
"""

import sys

from mcp.server import MCPServer

server = MCPServer("echo", log_level="WARNING")


@server.tool()
async def echo(text: str) -> str:
    """Say it again."""
    return text


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            server.run("stdio")
        case [port]:
            server.run("streamable-http", port=int(port))
        case _:
            sys.exit(__doc__)
