"""How messages come in: appended live, in bulk, or by another program."""
