"""One IRC network, built on a hardened pydle. Other packages use `client.IrcNetwork`."""
