"""What the bot remembers of its own talk: turns, windows and summaries, across restarts.

- memory: the turns of each place; unwritten: writes them in the background
- summaries, summary_prompt: the older ones in a few sentences
- access: what commands may do with them
"""
