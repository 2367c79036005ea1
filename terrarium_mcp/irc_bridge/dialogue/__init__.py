"""What the bot remembers of its own talk: turns, windows and summaries, across restarts."""
