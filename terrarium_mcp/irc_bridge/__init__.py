"""The IRC tendril: it records what is said, and answers with what any MCP client could find out.

- network/: one IRC network through pydle, healed for ever
- hearing.py: a line of the network -> what the record keeps of it
- recorder.py: keeps it, in order, never letting the network wait
- attendance.py: who is here, brought to the store
- commands.py: a line of the network -> what is asked of us
- desk.py: one question of a channel after the other
- host.py: serves it, and says the reply where it was asked
- chores.py: the commands that need no model
- toolbox.py: the history, through MCP
- context.py, quoting.py: what a model is shown with a question
- answer.py: the model looks things up, then speaks
- budget.py: how large a request may be
- llm.py: the endpoint, and what passes between it and us
- reply.py: the model's words as lines of IRC
- bridge.py: all of these, tied together
"""
