"""The IRC side: records channels, and answers with what any MCP client could find out.

- bridges.py: one bridge for each network, and what they share
- bridge.py: connects the packages below, for one network
- reporter.py: what the bridge says of its own state
- network/: one IRC network through pydle, reconnecting for ever
- record/: from an IRC message to the store
- ask/: from an IRC message to a command, its queue and its reply
- dialogue/: what the bot remembers of its own talk
- answer/: prompt, tool loop, and the answer as lines of IRC
- toolbox/: the history through MCP, and other servers that are mounted
- model/: the OpenAI-compatible endpoint
- talk_log/: how long each part of a question took, without a word of it
"""
