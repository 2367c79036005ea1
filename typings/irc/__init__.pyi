"""What we use of jaraco's irc."""
