"""How an `MCPServer` reaches its clients: over stdio, or over HTTP."""
