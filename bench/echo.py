"""The rival in serving: a server with nothing but the SDK, and one tool that echoes.

python -m bench.echo          over stdio
python -m bench.echo PORT     over Streamable HTTP
"""

import sys

import uvicorn
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
            # As `server.run` does it where the SDK is installed alone: uvicorn would take the
            # parser of ours, which is faster, if it found it.
            app = server.streamable_http_app()
            uvicorn.run(app, port=int(port), log_level="warning", http="h11")
        case _:
            sys.exit(__doc__)
