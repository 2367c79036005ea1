"""Health: what can be seen of a database without changing anything.

- examination: what can be seen quickly
- readonly: how a database is opened for it
- size, bridges, unnamed_relays: how large it is, who records into it, who may be a relay
- external_changes: what other programs changed
- deep_check: everything derived, compared with a recount
"""
