"""The commands that need no model: each handler returns the lines to say.

- search.py: `!search`
- recent.py: `!recent`
- context.py: `!context`
- stats.py: `!stats`
- who.py: `!who`
- status.py: `!ping` and `!status`
- digest.py: `!catchup` and `!seen`
- tool_answers.py: what they share: channels in arguments, quoted lines, refusals;
  typed_commands.py: the calls that a tool names, as commands
"""
