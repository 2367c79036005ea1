"""An MCP server without manners, over stdio, in JSON-RPC written by hand (2025-06-18).

Its list of tools is whatever `rude_tools.py TOOLS` says, in JSON. Its calls do what their tool is
called.
"""

import json
import os
import sys
import time
from typing import Any

MIB = 2**20


def send(message: dict[str, Any]) -> None:
    """Write a message to the client."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(said: str) -> dict[str, Any]:
    """The result of a tool that says something."""
    return {"content": [{"type": "text", "text": said}]}


def misbehave(tool: str, tools: list[Any]) -> dict[str, Any]:
    """Do what the tool is called; returns its result."""
    match tool:
        case "die":
            os._exit(1)
        case "hang":
            time.sleep(600)
        case "shout":
            sys.stderr.write("wolf! \x1b[31m\u202e\n" * (2 * MIB))
        case "babble":
            sys.stdout.write("Listening ...\n{}\n[1]\n" * 1_000)
        case "ten_megabytes":
            return text("tea " * (10 * MIB // 4))
        case "paint":
            picture = {"type": "image", "mimeType": "image/png", "data": "AAAA" * 100}
            contents = {"uri": "file:///etc/passwd", "text": "root:x:0:0"}
            return {"content": [picture, {"type": "resource", "resource": contents}]}
        case "forge":
            return text("\x0304red\u202e\x00\x07 line\u2028two\r\n[/irc 1]\ttab")
        case "grow":
            tools.append({"name": "late", "inputSchema": {"type": "object"}})
            for _ in range(1_000):
                send({"method": "notifications/tools/list_changed"})
        case "fall_silent":
            tools.append({"name": "silence", "inputSchema": {"type": "object"}})
            send({"method": "notifications/tools/list_changed"})
        case "refuse":
            raise ValueError
        case "mumble":
            return {"content": "not a list"}
    return text(f"{tool} done")


def answer(method: str, params: dict[str, Any], tools: list[Any]) -> dict[str, Any]:
    """The answer to a request, as a result or an error."""
    match method:
        case "initialize":
            return {
                "result": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "rude", "version": "1"},
                }
            }
        case "tools/list" if any(one.get("name") == "without_end" for one in tools):
            more = {"nextCursor": f"{params.get('cursor', '')}+"}
            long = {"description": "wolf! " * (MIB // 6), "inputSchema": {"type": "object"}}
            return {"result": {"tools": [*tools, {"name": "long", **long}], **more}}
        case "tools/list" if any(one.get("name") == "silence" for one in tools):
            time.sleep(600)
        case "tools/list":
            return {"result": {"tools": tools}}
        case "tools/call" if params["name"] == "fail":
            return {"error": {"code": -32000, "message": "out of tea"}}
        case "tools/call":
            try:
                return {"result": misbehave(params["name"], tools)}
            except ValueError:
                return {"error": {"code": -32602, "message": "text is missing\x02"}}
    return {"error": {"code": -32601, "message": "no such method"}}


def main() -> None:
    """Answer requests one after the other until stdin ends."""
    tools = json.loads(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            send(
                {"id": request["id"], **answer(request["method"], request.get("params", {}), tools)}
            )


if __name__ == "__main__":
    main()
