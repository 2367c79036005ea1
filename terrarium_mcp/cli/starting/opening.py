"""How long a command waits for the history to open."""

import math

UNTIL_OPEN = math.inf
"""Seconds. Nobody waits for a command's answer as for a server's, and the migration may be its own:
if it gave up, that would be rolled back, and begin again with the next attempt. How far it is, and
what it waits for, is in the log meanwhile."""
