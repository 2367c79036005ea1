"""From an IRC message to a command, its queue, and its reply."""
