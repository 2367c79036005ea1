"""From an IRC message to the store."""
