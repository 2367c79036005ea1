"""One IRC network: pydle underneath, hardened; `client.IrcNetwork` is its door."""
