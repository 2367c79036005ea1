"""terrarium-mcp: the memory of your IRC channels, offered to every agent over MCP."""

__version__ = "0.1.0"
