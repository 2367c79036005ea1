"""One IRC network, built on a hardened pydle. Other packages use `client.IrcNetwork`.

- client, refused_logins: the network, connected again and again; server_config: what the settings
  say of it; timeouts: its seconds
- transport, diagnosis: a connection, or why there is none; errors: the same for callers
- session: the life of one connection, and who handles which command; listener: whom it reports to
- pydle_client, isupport, log_limit, server_clock, server_words: what pydle, the server and
  strangers send
- sasl, nickname, nickserv, own_mask: who we are there
- autojoin, membership, who_requests, member_prefixes, operators: our channels, and who is in them
- batches, arrivals, chathistory, history_fetch, bouncer: what was said earlier
- sender, send_queue, outgoing, own_lines, refused_lines, ctcp: what we say; pongs: whether all
  that was sent before has come
"""
