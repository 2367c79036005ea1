"""What is remembered: one SQLite file, a topic for each kind of memory, and no SQL outside."""

from terrarium_mcp.store.store import Store, open_store

__all__ = ["Store", "open_store"]
