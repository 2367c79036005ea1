"""Web search, for the tool `search_web`."""
