"""The IRC tendril: it records what is said, and answers with what any MCP client could find out.

- network/: one IRC network through pydle, healed for ever
- hearing.py: a line of the network -> what the record keeps of it
- recorder.py: keeps it, in order, never letting the network wait
- commands.py: a line of the network -> what is asked of us
- desk.py: one question of a channel after the other
- toolbox.py: the history, through MCP
- context.py: what a model is shown with a question
- answer.py: the model looks things up, then speaks
- reply.py: its words as lines of IRC
- bridge.py: all of these, tied together
"""
